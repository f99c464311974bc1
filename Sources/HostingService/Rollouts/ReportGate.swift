// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HTTP
internal import Kit

/// Takes so many reports from one address in an hour, and remembers so many addresses. This host's own count keeps most of what
/// is too much away from the database, where all hosts count together.
final class ReportGate: Sendable {
    /// Seconds.
    static let window: Int64 = 3600
    private static let addressLimit = 10_000

    private struct State {
        var window: Int64 = 0
        var counts: [String: Int] = [:]
    }

    private let state = Locked(State())

    /// Whether the report is one too many.
    /// - Parameter now: seconds since 1970.
    func refuses(_ address: String, limit: Int, now: Int64) -> Bool {
        state.withLock { state in
            let window = now / Self.window
            if window != state.window { state = State(window: window) }
            let count = state.counts[address] ?? 0
            guard count < limit, count > 0 || state.counts.count < Self.addressLimit else {
                return true
            }
            state.counts[address] = count + 1
            return false
        }
    }

    /// The network that a report is from: of IPv6 its first half, since one sender has all the rest. What a proxy on this
    /// machine says is believed, as far as it said it itself.
    /// - Parameter believesNetwork: whether one at another address that is not for the world is, too.
    static func sender(of request: HTTPServerRequest, believesNetwork: Bool) -> String {
        var text = request.client
        let client = NetworkAddress(text)
        if client?.isLoopback ?? true || believesNetwork && client?.isPublic == false,
            let last = request.headers.values("X-Forwarded-For").last?.split(separator: ",").last
        {
            text = String(last.drop { $0 == " " }.prefix { $0 != " " })
        }
        guard let address = NetworkAddress(text) else { return "" }
        return address.bytes.count == 16 ? Hexadecimal.encode(Array(address.bytes.prefix(8))) : address.description
    }
}
