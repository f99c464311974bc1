// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// Why an exchange with a server failed.
package struct HTTPClientError: LarderError {
    /// The kind of failure; more may be added.
    package struct Code: Hashable, Sendable {
        package let name: String

        /// The address is not one this client opens.
        package static let badURL = Code(name: "http.bad-url")
        /// The server's name has no address.
        package static let resolve = Code(name: "http.resolve")
        /// Nobody answers at the address.
        package static let connect = Code(name: "http.connect")
        /// No secure connection came about, for another reason than the certificate.
        package static let tls = Code(name: "http.tls")
        /// The server's certificate is not trusted, not valid now, or made out to another name.
        package static let untrustedCertificate = Code(name: "http.untrusted-certificate")
        /// The system trusts the server, and the request wants somebody else to judge it, too; see `challenge`.
        package static let trustAsked = Code(name: "http.trust-asked")
        /// A file of additional trusted certificates cannot be used.
        package static let badTrust = Code(name: "http.bad-trust")
        /// No byte came for longer than the stall time-out.
        package static let stalled = Code(name: "http.stalled")
        /// Bytes came, but fewer than the least rate.
        package static let slow = Code(name: "http.slow")
        /// Nobody at the address said anything within the connect time-out.
        package static let noConnection = Code(name: "http.no-connection")
        /// The exchange took longer than its time limit.
        package static let timedOut = Code(name: "http.timed-out")
        /// The other side broke the connection off.
        package static let reset = Code(name: "http.reset")
        /// The body ended before the length the server gave.
        package static let cut = Code(name: "http.cut")
        /// The resource is not as long as it must be.
        package static let wrongLength = Code(name: "http.wrong-length")
        /// The body is longer than the caller takes.
        package static let tooLarge = Code(name: "http.too-large")
        package static let tooManyRedirects = Code(name: "http.too-many-redirects")
        /// A redirect leads away from https.
        package static let insecureRedirect = Code(name: "http.insecure-redirect")
        /// A host, maybe a redirect's, that the request does not permit.
        package static let forbiddenHost = Code(name: "http.forbidden-host")
        /// A name leads to an address that the request does not permit.
        package static let forbiddenAddress = Code(name: "http.forbidden-address")
        /// What is to be sent cannot be read.
        package static let unreadableBody = Code(name: "http.unreadable-body")
        /// The server answered with a status that is not a success; see `status`.
        package static let status = Code(name: "http.status")
        /// The answer breaks the protocol or does not fit the request.
        package static let badResponse = Code(name: "http.bad-response")
        /// libcurl is not on this system, or is too old.
        package static let noLibrary = Code(name: "http.no-library")
        /// The server asks for a certificate, or refuses the one it was shown.
        package static let clientCertificate = Code(name: "http.client-certificate")
        /// A credential that cannot be sent.
        package static let badCredential = Code(name: "http.bad-credential")
        /// The server redirects a request whose redirects are reported; see `location`.
        package static let redirect = Code(name: "http.redirect")
        package static let cancelled = Code(name: "http.cancelled")
        /// What libcurl reports and no other code names.
        package static let failed = Code(name: "http.failed")
    }

    package let code: Code
    package let message: String
    package let cause: (any Error)?
    /// The status, when the code is `status`.
    package let status: Int?
    /// How long the server asks to be left alone.
    package let retryAfter: Duration?
    /// What would help, when the request had its challenges reported.
    package let challenge: HTTPChallenge?
    /// Where a redirect that is not followed leads to.
    package let location: String?

    package init(
        _ code: Code, _ message: String, status: Int? = nil, retryAfter: Duration? = nil,
        challenge: HTTPChallenge? = nil, location: String? = nil, cause: (any Error)? = nil
    ) {
        self.challenge = challenge
        self.location = location
        self.code = code
        self.message = message
        self.status = status
        self.retryAfter = retryAfter
        self.cause = cause
    }

    package var codeName: String { code.name }

    /// Whether no server was reached: no network, no name, nobody at the address, or no answer from there in time.
    package var isUnreachable: Bool { [.resolve, .connect, .noConnection].contains(code) }

    /// Whether the same request may well succeed later without anybody changing anything.
    package var isTransient: Bool {
        switch code {
        case .resolve, .connect, .noConnection, .stalled, .slow, .timedOut, .reset, .cut: true
        case .status: [408, 425, 429, 500, 502, 503, 504].contains(status ?? 0)
        default: false
        }
    }
}
