// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import Kit

extension HTTPClient {
    /// A client that may speak plainly to a `ScriptedServer` and does not wait long.
    static func forTests(_ change: (inout HTTPClientConfiguration) -> Void = { _ in }) -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.allowsPlainLoopback = true
        configuration.linger = .milliseconds(50)
        change(&configuration)
        return HTTPClient(configuration)
    }
}

extension HTTPDownload {
    /// All of the body, read on a thread of its own in pieces of `piece` bytes.
    func readAll(piece: Int = 64 << 10) async throws -> [UInt8] {
        let (bytes, error) = await readUntilEnd(piece: piece)
        if let error { throw error }
        return bytes
    }

    /// What came before the end, and the error if the end is one.
    func readUntilEnd(piece: Int = 64 << 10) async -> ([UInt8], HTTPClientError?) {
        let result = try? await offload {
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

/// Bytes that repeat in no short period.
func pattern(_ count: Int) -> [UInt8] {
    var state: UInt64 = 1
    return [UInt8](unsafeUninitializedCapacity: count + 8) { buffer, initialized in
        let raw = UnsafeMutableRawBufferPointer(buffer)
        for offset in stride(from: 0, to: count, by: 8) {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            raw.storeBytes(of: state ^ (state >> 31), toByteOffset: offset, as: UInt64.self)
        }
        initialized = count
    }
}
