// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#if FoundationNetworking
    public import Foundation
    public import FoundationNetworking

    /// The certificates that a server has shown. It stands where the Security framework's type of that name stands on Apple's
    /// platforms.
    public final class SecTrust: NSObject, Sendable {
        /// In DER, the server's own first, then what it sent along.
        public let certificates: [Data]

        /// Whether the system trusts them: what `SecTrustEvaluateWithError` says on Apple's platforms.
        public let isTrustedBySystem: Bool

        init(certificates: [Data], isTrustedBySystem: Bool) {
            self.certificates = certificates
            self.isTrustedBySystem = isTrustedBySystem
            super.init()
        }
    }

    /// A server's certificate is to be judged. FoundationNetworking on Linux declares the name, and forbids its use.
    public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

    /// A server asks for the client's certificate. FoundationNetworking on Linux declares the name, and forbids its use.
    public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

    extension URLProtectionSpace {
        /// With the method `NSURLAuthenticationMethodServerTrust`: what the server has shown.
        public var serverTrust: SecTrust? { (self as? ServerProtectionSpace)?.trust }

        /// With the method `NSURLAuthenticationMethodClientCertificate`: the names in DER of the authorities whose certificates
        /// the server takes; none for any. It stands where `distinguishedNames` stands on Apple's platforms, which is empty here.
        public var acceptedAuthorities: [Data] { (self as? ServerProtectionSpace)?.authorities ?? [] }
    }

    extension URLCredential {
        private static let trustUser = "NSURLAuthenticationMethodServerTrust"

        /// Accepts a server's certificate, exactly this one, for as long as the device service runs.
        public convenience init(trust: SecTrust) {
            self.init(
                user: Self.trustUser, password: trust.certificates.first?.base64EncodedString() ?? "",
                persistence: .forSession)
        }

        /// Whether it was made to accept a server.
        var isTrust: Bool { user == Self.trustUser }

        /// Whether it accepts this certificate.
        func accepts(_ certificate: Data?) -> Bool {
            isTrust && certificate != nil && password == certificate?.base64EncodedString()
        }
    }

    /// A protection space with what FoundationNetworking has no place for.
    final class ServerProtectionSpace: URLProtectionSpace, @unchecked Sendable {
        // Unchecked because the class it inherits from is; its own values are constants.
        let trust: SecTrust?
        let authorities: [Data]

        init(
            host: String, port: Int, scheme: String, realm: String?, method: String, trust: SecTrust?,
            authorities: [Data]
        ) {
            self.trust = trust
            self.authorities = authorities
            super.init(host: host, port: port, protocol: scheme, realm: realm, authenticationMethod: method)
        }
    }
#endif
