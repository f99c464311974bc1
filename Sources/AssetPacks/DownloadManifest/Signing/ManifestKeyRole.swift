// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
package import Kit

/// A key's signature, and which key that is.
package struct ManifestSignature: Hashable, Sendable {
    package var key: Ed25519PublicKey
    package var value: [UInt8]

    package init(key: Ed25519PublicKey, value: [UInt8]) {
        self.key = key
        self.value = value
    }

    package static let maximumCount = 32

    package var json: JSONValue { ["key": .string(key.text), "value": .string(Base64URL.encode(value))] }

    /// The signatures of a `signatures` member. Those of kinds that this version does not know are passed over: they count
    /// for nothing.
    /// - Throws: `ManifestRefusal`
    package static func list(_ value: JSONValue?) throws -> [ManifestSignature] {
        guard let value else { return [] }
        guard let elements = value.arrayValue, elements.count <= maximumCount else {
            throw ManifestRefusal(.format, "\"signatures\" must be an array of at most \(maximumCount) signatures.")
        }
        return elements.compactMap { element in
            guard let key = element["key"]?.stringValue.flatMap({ Ed25519PublicKey(text: $0) }),
                let bytes = element["value"]?.stringValue.flatMap({ Base64URL.decode($0) })
            else { return nil }
            return ManifestSignature(key: key, value: bytes)
        }
    }
}

/// Keys that count for one purpose, and how many of them have to sign.
package struct ManifestKeyRole: Hashable, Sendable {
    package let keys: [Ed25519PublicKey]
    package let threshold: Int

    package static let maximumKeyCount = 16

    /// What is wrong with such a role, as the end of a sentence; nil when it is right.
    package static func problem(_ keys: [Ed25519PublicKey], threshold: Int) -> String? {
        if keys.isEmpty { return "names no key" }
        if keys.count > maximumKeyCount { return "names more than \(maximumKeyCount) keys" }
        if Set(keys).count != keys.count { return "names a key twice" }
        if !(1...keys.count).contains(threshold) {
            return "wants \(threshold) signatures of \(keys.count) \(keys.count == 1 ? "key" : "keys")"
        }
        return nil
    }

    /// - Throws: `ManifestRefusal`
    package init(keys: [Ed25519PublicKey], threshold: Int = 1) throws {
        if let problem = Self.problem(keys, threshold: threshold) {
            throw ManifestRefusal(.keys, "A set of keys for manifests \(problem).")
        }
        self.keys = keys
        self.threshold = threshold
    }

    /// - Throws: `ManifestRefusal`
    package init(_ value: JSONValue?) throws {
        guard let texts = value?["keys"]?.arrayValue, texts.count <= Self.maximumKeyCount,
            let threshold = value?["threshold"]?.integerValue
        else {
            throw ManifestRefusal(
                .keys, "A set of keys for manifests lacks an array \"keys\" or a number \"threshold\".")
        }
        let keys = try texts.map { text in
            guard let key = text.stringValue.flatMap({ Ed25519PublicKey(text: $0) }) else {
                throw ManifestRefusal(.keys, "A set of keys for manifests names what is no Ed25519 key.")
            }
            return key
        }
        try self.init(keys: keys, threshold: Int(clamping: threshold))
    }

    package var json: JSONValue {
        ["keys": .array(keys.map { .string($0.text) }), "threshold": .integer(Int64(threshold))]
    }

    /// Which of the role's keys signed the message; a key counts once, however often it signed.
    package func signers(_ signatures: [ManifestSignature], of message: [UInt8]) -> Set<Ed25519PublicKey> {
        var signers: Set<Ed25519PublicKey> = []
        for signature in signatures where keys.contains(signature.key) && !signers.contains(signature.key) {
            if signature.key.verifies(signature.value, of: message) { signers.insert(signature.key) }
        }
        return signers
    }

    package func isMet(by signatures: [ManifestSignature], of message: [UInt8]) -> Bool {
        signers(signatures, of: message).count >= threshold
    }
}
