// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Reads an open file from its start, without moving its offset.
struct FilePieces {
    private static let size: UInt64 = 256 << 10
    private let file: FileDescriptor

    init(_ file: FileDescriptor) { self.file = file }

    /// Calls `body` with so many bytes, piece by piece.
    /// - Throws: `Errno`, `ioError` when the file is shorter; what `body` throws.
    func forEach(_ length: UInt64, from start: UInt64 = 0, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(min(Self.size, length)), alignment: 4096)
        defer { buffer.deallocate() }
        var done: UInt64 = 0
        while done < length {
            let wanted = Int(min(UInt64(buffer.count), length - done))
            let count = try file.read(
                fromAbsoluteOffset: Int64(clamping: start) + Int64(clamping: done),
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
            guard count > 0 else { throw Errno.ioError }
            try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            done += UInt64(count)
        }
    }
}
