// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
package import Kit

/// A manifest as its signatures see it: one JSON object, of whatever app-defined content, with Larder's own member in it.
package struct SignedManifest: Sendable {
    /// The file's members, signatures and all.
    package private(set) var document: JSONValue

    private static let context = "larder-manifest-1\n"
    /// How many sets of keys a manifest may bring: bounds what a hostile one can cost.
    package static let maximumKeySetCount = 64

    package init(_ document: JSONValue) { self.document = document }

    /// - Parameter source: names the file or URL in messages.
    /// - Throws: `AssetPackError` for what is no JSON object, or larger than manifests may be.
    package init(_ bytes: [UInt8], source: String) throws {
        guard bytes.count <= DownloadManifest.maximumSize else {
            throw AssetPackError(
                .invalidDownloadManifest,
                "\(source): larger than the \(DownloadManifest.maximumSize >> 20) MiB of a manifest.")
        }
        let reader = ManifestReader(source: source, code: .invalidDownloadManifest, isStrict: false)
        let node = try reader.parse(bytes, allowsComments: false)
        _ = try reader.object(node, "", keys: [], example: "{\"assetPacks\": []}")
        document = node.value
    }

    private var larder: JSONValue? { document["larder"] }

    /// The sets of keys that the manifest brings, as they are written, oldest first.
    package var keySets: [JSONValue] { larder?["keys"]?.arrayValue ?? [] }

    /// Whether it has signatures, good or not.
    package var isSigned: Bool { larder?["signatures"] != nil }

    /// - Throws: `ManifestRefusal`
    package var signatures: [ManifestSignature] {
        get throws { try ManifestSignature.list(larder?["signatures"]) }
    }

    /// nil when the manifest was never signed.
    /// - Throws: `ManifestRefusal`
    package var publication: ManifestPublication? {
        get throws { try larder?["publication"].map { try ManifestPublication($0) } }
    }

    /// What signatures are made over: everything but themselves.
    /// - Throws: `ManifestRefusal`
    package var message: [UInt8] {
        get throws {
            var copy = self
            copy.set(nil, for: "signatures")
            return Array(Self.context.utf8) + (try CanonicalJSON.bytes(of: copy.document))
        }
    }

    private mutating func set(_ value: JSONValue?, for key: String) {
        guard case .object(var members) = document else { return }
        var larder = members["larder"]?.objectValue ?? [:]
        larder[key] = value
        members["larder"] = larder.isEmpty ? nil : .object(larder)
        document = .object(members)
    }

    /// Takes the signatures away, because what they are about has changed.
    package mutating func removeSignatures() { set(nil, for: "signatures") }

    /// Says what the manifest is and signs it; signatures of before are gone.
    /// - Throws: `ManifestRefusal`, `CryptoError`
    package mutating func sign(_ publication: ManifestPublication, with keys: [Ed25519PrivateKey]) throws {
        set(publication.json, for: "publication")
        removeSignatures()
        try addSignatures(of: keys)
    }

    /// Signs the manifest as it is, beside those who did before.
    /// - Throws: `ManifestRefusal`, `CryptoError`
    package mutating func addSignatures(of keys: [Ed25519PrivateKey]) throws {
        let message = try message
        let new = try keys.map { ManifestSignature(key: $0.publicKey, value: try $0.sign(message)) }
        let others = try signatures.filter { old in !new.contains { $0.key == old.key } }
        set(.array((others + new).map(\.json)), for: "signatures")
    }

    /// Appends a set of keys, signed by those; the manifest is to be signed anew.
    /// - Throws: `ManifestRefusal`, `CryptoError`
    package mutating func append(_ keySet: ManifestKeySet, signedBy keys: [Ed25519PrivateKey]) throws {
        let message = try ManifestKeySet.message(keySet.json)
        let signatures = try keys.map { ManifestSignature(key: $0.publicKey, value: try $0.sign(message)) }
        guard case .object(var members) = keySet.json else { return }
        members["signatures"] = .array(signatures.map(\.json))
        set(.array(keySets + [.object(members)]), for: "keys")
        removeSignatures()
    }
}
