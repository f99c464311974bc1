// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import Testing

@testable import AssetPacks

/// Installed apps follow a change of keys, and nobody else's.
@Suite struct KeyRotationTests {
    private let publisher: Publisher
    private let newSigner: Ed25519PrivateKey
    private let next: ManifestKeySet

    init() throws {
        publisher = try Publisher()
        newSigner = try Ed25519PrivateKey()
        next = ManifestKeySet(
            version: 2, app: Publisher.app, root: publisher.keySet.root, manifest: try .of([newSigner]))
    }

    private func manifest(
        _ keySets: [(ManifestKeySet, [Ed25519PrivateKey])], by signer: Ed25519PrivateKey, _ generation: Int64 = 7
    ) throws -> SignedManifest {
        var manifest = SignedManifest(Publisher.content)
        for (keySet, keys) in keySets { try manifest.append(keySet, signedBy: keys) }
        try manifest.sign(Publisher.publication(generation), with: [signer])
        return manifest
    }

    private func verify(
        _ manifest: SignedManifest, _ trust: ManifestTrust? = nil, anchor: ManifestKeySet? = nil
    ) -> ManifestVerifier.Verdict {
        var verifier = publisher.verifier
        if let anchor { verifier.anchor = anchor }
        return verifier.verify(manifest, remembered: trust)
    }

    @Test func theNewKeysCountAndTheOldNoLonger() throws {
        let followed = verify(try manifest([(next, [publisher.root])], by: newSigner))
        #expect(followed.refusal == nil)
        #expect(followed.trust.keySet == next)
        // Whether the manifest brings the new keys or not: they are known now.
        for stolen in [try publisher.manifest(8), try manifest([(next, [publisher.root])], by: publisher.signer, 8)] {
            #expect(verify(stolen, followed.trust).refusal?.reason == .signature)
        }
        // The keys hold even when what came with them is refused.
        let late = verify(try manifest([(next, [publisher.root])], by: publisher.signer))
        #expect(late.refusal?.reason == .signature)
        #expect(late.trust.keySet == next)
    }

    @Test func onlyRootKeysHandOver() throws {
        let thief = try Ed25519PrivateKey()
        let own = ManifestKeySet(
            version: 2, app: Publisher.app, root: try .of([thief]), manifest: try .of([thief]))
        // With the key that signs manifests in hand, and with root keys of his own.
        let verdict = verify(try manifest([(own, [publisher.signer, thief])], by: thief))
        #expect(verdict.refusal?.reason == .keys)
        #expect(verdict.trust.keySet == publisher.keySet)
        // The new root keys have to agree, too.
        let absent = ManifestKeySet(
            version: 2, app: Publisher.app, root: try .of([thief]), manifest: next.manifest)
        #expect(verify(try manifest([(absent, [publisher.root])], by: newSigner)).refusal?.reason == .keys)
        let both = verify(try manifest([(absent, [publisher.root, thief])], by: newSigner))
        #expect(both.refusal == nil)
    }

    @Test func setsOfKeysComeInOrderAndForOneApp() throws {
        var skipping = next
        skipping.version = 3
        #expect(verify(try manifest([(skipping, [publisher.root])], by: newSigner)).refusal?.reason == .keys)
        var foreign = next
        foreign.app = "org.example.other"
        #expect(verify(try manifest([(foreign, [publisher.root])], by: newSigner)).refusal?.reason == .keys)
        let third = ManifestKeySet(
            version: 3, app: Publisher.app, root: next.root, manifest: try .of([publisher.signer]))
        let sets = [(next, [publisher.root]), (third, [publisher.root])]
        let verdict = verify(try manifest(sets, by: publisher.signer))
        #expect(verdict.refusal == nil)
        #expect(verdict.trust.keySet.version == 3)
        // A device that is there already passes over the way there; an app that ships with the second set goes on from it.
        #expect(verify(try manifest(sets, by: publisher.signer), verdict.trust).refusal == nil)
        #expect(verify(try manifest(sets, by: publisher.signer), anchor: next).trust.keySet.version == 3)
    }

    @Test func aSetOfKeysHasAnEndWhenItSaysSo() throws {
        var ending = next
        ending.expires = Timestamp(seconds: Publisher.now.seconds)
        let verdict = verify(try manifest([(ending, [publisher.root])], by: newSigner))
        #expect(verdict.refusal?.reason == .expired)
    }

    @Test func generationsBeginAnewWhereRootKeysSay() throws {
        let far = verify(try publisher.manifest(CanonicalJSON.largestInteger))
        #expect(far.refusal == nil)
        #expect(verify(try publisher.manifest(8), far.trust).refusal?.reason == .generation)
        // A change of keys alone forgets nothing.
        let kept = verify(try manifest([(next, [publisher.root])], by: newSigner, 8), far.trust)
        #expect(kept.refusal?.reason == .generation)
        var recovering = next
        recovering.generationFrom = 8
        let recovered = verify(try manifest([(recovering, [publisher.root])], by: newSigner, 8), far.trust)
        #expect(recovered.refusal == nil)
        #expect(recovered.trust.leastGeneration == 8)
        let below = verify(try manifest([(recovering, [publisher.root])], by: newSigner, 7), far.trust)
        #expect(below.refusal?.reason == .generation)
    }

    @Test func theBundleIsWhereTrustBegins() throws {
        let trust = verify(try manifest([(next, [publisher.root])], by: newSigner)).trust
        // The same app, or one that ships with keys on the way: what is known stays.
        #expect(ManifestTrust.current(trust, anchor: publisher.keySet) == trust)
        #expect(ManifestTrust.current(trust, anchor: next) == trust)
        // Other keys in the app: they count, and the generation goes on.
        let other = try Ed25519PrivateKey()
        var anchor = ManifestKeySet(
            version: 9, app: Publisher.app, root: try .of([other]), manifest: try .of([other]))
        let restarted = ManifestTrust.current(trust, anchor: anchor)
        #expect(restarted.keySet == anchor)
        #expect(restarted.leastGeneration == 7)
        anchor.generationFrom = 2
        #expect(ManifestTrust.current(trust, anchor: anchor).leastGeneration == 2)
        // And it is remembered whole.
        let stored = try JSONCoder.encode(trust)
        #expect(try JSONCoder.decode(ManifestTrust.self, from: stored) == trust)
    }

    @Test func hostileSetsOfKeysAreBounded() throws {
        var document = try publisher.manifest().document
        let many = JSONValue.array(Array(repeating: next.json, count: SignedManifest.maximumKeySetCount + 1))
        document = document.setting(larder: "keys", many)
        #expect(verify(SignedManifest(document)).refusal?.reason == .keys)
        for odd: JSONValue in [nil, "x", ["version": 2], ["version": 2, "app": "org.example.game"]] {
            #expect(verify(SignedManifest(document.setting(larder: "keys", [odd]))).refusal?.reason == .keys)
        }
    }
}

extension JSONValue {
    func setting(larder key: String, _ value: JSONValue) -> JSONValue {
        guard case .object(var members) = self, case .object(var larder)? = members["larder"] else { return self }
        larder[key] = value
        members["larder"] = .object(larder)
        return .object(members)
    }
}
