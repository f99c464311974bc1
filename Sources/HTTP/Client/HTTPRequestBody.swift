// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a request sends: bytes in memory, or whatever can be read from any place on, as a file.
package struct HTTPRequestBody: Sendable {
    /// Fills a buffer with the bytes from an offset of the body on; how many it could give. Called on the network thread.
    package typealias Reader = @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) throws -> Int

    /// In bytes.
    package let length: Int64
    let read: Reader
    /// Told how many bytes of the body were handed to the connection, on the network thread; fewer than before when it has
    /// to be sent again.
    package var onProgress: (@Sendable (Int64) -> Void)?

    package init(_ bytes: [UInt8]) {
        length = Int64(bytes.count)
        read = { buffer, offset in
            bytes.withUnsafeBytes { source in
                let start = min(max(0, Int(clamping: offset)), source.count)
                let count = min(buffer.count, source.count - start)
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + count]))
                return count
            }
        }
    }

    /// - Parameter read: fewer than the buffer holds are fine; 0 before the end, or an error, ends the request.
    package init(length: Int64, read: @escaping Reader) {
        self.length = length
        self.read = read
    }
}
