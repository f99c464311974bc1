// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// A JSON web token as App Store Connect takes it, before its signature is checked: ES256 and nothing else (BA 4).
package struct BearerToken: Sendable {
    package static let audience = "appstoreconnect-v1"
    /// The longest a token may be valid, in seconds.
    package static let maximumLifetime: Int64 = 20 * 60
    /// How far the clocks of both sides may differ, in seconds.
    package static let leeway: Int64 = 60
    private static let maximumSize = 8 << 10

    /// The identifier of the key that is said to have signed it.
    package let keyID: String
    /// What was signed.
    package let signedText: [UInt8]
    package let signature: [UInt8]
    private let claims: JSONValue

    /// Why a token is not accepted, as a sentence.
    package struct Refusal: Error, Hashable, CustomStringConvertible {
        package let description: String
        init(_ description: String) { self.description = description }
    }

    /// - Throws: `Refusal` for what is no token of this kind.
    package init(_ text: String) throws(Refusal) {
        guard text.utf8.count <= Self.maximumSize else { throw Refusal("The token is too long.") }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decode(parts[0]), let body = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]), let header = try? JSONParser.parse(head).value,
            let claims = try? JSONParser.parse(body).value, case .object = claims
        else { throw Refusal("The token is no JSON web token.") }
        // The algorithm is fixed: a token does not choose how it is checked.
        guard header["alg"]?.stringValue == "ES256" else { throw Refusal("The token must be signed with ES256.") }
        guard header["crit"] == nil else { throw Refusal("The token demands extensions that are not known here.") }
        guard let keyID = header["kid"]?.stringValue, !keyID.isEmpty, keyID.isStorable else {
            throw Refusal("The token's header names no key ('kid').")
        }
        self.keyID = keyID
        self.signature = signature
        self.claims = claims
        signedText = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// Checks everything but the signature.
    /// - Parameters:
    ///   - issuer: of the key's owner.
    ///   - now: seconds since 1970.
    /// - Throws: `Refusal`
    package func check(issuer: String, now: Int64) throws(Refusal) {
        guard claims["iss"]?.stringValue == issuer else {
            throw Refusal("The token's issuer ('iss') is not the key's.")
        }
        let audiences = claims["aud"]?.arrayValue ?? claims["aud"].map { [$0] } ?? []
        guard audiences.contains(.string(Self.audience)) else {
            throw Refusal("The token is not for \"\(Self.audience)\" ('aud').")
        }
        guard let expiry = seconds("exp") else { throw Refusal("The token has no end ('exp').") }
        guard expiry > now - Self.leeway else { throw Refusal("The token has expired.") }
        guard expiry <= now + Self.maximumLifetime + Self.leeway else {
            throw Refusal("The token is valid for more than \(Self.maximumLifetime / 60) minutes.")
        }
        if claims["iat"] != nil {
            guard let issued = seconds("iat") else { throw Refusal("The token's time of issue ('iat') is no time.") }
            guard issued <= now + Self.leeway else { throw Refusal("The token was issued in the future ('iat').") }
            guard expiry - issued <= Self.maximumLifetime else {
                throw Refusal("The token is valid for more than \(Self.maximumLifetime / 60) minutes.")
            }
        }
        if claims["nbf"] != nil {
            guard let start = seconds("nbf"), start <= now + Self.leeway else {
                throw Refusal("The token is not valid yet ('nbf').")
            }
        }
    }

    /// Whether the token is for that request: one without scopes is for all.
    package func covers(method: String, path: String) -> Bool {
        guard let scopes = claims["scope"] else { return true }
        return (scopes.arrayValue ?? []).contains { scope in
            let words = (scope.stringValue ?? "").split(separator: " ", maxSplits: 1)
            return words.count == 2 && words[0] == method && words[1].prefix { $0 != "?" } == path
        }
    }

    /// A time of the claims; nil when it is none, or so far off that sums with it would not hold.
    private func seconds(_ name: String) -> Int64? {
        let range: ClosedRange<Int64> = 0...(1 << 40)
        switch claims[name] {
        case .integer(let value): return range.contains(value) ? value : nil
        case .number(let value): return Int64(exactly: value.rounded(.down)).flatMap { range.contains($0) ? $0 : nil }
        default: return nil
        }
    }

    /// The text that is to be signed to make a token.
    package static func text(keyID: String, claims: JSONValue) -> String {
        let header: JSONValue = ["alg": "ES256", "kid": .string(keyID), "typ": "JWT"]
        return Base64URL.encode(header.serialized().utf8) + "." + Base64URL.encode(claims.serialized().utf8)
    }
}
