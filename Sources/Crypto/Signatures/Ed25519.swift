// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import COpenSSLShim
import Kit

/// A private key that signs with Ed25519 (RFC 8032).
// Safe: as `SigningKey`.
package struct Ed25519PrivateKey: @unchecked Sendable {
    private let key: PrivateKey
    package let publicKey: Ed25519PublicKey

    /// Makes a new key.
    /// - Throws: `CryptoError`
    package init() throws {
        guard let raw = larder_ossl_new_ed25519_key() else { throw CryptoError.failed("A new key could not be made.") }
        try self.init(PrivateKey(raw))
    }

    /// Reads PKCS #8 in PEM.
    /// - Throws: `CryptoError`
    package init(pem: [UInt8]) throws { try self.init(try PrivateKey(pem: pem)) }

    private init(_ key: PrivateKey) throws {
        self.key = key
        publicKey = try Ed25519PublicKey(key)
    }

    /// The private key as PKCS #8 in PEM, not encrypted.
    /// - Throws: `CryptoError`
    package func pem() throws -> [UInt8] { try key.pem() }

    /// 64 bytes.
    /// - Throws: `CryptoError`
    package func sign(_ message: [UInt8]) throws -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Ed25519PublicKey.signatureSize)
        guard larder_ossl_ed25519_sign(key.raw, message, message.count, &signature) == 1 else {
            throw CryptoError.failed("The message could not be signed.")
        }
        return signature
    }
}

/// A public key that verifies Ed25519. Its text is `ed25519:` and its 32 bytes in the alphabet for URLs.
package struct Ed25519PublicKey: Hashable, Sendable {
    package static let size = 32
    package static let signatureSize = 64
    private static let prefix = "ed25519:"

    package let bytes: [UInt8]

    /// nil when the text is not the one that stands for some key.
    package init?(text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8),
            let bytes = Base64URL.decode(text.dropFirst(Self.prefix.count)), bytes.count == Self.size
        else { return nil }
        self.bytes = bytes
    }

    /// Reads a public key in PEM.
    /// - Throws: `CryptoError`
    package init(pem: [UInt8]) throws { try self.init(try PrivateKey(publicPEM: pem)) }

    fileprivate init(_ key: PrivateKey) throws {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        guard larder_ossl_ed25519_public_bytes(key.raw, &bytes) == 1 else {
            throw CryptoError(.unreadable, "The key is of another kind than Ed25519.")
        }
        self.bytes = bytes
    }

    package var text: String { Self.prefix + Base64URL.encode(bytes) }

    /// Whether the signature is the key's for that message.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == Self.signatureSize, let raw = larder_ossl_ed25519_public_key(bytes) else {
            return false
        }
        let key = PrivateKey(raw)
        return larder_ossl_ed25519_verify(key.raw, message, message.count, signature) == 1
    }
}
