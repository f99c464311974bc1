// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#if FoundationNetworking
    internal import DeviceProtocol
    public import Foundation
    public import FoundationNetworking

    /// A certificate with its private key, for a server that asks for one. On Apple's platforms such a credential is made of a
    /// `SecIdentity` from the keychain; here there is no keychain.
    ///
    /// The device service keeps it in memory only, and hands it to nothing but the handshake with the server that asked.
    public final class ClientCertificateCredential: URLCredential, @unchecked Sendable {
        // Unchecked because the class it inherits from is; its own value is a constant.
        let identity: ChallengeCredential.Identity

        /// Makes a credential of a certificate and its key, both as PEM text or both in DER.
        /// - Parameters:
        ///   - certificate: the client's own; as PEM text the others of its chain may follow.
        ///   - passphrase: opens the key; nil when it is not encrypted.
        public init(certificate: Data, key: Data, passphrase: String? = nil, persistence: Persistence) {
            let isText = certificate.range(of: Data("-----BEGIN".utf8)) != nil
            identity = ChallengeCredential.Identity(
                format: isText ? "pem" : "der", certificate: Base64([UInt8](certificate)), key: Base64([UInt8](key)),
                passphrase: passphrase)
            super.init(user: "", password: "", persistence: persistence)
        }

        /// Makes a credential of a PKCS #12 file's contents.
        public init(pkcs12: Data, passphrase: String, persistence: Persistence) {
            identity = ChallengeCredential.Identity(
                format: "pkcs12", certificate: Base64([UInt8](pkcs12)), key: nil, passphrase: passphrase)
            super.init(user: "", password: "", persistence: persistence)
        }

        /// Not supported: a private key is not archived. Always nil.
        public required init?(coder: NSCoder) { nil }

        /// Always nil: a certificate is no name.
        public override var user: String? { nil }
        /// Always nil.
        public override var password: String? { nil }
        /// Always `false`.
        public override var hasPassword: Bool { false }

        /// Two of them are equal when they hold the same certificate and key.
        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? ClientCertificateCredential else { return false }
            return other.identity == identity && other.persistence == persistence
        }

        /// Goes with `isEqual(_:)`.
        public override var hash: Int { identity.hashValue }
    }
#endif
