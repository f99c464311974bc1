// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import System
import TestSupport
import Testing

@testable import AssetPacks

/// What a device believes, as a pure decision; DeviceServiceTests tries the same on a whole service.
@Suite struct ManifestVerifierTests {
    private static let fixtures = FilePath(#filePath).removingLastComponent().removingLastComponent()
        .appending("Fixtures").appending("SignedManifest")

    private func fixture(_ name: String) throws -> [UInt8] { try File.read(Self.fixtures.appending(name)) }

    /// A manifest that another program signed, after a change of keys.
    @Test func whatAnotherProgramSignedIsUnderstood() throws {
        let old = try Ed25519PrivateKey(pem: fixture("old.pem"))
        let manifest = try SignedManifest(fixture("manifest.json"), source: "manifest.json")
        #expect(try manifest.message == fixture("manifest.message"))
        #expect(try ManifestKeySet.message(manifest.keySets[0]) == fixture("keys.message"))
        let anchor = ManifestKeySet(
            version: 1, app: "org.example.game", root: try .of([old]), manifest: try .of([old]))
        let time = try #require(Timestamp(rfc3339: "2026-01-20T00:00:00Z"))
        let verifier = ManifestVerifier(anchor: anchor, platform: .linux, channel: nil, now: time)
        let verdict = verifier.verify(manifest, remembered: nil)
        #expect(verdict.refusal == nil)
        #expect(verdict.trust.keySet.version == 2)
        #expect(verdict.trust.leastGeneration == 7)
        // Ed25519 leaves nothing to chance: here the same signature is made.
        var again = manifest
        again.removeSignatures()
        try again.addSignatures(of: [try Ed25519PrivateKey(pem: fixture("new.pem"))])
        #expect(try again.signatures == manifest.signatures)
    }

    @Test func aGoodManifestIsBelievedInAnyOrderOfItsMembers() throws {
        let publisher = try Publisher()
        let manifest = try publisher.manifest()
        for style in [JSONValue.Style.compact, .pretty] {
            let read = try SignedManifest(Array(manifest.document.serialized(style).utf8), source: "m.json")
            let verdict = publisher.verifier.verify(read, remembered: nil)
            #expect(verdict.refusal == nil)
            #expect(verdict.trust.leastGeneration == 7)
        }
    }

    /// Whichever byte changes: the manifest is refused, or it says exactly the same.
    @Test func anyChangedByteIsRefused() throws {
        let publisher = try Publisher()
        let manifest = try publisher.manifest()
        let good = Array(manifest.document.serialized(.pretty).utf8)
        var random = SeededGenerator.forTest()
        var refused = 0
        for index in good.indices {
            var bytes = good
            bytes[index] ^= UInt8(1 << Int.random(in: 0...7, using: &random))
            guard let changed = try? SignedManifest(bytes, source: "m.json") else {
                refused += 1
                continue
            }
            if publisher.verifier.verify(changed, remembered: nil).refusal != nil {
                refused += 1
            } else {
                #expect(try changed.message == manifest.message, "byte \(index)")
            }
        }
        #expect(refused > good.count / 2)
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        var name: String
        var reason: ManifestRefusal.Reason
        var change: @Sendable (inout ManifestPublication) -> Void
        var testDescription: String { name }
    }

    @Test(arguments: [
        Wrong(name: "another app", reason: .subject) { $0.app = "org.example.other" },
        Wrong(name: "another platform", reason: .subject) { $0.platforms = ["iOS", "macOS"] },
        Wrong(name: "over", reason: .expired) { $0.expires = Publisher.now },
        Wrong(name: "from the future", reason: .clock) { $0.signed.seconds += 2 * 86_400 },
        Wrong(name: "an older generation", reason: .generation) { $0.generation = 4 },
    ])
    func whatDoesNotFitIsRefused(_ wrong: Wrong) throws {
        let publisher = try Publisher()
        var remembered = ManifestTrust(anchor: publisher.keySet)
        remembered.leastGeneration = 5
        let verdict = publisher.verifier.verify(try publisher.manifest(7, wrong.change), remembered: remembered)
        #expect(verdict.refusal?.reason == wrong.reason)
        #expect(verdict.trust == remembered)
        #expect(verdict.refusal?.message.contains(Publisher.app) == true)
    }

    @Test func noGenerationIsAdvisedThatNobodyCanSign() throws {
        let publisher = try Publisher()
        var remembered = ManifestTrust(anchor: publisher.keySet)
        remembered.leastGeneration = CanonicalJSON.largestInteger
        let message = publisher.verifier.verify(try publisher.manifest(8), remembered: remembered).refusal?.message
        #expect(message?.contains("sign --generation") == false)
        #expect(message?.contains("`ba-package keys rotate --generation-from`") == true)
        remembered.leastGeneration = 9
        let low = publisher.verifier.verify(try publisher.manifest(8), remembered: remembered).refusal?.message
        #expect(low?.contains("`ba-package sign --generation 10`") == true)
    }

    @Test func theGenerationThatWasSeenIsTakenAgain() throws {
        let publisher = try Publisher()
        var trust: ManifestTrust?
        for generation: Int64 in [3, 3, 9] {
            let verdict = publisher.verifier.verify(try publisher.manifest(generation), remembered: trust)
            #expect(verdict.refusal == nil)
            trust = verdict.trust
        }
        #expect(trust?.leastGeneration == 9)
        #expect(publisher.verifier.verify(try publisher.manifest(8), remembered: trust).refusal?.reason == .generation)
    }

    /// An update of the app may ask for later generations with the keys that it had, but never for earlier ones.
    @Test(arguments: [(4 as Int64, 5 as Int64), (8, 8)])
    func theSameKeysMayBeginLater(from: Int64, least: Int64) throws {
        let publisher = try Publisher()
        var remembered = ManifestTrust(anchor: publisher.keySet)
        remembered.leastGeneration = 5
        var anchor = publisher.keySet
        anchor.generationFrom = from
        #expect(ManifestTrust.current(remembered, anchor: anchor).leastGeneration == least)
    }

    @Test func theChannelIsTheOneThatTheAppFollows() throws {
        let publisher = try Publisher()
        var verifier = publisher.verifier
        verifier.channel = "appStore"
        #expect(verifier.verify(try publisher.manifest(), remembered: nil).refusal?.reason == .subject)
        let beta = try publisher.manifest { $0.channel = "internalBeta" }
        #expect(verifier.verify(beta, remembered: nil).refusal?.reason == .subject)
        let right = try publisher.manifest { $0.channel = "appStore" }
        #expect(verifier.verify(right, remembered: nil).refusal == nil)
    }

    @Test func enoughDifferentKeysHaveToSign() throws {
        var publisher = try Publisher()
        let (second, stranger) = (try Ed25519PrivateKey(), try Ed25519PrivateKey())
        publisher.keySet.manifest = try .of([publisher.signer, second], threshold: 2)
        let verifier = publisher.verifier
        func reason(_ keys: [Ed25519PrivateKey]) throws -> ManifestRefusal.Reason? {
            verifier.verify(try publisher.manifest(by: keys), remembered: nil).refusal?.reason
        }
        #expect(try reason([publisher.signer]) == .signature)
        // One key that signs twice is one key.
        var twice = try publisher.manifest()
        let signature = try #require(try twice.signatures.first)
        twice = SignedManifest(twice.document.setting(signatures: [signature, signature]))
        #expect(verifier.verify(twice, remembered: nil).refusal?.reason == .signature)
        #expect(try reason([publisher.signer, stranger, publisher.root]) == .signature)
        #expect(try reason([stranger, second, publisher.signer]) == nil)
        var later = try publisher.manifest()
        try later.addSignatures(of: [second])
        #expect(verifier.verify(later, remembered: nil).refusal == nil)
    }

    @Test func withoutSignaturesItIsSaid() throws {
        let publisher = try Publisher()
        let plain = SignedManifest(Publisher.content)
        #expect(publisher.verifier.verify(plain, remembered: nil).refusal?.reason == .unsigned)
        var stripped = try publisher.manifest()
        stripped.removeSignatures()
        #expect(publisher.verifier.verify(stripped, remembered: nil).refusal?.reason == .unsigned)
        let empty = SignedManifest(stripped.document.setting(signatures: []))
        #expect(publisher.verifier.verify(empty, remembered: nil).refusal?.reason == .signature)
    }
}

extension JSONValue {
    func setting(signatures: [ManifestSignature]) -> JSONValue {
        guard case .object(var members) = self, case .object(var larder)? = members["larder"] else { return self }
        larder["signatures"] = .array(signatures.map(\.json))
        members["larder"] = .object(larder)
        return .object(members)
    }
}
