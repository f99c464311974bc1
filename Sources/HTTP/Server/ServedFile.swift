// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
package import System

/// An open file that any number of answers may be sending. It is closed when the last of them is done, so a file that
/// was replaced meanwhile is still sent whole as it was.
package final class ServedFile: Sendable {
    private let descriptor: OwnedDescriptor

    /// - Throws: `Errno`
    package init(_ path: FilePath) throws {
        descriptor = try OwnedDescriptor(path, .readOnly)
    }

    package func withDescriptor<Result>(_ body: (FileDescriptor) throws -> Result) rethrows -> Result {
        try body(descriptor.borrowed)
    }

    /// Reads at most `buffer.count` bytes at `offset`.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try descriptor.borrowed.read(fromAbsoluteOffset: offset, into: buffer)
    }
}
