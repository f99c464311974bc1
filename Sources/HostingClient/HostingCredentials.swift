// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
internal import HostingModel
internal import Kit

/// The key that requests are signed with, and the tokens made of it.
package final class HostingCredentials: Sendable {
    /// How long a token is good for, in seconds.
    private static let lifetime: Int64 = 15 * 60
    /// One that has less left is not used any more.
    private static let margin: Int64 = 2 * 60

    private let keyID: String
    private let issuer: String
    private let key: SigningKey
    private let current = Locked<(text: String, expiry: Int64)?>(nil)

    package init(keyID: String, issuer: String, key: SigningKey) {
        self.keyID = keyID
        self.issuer = issuer
        self.key = key
    }

    /// A token that is good for some minutes yet.
    /// - Parameter now: seconds since 1970.
    /// - Throws: `CryptoError`
    package func token(now: Int64 = Timestamp.now.seconds) throws -> String {
        if let known = current.withLock({ $0 }), known.expiry - now > Self.margin,
            known.expiry - now <= Self.lifetime
        {
            return known.text
        }
        let expiry = now + Self.lifetime
        let text = BearerToken.text(
            keyID: keyID,
            claims: [
                "iss": .string(issuer), "aud": .string(BearerToken.audience), "iat": .integer(now),
                "exp": .integer(expiry),
            ])
        let token = text + "." + Base64URL.encode(try key.sign(text.utf8))
        current.withLock { $0 = (token, expiry) }
        return token
    }
}
