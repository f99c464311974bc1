// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
package import System

/// A place for what a child writes to its standard error: a file in memory that cannot grow, so a child that writes without
/// end gets an error, and nobody has to read while it runs.
package struct CapturedText: ~Copyable, Sendable {
    private let file: OwnedDescriptor
    private let limit: Int

    /// - Parameter limit: bytes that are kept; the first ones.
    /// - Throws: `Errno`
    package init(limit: Int) throws {
        self.limit = limit
        let number = try systemCall { clinux_bounded_memfd("larder-output", Int64(limit)) }
        file = OwnedDescriptor(FileDescriptor(rawValue: number))
    }

    /// For the child; to be used only while the owner lives.
    package var descriptor: FileDescriptor { file.borrowed }

    /// What was written so far, without the white space around it; empty when it cannot be read.
    package var text: String {
        let bytes = withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer -> [UInt8] in
            let count = (try? file.borrowed.read(fromAbsoluteOffset: 0, into: buffer)) ?? 0
            return Array(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
        }
        let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0
        let start = bytes.firstIndex { $0 > 0x20 } ?? end
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
