// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
package import System

/// A whole file mapped read-only and shared; unmapped when its last user goes.
package final class MappedFile: Sendable {
    private let pages: BorrowedBytes

    /// Valid for as long as this object lives.
    package var bytes: UnsafeRawBufferPointer { pages.buffer }

    /// - Throws: `Errno`; an empty file maps to no bytes.
    package init(_ descriptor: FileDescriptor) throws {
        var status = stat()
        try systemCall { fstat(descriptor.rawValue, &status) }
        let size = Int(status.st_size)
        guard size > 0 else {
            pages = BorrowedBytes(buffer: UnsafeRawBufferPointer(start: nil, count: 0))
            return
        }
        let address = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor.rawValue, 0)
        guard let address, address != MAP_FAILED else { throw Errno.current }
        pages = BorrowedBytes(buffer: UnsafeRawBufferPointer(start: address, count: size))
    }

    deinit {
        if let address = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: address), bytes.count) }
    }
}
