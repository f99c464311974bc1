// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
package import System

/// A server's certificate chain and its private key, both as PEM text, checked to belong together.
package struct TLSIdentity: Sendable {
    /// The server's own certificate first.
    package let certificates: [UInt8]
    package let key: [UInt8]

    /// - Throws: `CryptoError`
    package init(certificates: [UInt8], key: [UInt8]) throws {
        guard try Certificate(pem: certificates).belongs(to: PrivateKey(pem: key)) else {
            throw CryptoError(.mismatch, "The key does not belong to the certificate.")
        }
        self.certificates = certificates
        self.key = key
    }

    /// Reads both from PEM files.
    /// - Throws: `CryptoError` that names the file.
    package init(certificateFile: FilePath, keyFile: FilePath) throws {
        func bytes(_ file: FilePath) throws -> [UInt8] {
            do {
                return try File.read(file, limit: 1 << 20)
            } catch {
                throw CryptoError(.unreadable, "\(file) cannot be read.", cause: error)
            }
        }
        do {
            try self.init(certificates: bytes(certificateFile), key: bytes(keyFile))
        } catch let error as CryptoError where error.code == .mismatch {
            throw CryptoError(
                .mismatch, "The key in \(keyFile) does not belong to the certificate in \(certificateFile).")
        } catch let error as CryptoError {
            throw CryptoError(
                error.code, "\(certificateFile) and \(keyFile) make no server identity: \(error.message)",
                cause: error.cause)
        }
    }
}
