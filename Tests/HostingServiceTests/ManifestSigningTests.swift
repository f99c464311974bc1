// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import HostingModel
import HostingService
import Kit
import TestSupport
import Testing

/// Manifests that a host signs as it gives them out (G2).
@Suite(.timeLimit(.minutes(5))) struct ManifestSigningTests {
    private static let lifetime: Int64 = 10_000

    /// A host that signs, its key, and the clock that it looks at.
    private func withHost(
        on database: TestDatabase = .usual,
        _ body: (HostFixture, Ed25519PrivateKey, Locked<Timestamp>) async throws -> Void
    ) async throws {
        let key = try Ed25519PrivateKey()
        let now = Locked(Timestamp(seconds: (Timestamp.now.seconds / 5000 + 1) * 5000))
        try await HostFixture.with(
            on: database,
            {
                $0.manifestSigning = ManifestSigning(keys: [key], lifetime: Self.lifetime)
                $0.clock = { now.withLock { $0 } }
            }
        ) { try await body($0, key, now) }
    }

    private func anchor(_ key: Ed25519PrivateKey, app: String = HostFixture.bundleID) throws -> ManifestKeySet {
        let role = try ManifestKeyRole(keys: [key.publicKey])
        return ManifestKeySet(version: 1, app: app, root: role, manifest: role)
    }

    /// What a device makes of an answer.
    private func verdict(
        _ answer: Publisher.Answer, _ key: Ed25519PrivateKey, _ now: Locked<Timestamp>, _ trust: ManifestTrust? = nil,
        channel: String = "internalBeta"
    ) throws -> ManifestVerifier.Verdict {
        let verifier = ManifestVerifier(
            anchor: try anchor(key), platform: .linux, channel: channel, now: now.withLock { $0 })
        return verifier.verify(try SignedManifest(answer.body, source: "host"), remembered: trust)
    }

    private func generation(_ answer: Publisher.Answer) throws -> Int64 {
        try #require(try SignedManifest(answer.body, source: "host").publication).generation
    }

    @Test func devicesTakeWhatTheHostSigns() async throws {
        try await withHost { fixture, key, now in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let answer = try await pack.ask("")
            #expect(try verdict(answer, key, now).refusal == nil)
            #expect(try verdict(answer, key, now, channel: "appStore").refusal?.reason == .subject)
            #expect(try verdict(answer, try Ed25519PrivateKey(), now).refusal?.reason == .signature)
            let manifest = try DownloadManifest.decode(answer.body, source: "host", allowingPlainLoopback: true)
            try manifest.requireCoverage()
            #expect(manifest["Coast"]?.version == 1)
            // Asked again, it is the same to the byte.
            let tag = try #require(answer.headers["etag"])
            #expect(try await pack.ask("", headers: ["If-None-Match": tag]).status == 304)
        }
    }

    @Test func withoutAKeyNothingIsSigned() async throws {
        try await HostFixture.with { fixture in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            #expect(try await !SignedManifest(pack.ask("").body, source: "host").isSigned)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func theGenerationRisesWithEachChange(on database: TestDatabase) async throws {
        try await withHost(on: database) { fixture, key, now in
            let pack = try await StagedPack(fixture)
            var last: Int64 = -1
            var trust: ManifestTrust?
            func look(_ place: SourceLocation = #_sourceLocation) async throws {
                let answer = try await pack.ask("")
                let next = try generation(answer)
                #expect(next > last, sourceLocation: place)
                // Also past what a database from a backup may have forgotten.
                let time = now.withLock { $0.seconds }
                #expect(next >= time, sourceLocation: place)
                // The same until something changes, for every device and platform.
                for query in ["", "&device=\(StagedPack.device(1))", "&appVersion=2.0"] {
                    #expect(try await generation(pack.ask(query)) == next, sourceLocation: place)
                }
                let verdict = try verdict(answer, key, now, trust)
                #expect(verdict.refusal == nil, sourceLocation: place)
                (last, trust) = (next, verdict.trust)
            }
            try await look()
            try await pack.publish(1)
            try await look()
            let second = try await pack.publish(2)
            try await look()
            let rollout = try await pack.rollout(second, ["percentage": 10])
            try await look()
            try await pack.change(rollout, ["percentage": 50])
            try await look()
        }
    }

    /// A device that goes from one variant of a rollout to another is never refused.
    @Test func allVariantsOfARolloutAreTakenInAnyOrder() async throws {
        try await withHost { fixture, key, now in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let second = try await pack.publish(2)
            let rollout = try await pack.rollout(second, ["percentage": 50])
            var trust: ManifestTrust?
            var versions: Set<Int> = []
            for percentage in [50, 20, 80, 0, 100] {
                try await pack.change(rollout, ["percentage": .integer(Int64(percentage))])
                for number in 0..<12 {
                    let answer = try await pack.ask("&device=\(StagedPack.device(number))")
                    let verdict = try verdict(answer, key, now, trust)
                    #expect(verdict.refusal == nil)
                    trust = verdict.trust
                    let manifest = try DownloadManifest.decode(answer.body, source: "h", allowingPlainLoopback: true)
                    versions.insert(manifest["Coast"]?.version ?? 0)
                }
            }
            #expect(versions == [1, 2])
        }
    }

    @Test func itIsSignedAnewBeforeItExpires() async throws {
        try await withHost { fixture, key, now in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let first = try await pack.ask("")
            func wait(_ seconds: Int64) { now.withLock { $0.seconds += seconds } }
            wait(Self.lifetime / 2 - 1)
            #expect(try await pack.ask("").body == first.body)
            wait(1)
            let second = try await pack.ask("")
            #expect(second.body != first.body)
            #expect(try generation(second) == generation(first))
            wait(Self.lifetime / 2)
            #expect(try verdict(first, key, now).refusal?.reason == .expired)
            #expect(try verdict(second, key, now).refusal == nil)
        }
    }

    /// Whoever follows from another channel finds no lower number.
    @Test func channelsCountTogether() async throws {
        try await withHost { fixture, key, now in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let beta = try await pack.ask("")
            let store = try await fixture.publisher.send(
                "GET", "/devices/\(HostFixture.bundleID)/appStore/manifest?platform=Linux", token: .some(nil))
            #expect(try generation(store) == generation(beta))
            let trust = try verdict(beta, key, now).trust
            #expect(try verdict(store, key, now, trust, channel: "appStore").refusal == nil)
        }
    }

    @Test func setsOfKeysAreServedWithTheManifest() async throws {
        try await withHost { fixture, key, now in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let before = try await generation(pack.ask(""))
            // The app's first keys are others, and hand over to the host's.
            let first = try Ed25519PrivateKey()
            var next = try anchor(key)
            next.version = 2
            var carrier = SignedManifest(["assetPacks": []])
            try carrier.append(next, signedBy: [first, key])
            let administration = try await HostAdministration(fixture.configuration)
            #expect(
                try await administration.setManifestKeys(carrier.keySets, bundleID: HostFixture.bundleID) == 2)
            #expect(try await administration.manifestKeys(bundleID: HostFixture.bundleID) == carrier.keySets)
            await #expect(throws: HostingError.self) {
                try await administration.setManifestKeys([], bundleID: "com.example.none")
            }
            var foreign = SignedManifest(["assetPacks": []])
            try foreign.append(try anchor(key, app: "com.example.none"), signedBy: [key])
            await #expect(throws: ManifestRefusal.self) {
                try await administration.setManifestKeys(foreign.keySets, bundleID: HostFixture.bundleID)
            }
            await administration.close()
            let answer = try await eventually {
                let answer = try await pack.ask("")
                return try generation(answer) > before ? answer : nil
            }
            let verdict = try verdict(answer, first, now)
            #expect(verdict.refusal == nil)
            #expect(verdict.trust.keySet.version == 2)
        }
    }
}
