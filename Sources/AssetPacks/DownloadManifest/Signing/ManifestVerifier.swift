// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// Decides whether a manifest is to be believed (G2). Pure.
package struct ManifestVerifier: Sendable {
    /// The keys in the app's bundle.
    package var anchor: ManifestKeySet
    package var platform: AssetPackPlatform
    /// The channel that the app follows; nil when it follows none, and any will do.
    package var channel: String?
    package var now: Timestamp

    package init(anchor: ManifestKeySet, platform: AssetPackPlatform, channel: String?, now: Timestamp) {
        self.anchor = anchor
        self.platform = platform
        self.channel = channel
        self.now = now
    }

    /// What came of looking at a manifest.
    package struct Verdict: Sendable {
        /// What to remember, whether the manifest is refused or not: keys that were handed over to rightly hold in any case.
        package var trust: ManifestTrust
        /// nil: the manifest is to be believed.
        package var refusal: ManifestRefusal?
    }

    /// How far a clock may be behind before that is told.
    private static let clockTolerance: Int64 = 24 * 3600

    private var app: String { anchor.app }

    package func verify(_ manifest: SignedManifest, remembered: ManifestTrust?) -> Verdict {
        var trust = ManifestTrust.current(remembered, anchor: anchor)
        do {
            try follow(manifest.keySets, &trust)
            let publication = try signed(manifest, trust.keySet)
            try check(publication, trust)
            trust.leastGeneration = publication.generation
            return Verdict(trust: trust)
        } catch let refusal as ManifestRefusal {
            return Verdict(trust: trust, refusal: refusal)
        } catch {
            return Verdict(trust: trust, refusal: ManifestRefusal(.format, "The manifest of \(app): \(error)"))
        }
    }

    /// Whether a manifest that was believed once is signed by the keys that count now; its time and generation are not
    /// looked at.
    package func isSigned(_ manifest: SignedManifest, remembered: ManifestTrust?) -> Bool {
        let trust = ManifestTrust.current(remembered, anchor: anchor)
        return (try? signed(manifest, trust.keySet)) != nil
    }

    /// Goes from one set of keys to the next, as far as the manifest brings them.
    private func follow(_ keySets: [JSONValue], _ trust: inout ManifestTrust) throws {
        guard keySets.count <= SignedManifest.maximumKeySetCount else {
            throw ManifestRefusal(
                .keys, "The manifest of \(app) brings more than \(SignedManifest.maximumKeySetCount) sets of keys.")
        }
        for keySet in keySets {
            let version = keySet["version"]?.integerValue
            if let version, version <= trust.keySet.version { continue }
            trust.adopt(try trust.keySet.successor(keySet))
        }
        if let end = trust.keySet.expires, end <= now {
            throw ManifestRefusal(
                .expired,
                "The keys for the manifest of \(app) (version \(trust.keySet.version)) expired on "
                    + "\(ManifestPublication.text(of: end)). \(clock) Otherwise the publisher has to publish new keys, "
                    + "or an update of the app with them.")
        }
    }

    private func signed(_ manifest: SignedManifest, _ keys: ManifestKeySet) throws -> ManifestPublication {
        guard manifest.isSigned, let publication = try manifest.publication else {
            throw ManifestRefusal(
                .unsigned,
                "The manifest of \(app) is not signed, and the app takes signed ones only. Sign it with "
                    + "`ba-package sign`."
            )
        }
        let (message, signatures) = (try manifest.message, try manifest.signatures)
        let count = keys.manifest.signers(signatures, of: message).count
        guard count >= keys.manifest.threshold else {
            let needed = keys.manifest.threshold
            guard count == 0 else {
                throw ManifestRefusal(
                    .signature,
                    "The manifest of \(app) has \(count) of the \(needed) signatures that the app's keys (version "
                        + "\(keys.version)) ask for: not all who have to sign it have, or what it holds was changed since. Nothing "
                        + "of it was taken. The publisher adds the others with `ba-package sign --co-sign`.")
            }
            throw ManifestRefusal(
                .signature,
                "The manifest of \(app) has \(count) of the \(needed) good "
                    + "\(needed == 1 ? "signature" : "signatures") that the "
                    + "app's keys (version \(keys.version)) ask for: it was changed on the way, or signed with "
                    + "other keys. Nothing "
                    + "of it was taken. If it goes on, tell the publisher.")
        }
        return publication
    }

    private func check(_ publication: ManifestPublication, _ trust: ManifestTrust) throws {
        guard publication.app == app else {
            throw ManifestRefusal(
                .subject,
                "The manifest that came for \(app) was signed for the app \(publication.app). Tell the publisher.")
        }
        guard publication.platforms.contains(platform.rawValue) else {
            throw ManifestRefusal(
                .subject,
                "The manifest of \(app) was signed for \(ManifestReader.list(publication.platforms)), not for "
                    + "\"\(platform.rawValue)\". Tell the publisher.")
        }
        if let channel, publication.channel != channel {
            throw ManifestRefusal(
                .subject,
                "The manifest of \(app) was signed for "
                    + "\(publication.channel.map { "the channel \($0)" } ?? "no channel"), "
                    + "and the app follows \(channel). Tell the publisher.")
        }
        if publication.signed.seconds - Self.clockTolerance > now.seconds {
            throw ManifestRefusal(
                .clock,
                "The manifest of \(app) was signed on \(ManifestPublication.text(of: publication.signed)), and "
                    + "this device's clock "
                    + "says \(ManifestPublication.text(of: now)): it is behind. Set it right, then try again; "
                    + "without the "
                    + "time nobody can tell whether a manifest is still good.")
        }
        guard publication.generation >= trust.leastGeneration else {
            throw ManifestRefusal(
                .generation,
                "The manifest of \(app) is of generation \(publication.generation), and \(trust.leastGeneration) "
                    + "was there already: "
                    + "an old one is being served. What is on the device stays. If it goes on, tell the publisher, who "
                    + "can \(remedy(trust.leastGeneration)).")
        }
        guard publication.expires > now else {
            throw ManifestRefusal(
                .expired,
                "The manifest of \(app) expired on \(ManifestPublication.text(of: publication.expires)). \(clock) "
                    + "Otherwise the "
                    + "publisher has to sign it again with `ba-package sign`. What is on the device stays usable.")
        }
    }

    /// How a publisher gets above what devices have seen.
    private func remedy(_ leastGeneration: Int64) -> String {
        leastGeneration < CanonicalJSON.largestInteger
            ? "sign again with `ba-package sign --generation \(leastGeneration + 1)`"
            : "begin anew with `ba-package keys rotate --generation-from`, since no generation comes after that"
    }

    private var clock: String {
        "This device's clock says \(ManifestPublication.text(of: now)); set it right if that is wrong."
    }
}
