// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import HTTP
import Kit

extension HTTPDownload {
    /// All of the body, read on a thread of its own in pieces of `piece` bytes.
    package func readAll(piece: Int = 64 << 10) async throws -> [UInt8] {
        let (bytes, error) = await readUntilEnd(piece: piece)
        if let error { throw error }
        return bytes
    }

    /// What came before the end, and the error if the end is one.
    package func readUntilEnd(piece: Int = 64 << 10) async -> ([UInt8], HTTPClientError?) {
        let result = try? await onOwnThread {
            var bytes: [UInt8] = []
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 16)
            defer { buffer.deallocate() }
            do {
                while true {
                    let count = try self.read(into: buffer)
                    if count == 0 { return (bytes, HTTPClientError?.none) }
                    bytes.append(contentsOf: buffer[..<count])
                }
            } catch {
                return (bytes, error as? HTTPClientError)
            }
        }
        return result ?? ([], HTTPClientError(.failed, "offload failed"))
    }
}
