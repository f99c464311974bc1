// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HTTP
internal import Kit

/// Takes so many reports from one address in an hour, and remembers so many addresses.
final class ReportGate: Sendable {
    /// Seconds.
    private static let window: Int64 = 3600
    private static let addressLimit = 10_000

    private struct State {
        var window: Int64 = 0
        var counts: [String: Int] = [:]
    }

    private let state = Locked(State())

    /// Seconds after which the sender may try again; nil when the report is taken.
    /// - Parameter now: seconds since 1970.
    func refusal(of request: HTTPServerRequest, limit: Int, now: Int64) -> Int64? {
        let address = Self.sender(of: request)
        return state.withLock { state in
            let window = now / Self.window
            if window != state.window { state = State(window: window) }
            let count = state.counts[address] ?? 0
            guard count < limit, count > 0 || state.counts.count < Self.addressLimit else {
                return Self.window - now % Self.window
            }
            state.counts[address] = count + 1
            return nil
        }
    }

    /// The network that a report is from: of IPv6 its first half, since one sender has all the rest. What a proxy on this
    /// machine says is believed, as far as it said it itself.
    static func sender(of request: HTTPServerRequest) -> String {
        var text = request.client
        if NetworkAddress(text)?.isLoopback ?? true,
            let last = request.headers.values("X-Forwarded-For").last?.split(separator: ",").last
        {
            text = String(last.drop { $0 == " " }.prefix { $0 != " " })
        }
        guard let address = NetworkAddress(text) else { return "" }
        return address.bytes.count == 16 ? Hexadecimal.encode(Array(address.bytes.prefix(8))) : address.description
    }
}
