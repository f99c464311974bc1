// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import COpenSSLShim
import Kit

/// A private key on the curve P-256 that signs with ES256 (RFC 7518, 3.4).
// Safe: the key is never changed after it was made, and libcrypto signs with one key from any number of threads.
package struct SigningKey: @unchecked Sendable {
    private let key: PrivateKey

    /// Makes a new key.
    /// - Throws: `CryptoError`
    package init() throws { key = try PrivateKey.generate() }

    /// Reads PKCS #8 in PEM, as App Store Connect's `.p8` files are.
    /// - Throws: `CryptoError`
    package init(pem: [UInt8]) throws {
        key = try PrivateKey(pem: pem)
        guard larder_ossl_is_p256(key.raw) == 1 else {
            throw CryptoError(.unreadable, "The key is not one on the curve P-256, which ES256 needs.")
        }
    }

    /// The private key as PEM text.
    /// - Throws: `CryptoError`
    package func pem() throws -> [UInt8] { try key.pem() }

    /// What others verify with, as PEM text.
    /// - Throws: `CryptoError`
    package func publicPEM() throws -> [UInt8] { try key.publicPEM() }

    /// 64 bytes: r and s of ES256.
    /// - Throws: `CryptoError`
    package func sign(_ message: some Sequence<UInt8>) throws -> [UInt8] {
        let message = Array(message)
        var signature = [UInt8](repeating: 0, count: VerifyingKey.signatureSize)
        guard larder_ossl_es256_sign(key.raw, message, message.count, &signature) == 1 else {
            throw CryptoError.failed("The message could not be signed.")
        }
        return signature
    }
}

/// A public key on the curve P-256 that verifies ES256.
// Safe: as `SigningKey`.
package struct VerifyingKey: @unchecked Sendable {
    package static let signatureSize = 64

    private let key: PrivateKey

    /// Reads a public key in PEM.
    /// - Throws: `CryptoError`
    package init(pem: [UInt8]) throws {
        key = try PrivateKey(publicPEM: pem)
        guard larder_ossl_is_p256(key.raw) == 1 else {
            throw CryptoError(.unreadable, "The key is not one on the curve P-256, which ES256 needs.")
        }
    }

    /// Whether the signature, r and s of 32 bytes each, is the key's for that message.
    package func verifies(_ signature: [UInt8], of message: some Sequence<UInt8>) -> Bool {
        guard signature.count == Self.signatureSize else { return false }
        let message = Array(message)
        return larder_ossl_es256_verify(key.raw, message, message.count, signature) == 1
    }
}
