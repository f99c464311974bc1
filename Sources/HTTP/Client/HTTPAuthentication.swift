// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto

/// What one request proves about who asks, and which certificate of the server it accepts. It is for the address of the
/// request alone: a redirect is not followed but reported.
package struct HTTPAuthentication: Hashable, Sendable {
    package struct Login: Hashable, Sendable {
        package var user: String
        package var password: String
        /// Prove the password (RFC 7616) rather than send it (RFC 7617).
        package var isDigest: Bool

        package init(user: String, password: String, isDigest: Bool) {
            self.user = user
            self.password = password
            self.isDigest = isDigest
        }
    }

    /// A certificate with its private key.
    package struct Identity: Hashable, Sendable {
        /// How the bytes are to be read.
        package enum Format: String, Hashable, Sendable {
            case pem = "PEM"
            case der = "DER"
            /// Both in one, as of RFC 7292; `key` is empty.
            case pkcs12 = "P12"
        }

        package var format: Format
        package var certificate: [UInt8]
        package var key: [UInt8]
        /// Opens the key; empty when nothing is needed.
        package var passphrase: String

        package init(format: Format, certificate: [UInt8], key: [UInt8], passphrase: String) {
            self.format = format
            self.certificate = certificate
            self.key = key
            self.passphrase = passphrase
        }
    }

    package var login: Login?
    package var identity: Identity?
    /// Go on without a certificate when the server asks for one.
    package var goesWithoutIdentity = false
    /// SHA-256 of the one certificate that the server must show, whatever the system thinks of it.
    package var acceptedCertificate: Digest?
    /// Of a server that the system trusts: send nothing yet, and report its certificates for somebody else to judge. Without
    /// a libcurl that shows them the system's judgement stands.
    package var asksForTrust = false

    package init() {}

    /// Whether its connection is nobody else's: another request must not profit from what was proven or accepted here, nor go
    /// without what it would have given.
    var needsOwnConnection: Bool {
        identity != nil || acceptedCertificate != nil || goesWithoutIdentity || asksForTrust
    }
}

// What is secret does not get into a log by way of an error's or a request's description.
extension HTTPAuthentication.Login: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "a login" }
    package var debugDescription: String { description }
}

extension HTTPAuthentication.Identity: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "an identity" }
    package var debugDescription: String { description }
}
