// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Crypto
import HTTP
import HostingModel
import Kit
import System
import TestSupport
import Testing

@testable import Database
@testable import HostingService

/// Indexes and patches that a host makes, and what devices are told of them (G1).
@Suite(.timeLimit(.minutes(5))) struct UpdateTests {
    @Test(arguments: TestStorage.allCases)
    func aDeviceIsToldOfIndexAndPatches(storage: TestStorage) async throws {
        try await HostFixture.with(in: storage) { fixture in
            var pack = try await UpdatedPack(fixture)
            try await pack.publish()
            let first = try await pack.entry()
            #expect(first.index != nil)
            #expect(first.patches.isEmpty)
            for number in 2...5 {
                try await pack.publish()
                _ = try await pack.entry(patches: min(3, number - 1))
            }
            let info = try await pack.entry(patches: 3)
            #expect(info.patches.map(\.from) == [4, 3, 2])
            for number in 2...4 { try await pack.expectPatchGives(info, from: number) }
            // What a publisher reads of packs and versions is as it was.
            let version = try await fixture.publisher.send(
                "GET", "/v1/backgroundAssetVersions/\(try #require(pack.versions[5]))")
            #expect(try version.json["data"]?["attributes"]?["stateDetails"]?["warnings"]?.arrayValue?.isEmpty == true)
        }
    }

    @Test func filesForUpdatesNeverChangeAndSaySo() async throws {
        try await HostFixture.with(in: .folder) { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...2 { try await pack.publish() }
            let info = try await pack.entry(patches: 1)
            for file in [try #require(info.index), info.patches[0].file] {
                let answer = try await fixture.publisher.send("GET", file.url, token: .some(nil))
                #expect(answer.headers["cache-control"] == "public, max-age=31536000, immutable")
                #expect(answer.headers["accept-ranges"] == "bytes")
                let part = try await fixture.publisher.send(
                    "GET", file.url, headers: ["Range": "bytes=3-9"], token: .some(nil))
                #expect(part.status == 206)
                #expect(part.body == Array(answer.body[3...9]))
            }
        }
    }

    @Test func theirAddressesAreSignedAndExpireAsThoseOfArchivesDo() async throws {
        let now = Locked(Timestamp.now)
        try await HostFixture.with({
            $0.archiveLifetime = 1000
            $0.clock = { now.withLock { $0 } }
        }) { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...2 { try await pack.publish() }
            let info = try await pack.entry(patches: 1)
            try await pack.expectPatchGives(info, from: 1)
            now.withLock { $0 = Timestamp(seconds: $0.seconds + 2000) }
            for url in [try #require(info.index).url, info.patches[0].file.url] {
                #expect(url.contains("&signature="))
                let plain = String(url.prefix { $0 != "?" })
                #expect(try await fixture.publisher.send("GET", plain, token: .some(nil)).status == 403)
                let late = try await fixture.publisher.send("GET", url, token: .some(nil))
                #expect(late.code == "FORBIDDEN_ERROR.ADDRESS_EXPIRED")
            }
            try await pack.expectPatchGives(try await pack.entry(), from: 1)
        }
    }

    /// A patch that comes later makes another manifest, which counts as newer.
    @Test(arguments: TestDatabase.allCases)
    func aSignedManifestCoversThem(on database: TestDatabase) async throws {
        let key = try Ed25519PrivateKey()
        try await HostFixture.with(on: database, { $0.manifestSigning = ManifestSigning(keys: [key]) }) { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...2 { try await pack.publish() }
            _ = try await pack.entry(patches: 1)
            let role = try ManifestKeyRole(keys: [key.publicKey])
            let anchor = ManifestKeySet(version: 1, app: HostFixture.bundleID, root: role, manifest: role)
            func verdict(_ bytes: [UInt8], _ trust: ManifestTrust?) throws -> ManifestVerifier.Verdict {
                ManifestVerifier(anchor: anchor, platform: .linux, channel: "internalBeta", now: .now)
                    .verify(try SignedManifest(bytes, source: "host"), remembered: trust)
            }
            let before = try await pack.staged.ask("").body
            let trust = try verdict(before, nil)
            #expect(trust.refusal == nil)
            let text = String(decoding: before, as: UTF8.self)
            let info = try await pack.entry()
            for digest in [try #require(info.index).sha256, info.patches[0].file.sha256] {
                let forged = text.replacing(digest, with: String(repeating: "0", count: 64))
                #expect(try verdict(Array(forged.utf8), nil).refusal?.reason == .signature)
            }
            try await pack.publish()
            _ = try await pack.entry(patches: 2)
            let after = try await pack.staged.ask("").body
            #expect(try verdict(after, trust.trust).refusal == nil)
            let generations = try [before, after].map {
                try #require(try SignedManifest($0, source: "host").publication).generation
            }
            #expect(generations[1] > generations[0])
        }
    }

    @Test func anArchiveThatCanHaveNoIndexSaysWhy() async throws {
        try await HostFixture.with { fixture in
            let scratch = fixture.scratch
            try scratch.write([1, 2, 3], to: "bare/data.bin")
            let manifest = try scratch.write(
                """
                {"assetPackID": "Coast", "downloadPolicy": {"onDemand": {}}, "fileSelectors": [{"file": "data.bin"}],
                 "platforms": []}
                """, to: "bare.json")
            var packager = Packager(
                try PackEvaluation(PackManifest(contentsOf: manifest), sourceDirectory: scratch("bare")))
            packager.compression = .none
            _ = try packager.package(to: scratch("bare.aar"))
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let version = try await fixture.publisher.publish(File.read(scratch("bare.aar")), to: pack)
            #expect(version["attributes"]?["state"] == "COMPLETE")
            let warnings = version["attributes"]?["stateDetails"]?["warnings"]?.arrayValue ?? []
            #expect(warnings.map { $0["code"]?.stringValue } == ["ASSET_PACK_WITHOUT_INDEX"])
            #expect(warnings.first?["description"]?.stringValue?.contains("devices fetch it whole") == true)
            let manifestAnswer = try await fixture.ask(.internalBeta, "manifest")
            let entry = try DownloadManifest.decode(
                manifestAnswer.body, source: "host", allowingPlainLoopback: true)["Coast"]
            #expect(entry?.larder?.index == nil)
        }
    }

    /// Devices with what was taken back get a patch to what they go back to, and one to it again when it goes on.
    @Test(arguments: TestDatabase.allCases)
    func aPatchLeadsBackFromWhatWasRolledBack(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...2 { try await pack.publish() }
            _ = try await pack.entry(patches: 1)
            let rollout = try await pack.staged.rollout(try #require(pack.versions[2]), ["percentage": 100])
            #expect(try await pack.staged.change(rollout, ["state": "ROLLED_BACK"]).status == 200)
            #expect(try await pack.staged.offered("") == 1)
            let back = try await pack.entry(patches: 1)
            #expect(back.patches.map(\.from) == [2])
            try await pack.expectPatchGives(back, from: 2, to: 1)
            #expect(try await pack.staged.change(rollout, ["state": "ACTIVE"]).status == 200)
            try await pack.expectPatchGives(try await pack.entry(patches: 1), from: 1)
        }
    }

    @Test func aPatchThatSavesLittleIsNotKept() async throws {
        try await HostFixture.with { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...2 { try await pack.publish(size: 5000) }
            #expect(try await pack.states(2) == [nil: .listed, 1: .notSmaller])
            #expect(try await pack.entry().patches.isEmpty)
        }
    }

    @Test func aPatchThatTakesTooLongIsNotMade() async throws {
        try await HostFixture.with({ $0.limits.patchTime = 0 }) { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...2 { try await pack.publish() }
            #expect(try await pack.states(2) == [nil: .listed, 1: .tooSlow])
        }
    }

    @Test func aPatchCountsAgainstTheQuotaAndKeepsToIt() async throws {
        try await HostFixture.with({ $0.limits.bytesPerApp = 1_300_000 }) { fixture in
            var pack = try await UpdatedPack(fixture)
            try await pack.publish()
            let store = try await fixture.configuration.openDatabase()
            let used = try await store.read { try $0.usedBytes(ofApp: fixture.appID) }
            let index = try #require(try await pack.entry().index)
            #expect(used == Int64(pack.archives[1]?.count ?? 0) + index.size)
            // Somebody else's pack takes what was left.
            let other = try await fixture.publisher.pack("Other", app: fixture.appID)
            try await pack.publish()
            _ = try await pack.entry(patches: 1)
            let now = try await store.read { try $0.usedBytes(ofApp: fixture.appID) }
            let sizes = try await store.read { store in
                try store.storedUpdateFiles().flatMap { [$0.stored, $0.list].compactMap { $0?.size } }
            }
            #expect(now == Int64(pack.archives[2]?.count ?? 0) + sizes.reduce(0, +))
            let answer = try await fixture.publisher.send(
                "POST", "/v1/backgroundAssetUploadFiles",
                Publisher.document(
                    .backgroundAssetUploadFiles, id: nil,
                    ["assetType": "ASSET", "fileName": "a.aar", "fileSize": .integer(1_300_001 - now)],
                    [
                        "backgroundAssetVersion":
                            (.backgroundAssetVersions, try await fixture.publisher.version(of: other))
                    ]))
            #expect(answer.code == "STATE_ERROR.LIMIT_REACHED")
            await store.close()
        }
    }

    @Test func withoutRoomInTheQuotaThereIsNoPatch() async throws {
        // The archive and its upload just fit.
        try await HostFixture.with({ $0.limits.bytesPerApp = 1_201_600 }) { fixture in
            var pack = try await UpdatedPack(fixture)
            try await pack.publish()
            let size = pack.archives[1]?.count ?? 0
            let index = try #require(try await pack.entry().index).size
            try #require(Int64(2 * size) + index <= 1_201_600)
            let store = try await fixture.configuration.openDatabase()
            // What else there is of the app leaves less than a patch takes.
            try await pack.publish()
            try await store.write { [id = pack.versions[2] ?? ""] store in
                try store.execute(#"UPDATE "backgroundAssets" SET "usedBytes" = 1201600"#)
                try store.execute(#"DELETE FROM "updateFiles" WHERE "base" <> ''"#)
                try store.add(Job(kind: .prepareUpdates, subject: id))
            }
            let states: [Int64?: UpdateFile.State] = try await eventually {
                let states = try await pack.states(2)
                return states[1] == nil ? nil : states
            }
            #expect(states == [nil: .listed, 1: .noRoom])
            // When there is room, what a host's start or a sweep adds makes it.
            try await store.write { store in
                try store.execute(#"UPDATE "backgroundAssets" SET "usedBytes" = 600000"#)
                try store.prepareUpdatesWithoutRoom()
            }
            #expect(try await pack.states(2) == [nil: .listed, 1: .listed])
            await store.close()
        }
    }

    @Test func figuresTellOfThem() async throws {
        try await HostFixture.with { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...2 { try await pack.publish() }
            let patch = try await pack.entry(patches: 1).patches[0]
            let size = patch.file.size + (patch.list?.size ?? 0)
            _ = try await pack.states(2)
            let answer = try await fixture.publisher.send("GET", "/metrics", token: .some(nil))
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.contains("larder_host_patches_total{outcome=\"made\"} 1\n"))
            #expect(text.contains("larder_host_patch_seconds_total{outcome=\"made\"} "))
            #expect(text.contains("larder_host_update_files{kind=\"index\",state=\"listed\"} 2\n"))
            #expect(
                text.contains(
                    "larder_host_update_bytes{kind=\"patch\",state=\"listed\"} \(size)\n"))
        }
    }
}
