// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
package import Crypto
internal import Kit

/// Signs the manifests that devices get (G2).
package struct ManifestSigning: Sendable {
    private let keys: [Ed25519PrivateKey]
    /// In seconds.
    private let lifetime: Int64

    /// The shortest lifetime, in seconds: devices' clocks are not that exact.
    package static let shortestLifetime: Int64 = 3600
    package static let usualLifetime: Int64 = 7 * 86_400

    /// - Parameters:
    ///   - keys: each signs.
    ///   - lifetime: how long a manifest is good for, in seconds; it is signed anew in the half of it.
    package init(keys: [Ed25519PrivateKey], lifetime: Int64 = usualLifetime) {
        self.keys = keys
        self.lifetime = max(Self.shortestLifetime, lifetime)
    }

    /// Whose manifest is signed.
    struct Subject: Sendable {
        let app: String
        let platforms: [String]
        let channel: String
        /// The sets of keys that follow those in the app.
        let keySets: [JSONValue]
        let generation: Int64
    }

    /// - Parameter now: in seconds since 1970.
    /// - Returns: the manifest, and the time at which it is to be signed anew.
    /// - Throws: `ManifestRefusal`, `CryptoError`
    func sign(_ packs: [JSONValue], _ subject: Subject, now: Int64) throws -> (manifest: JSONValue, goodUntil: Int64) {
        let half = lifetime / 2
        // Within each half everything is the same at all hosts, so that entity tags change no more often.
        let begun = now / half * half
        var document: [String: JSONValue] = ["assetPacks": .array(packs)]
        if !subject.keySets.isEmpty { document["larder"] = ["keys": .array(subject.keySets)] }
        var manifest = SignedManifest(.object(document))
        try manifest.sign(
            ManifestPublication(
                app: subject.app, platforms: subject.platforms, channel: subject.channel,
                generation: subject.generation,
                signed: Timestamp(seconds: begun), expires: Timestamp(seconds: begun + lifetime)), with: keys)
        return (manifest.document, begun + half)
    }
}
