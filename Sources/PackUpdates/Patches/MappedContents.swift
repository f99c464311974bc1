// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import System

/// An own file of contents in the address space, read-only.
// Safe: the bytes are of a file that nobody else has and that is not written while it is mapped.
final class MappedContents: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    /// - Throws: `Errno`
    init(_ file: FileDescriptor, size: Int64) throws {
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard let start = mmap(nil, Int(size), PROT_READ, MAP_SHARED, file.rawValue, 0), start != MAP_FAILED else {
            throw Errno.current
        }
        // What was just written is in the system's cache; around each byte that is looked at, nothing more is mapped.
        _ = madvise(start, Int(size), MADV_RANDOM)
        bytes = UnsafeRawBufferPointer(start: start, count: Int(size))
    }

    deinit {
        if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) }
    }

    /// Takes pages out of this process's memory; they come back from the system's cache when they are read.
    func release(_ range: Range<Int>) {
        guard let start = bytes.baseAddress, !range.isEmpty else { return }
        let page = 4096
        let lower = range.lowerBound / page * page
        _ = madvise(UnsafeMutableRawPointer(mutating: start + lower), range.upperBound - lower, MADV_DONTNEED)
    }
}
