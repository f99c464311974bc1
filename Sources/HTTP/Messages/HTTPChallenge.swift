// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Scheme, host and port of a server: what a credential is given to, and nobody else.
package struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    /// In lower case.
    package let host: String
    package let port: Int

    package init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// nil when the text is no address.
    package init?(_ url: String) {
        guard let parsed = ParsedURL(url) else { return nil }
        self.init(scheme: parsed.scheme, host: parsed.host.lowercased(), port: parsed.port)
    }

    package var description: String { "\(scheme)://\(host):\(port)" }
}

/// What a server wants to see before it gives anything, or that it is not trusted itself.
package struct HTTPChallenge: Hashable, Sendable {
    package enum Demand: Hashable, Sendable {
        /// Name and password (RFC 7617).
        case basic(realm: String?)
        /// Proof of name and password (RFC 7616).
        case digest(realm: String?)
        /// A certificate in the TLS handshake, of one of these authorities: their names in DER, none for any.
        case clientCertificate(authorities: [[UInt8]])
        /// Nothing: its certificates, in DER, its own first, are to be judged, whether or not the system trusts them.
        case serverTrust(certificates: [[UInt8]], isTrusted: Bool)
    }

    package let origin: HTTPOrigin
    /// Any one of these will do; the best first. Never empty.
    package let demands: [Demand]

    package init(origin: HTTPOrigin, demands: [Demand]) {
        self.origin = origin
        self.demands = demands
    }

    /// What the answer 401 asks for; nil when there is nothing in it that this client can do.
    init?(origin: HTTPOrigin?, _ headers: HTTPHeaders) {
        let demands = AuthenticateField(headers.values("WWW-Authenticate")).schemes.compactMap(\.demand)
        let digests = demands.filter { if case .digest = $0 { true } else { false } }
        let basics = demands.filter { if case .basic = $0 { true } else { false } }
        // One of each: libcurl chooses among several digests by itself.
        let best = [digests.first, basics.first].compactMap { $0 }
        guard let origin, !best.isEmpty else { return nil }
        self.init(origin: origin, demands: best)
    }
}
