// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
internal import Kit
internal import Synchronization
package import System

/// An open file that any number of answers may be sending. It is closed when the last of them is done, so a file that
/// was replaced meanwhile is still sent whole as it was.
package final class ServedFile: Sendable {
    private enum Pages {
        case unasked, unavailable
        /// The address of the first byte, and how many there are.
        case mapped(UInt, count: Int)
    }

    private let descriptor: OwnedDescriptor
    private let pages = Mutex(Pages.unasked)

    /// - Throws: `Errno`
    package init(_ path: FilePath) throws {
        descriptor = try OwnedDescriptor(path, .readOnly)
    }

    deinit {
        pages.withLock { pages in
            guard case .mapped(let start, let count) = pages else { return }
            munmap(UnsafeMutableRawPointer(bitPattern: start), count)
        }
    }

    package func withDescriptor<Result>(_ body: (FileDescriptor) throws -> Result) rethrows -> Result {
        try body(descriptor.borrowed)
    }

    /// Reads at most `buffer.count` bytes at `offset`.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try descriptor.borrowed.read(fromAbsoluteOffset: offset, into: buffer)
    }

    /// Where a stretch of the file lies in memory, for as long as this object lives; nil where that cannot be had. It is
    /// for calls of the kernel, which fail where the file has become shorter: a process that looks there itself is ended.
    func memory(at offset: Int64, count: Int64) -> UnsafeRawBufferPointer? {
        let all = pages.withLock { pages -> (start: UInt, count: Int)? in
            if case .unasked = pages { pages = map() }
            guard case .mapped(let start, let count) = pages else { return nil }
            return (start, count)
        }
        guard let all, offset >= 0, count > 0, count <= all.count, offset <= Int64(all.count) - count else {
            return nil
        }
        return UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: all.start + UInt(offset)), count: Int(count))
    }

    private func map() -> Pages {
        guard let size = try? withDescriptor({ try $0.status().size }), size > 0, let length = Int(exactly: size),
            let start = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor.borrowed.rawValue, 0), start != MAP_FAILED
        else { return .unavailable }
        return .mapped(UInt(bitPattern: start), count: length)
    }
}
