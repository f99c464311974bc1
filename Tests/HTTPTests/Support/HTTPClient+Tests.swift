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
