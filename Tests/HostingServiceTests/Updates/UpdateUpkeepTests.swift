// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import HostingModel
import Kit
import System
import TestSupport
import Testing

@testable import Database
@testable import HostingService

/// How files for updates come after an upgrade and other settings, and how they go (G1, E3).
@Suite(.timeLimit(.minutes(5))) struct UpdateUpkeepTests {
    /// A host that begins to make them makes those of what is live.
    @Test func whatIsLiveGetsThemWhenAHostBeginsToMakeThem() async throws {
        try await HostFixture.with({ $0.limits.patchesFrom = 0 }) { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...3 { try await pack.publish() }
            #expect(try await pack.states(3) == [nil: .listed])
            // As if the versions came from a host that made no indexes.
            let store = try await fixture.configuration.openDatabase()
            try await store.write { store in
                try store.execute(#"DELETE FROM "updateFiles""#)
                try store.execute(#"DELETE FROM "settings" WHERE "name" = 'patchesFrom'"#)
            }
            await store.close()
            #expect(try await pack.entry().index == nil)
            var configuration = fixture.configuration
            configuration.limits.patchesFrom = 2
            let host = try await Host(configuration)
            let info = try await pack.entry(patches: 2)
            #expect(info.patches.map(\.from) == [2, 1])
            for number in 1...2 { try await pack.expectPatchGives(info, from: number) }
            await host.stop()
        }
    }

    /// A host without the library that patches are made with leaves them to be made when it is there.
    @Test func whatThereIsNoLibraryForIsMadeWhenThereIs() async throws {
        let searches = Locked(0)
        try await HostFixture.with({
            $0.findPatchLibrary = {
                searches.withLock { $0 += 1 }
                throw KitError(.path, "There is none.")
            }
        }) { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...2 { try await pack.publish() }
            let store = try await fixture.configuration.openDatabase()
            let id = try #require(pack.versions[2])
            // Put off more often than a file is begun.
            for _ in 0...UpdateSteps.attempts {
                let before = searches.withLock { $0 }
                _ = try await eventually {
                    try await store.write { try $0.execute(#"UPDATE "jobs" SET "due" = 0"#) }
                    return searches.withLock { $0 } > before ? true : nil
                }
            }
            let files = try await store.read { try $0.updateFiles(of: [id])[id] ?? [] }
            #expect(files.map(\.state) == [.listed] && files.first?.base == nil)
            await store.close()
            await fixture.host.stop()

            var configuration = HostConfiguration(data: fixture.configuration.data)
            configuration.host = fixture.configuration.host
            configuration.port = fixture.host.port
            configuration.postgres = fixture.configuration.postgres
            configuration.clock = { Timestamp(seconds: Timestamp.now.seconds + 60) }
            let host = try await Host(configuration)
            #expect(try await pack.states(2) == [nil: .listed, 1: .listed])
            await host.stop()
        }
    }

    @Test func anArchivedPackGetsNoneUntilItComesBack() async throws {
        try await HostFixture.with { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...2 { try await pack.publish() }
            let list = try await pack.entry(patches: 1).patches[0].list
            let store = try await fixture.configuration.openDatabase()
            func archive(_ isArchived: Bool) async throws {
                let answer = try await fixture.publisher.send(
                    "PATCH", "/v1/backgroundAssets/\(pack.staged.pack)",
                    Publisher.document(
                        .backgroundAssets, id: pack.staged.pack, ["archived": .bool(isArchived)]))
                try #require(answer.status == 200)
            }
            func needed() async throws -> Int { try await store.read { try ArchiveNeeds(in: $0).digests.count } }
            // Two archives with their indexes, and the patch, with its list if there is one.
            let all = list == nil ? 5 : 6
            #expect(try await needed() == all)
            try await archive(true)
            #expect(try await needed() == 4)
            let patch = try #require(
                try await store.read { try $0.storedUpdateFiles().first { $0.base != nil }?.stored?.digest.hex })
            // A sweep notes it.
            #expect(try await store.write { try $0.retireUpdateFile(patch) })
            try await archive(false)
            #expect(try await needed() == all)
            _ = try await pack.entry(patches: 1)
            await store.close()
        }
    }

    /// A patch that serves nobody any more is told of no longer at once, and goes after the grace, with what it takes in the
    /// quota.
    @Test(arguments: TestStorage.allCases)
    func patchesFromEarlierVersionsGo(storage: TestStorage) async throws {
        try await HostFixture.with(in: storage, { $0.limits.patchesFrom = 1 }) { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...2 { try await pack.publish() }
            let old = try await pack.entry(patches: 1).patches[0]
            func sweep(after days: Int64) async throws -> [SweepPlan.Action] {
                try await fixture.sweep(after: days).actions.filter { action in
                    if case .discard = action { false } else { true }
                }
            }
            #expect(try await sweep(after: 30).isEmpty)
            // The second is the live one of no channel any more, yet no other version of the channel is one's base.
            try await pack.publish()
            #expect(try await pack.entry(patches: 1).patches.map(\.from) == [2])
            // The index is so small that a list is not always worth it.
            let files = [old.file, old.list].compactMap(\.self).map { file in
                SweepPlan.Archive(digest: String(file.url.split(separator: "/").last ?? ""), size: file.size)
            }
            #expect(Set(try await sweep(after: 0)) == Set(files.map { .mark($0) }))
            #expect(try await pack.states(2) == [nil: .listed, 1: .retired])
            #expect(try await fixture.publisher.fetch(old.file.url).status == 200)
            #expect(Set(try await sweep(after: 8)) == Set(files.map { .remove($0) }))
            #expect(try await pack.states(2) == [nil: .listed])
            #expect(try await sweep(after: 30).isEmpty)
        }
    }

    /// The file of a host that ended in the middle is begun again, but not for ever.
    @Test func whatEndsHostsIsGivenUp() async throws {
        try await HostFixture.with { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...2 { try await pack.publish() }
            _ = try await pack.entry(patches: 1)
            let store = try await fixture.configuration.openDatabase()
            try await store.write { [id = pack.versions[2] ?? ""] store in
                try store.execute(#"UPDATE "updateFiles" SET "state" = 'PENDING', "attempts" = 3 WHERE "base" <> ''"#)
                try store.add(Job(kind: .prepareUpdates, subject: id))
            }
            await store.close()
            let states: [Int64?: UpdateFile.State] = try await eventually {
                let states = try await pack.states(2)
                return states[1] == .pending ? nil : states
            }
            #expect(states == [nil: .listed, 1: .failed])
            #expect(try await pack.entry().patches.isEmpty)
        }
    }

    @Test func aBackupHasThem() async throws {
        try await HostFixture.with(on: .sqlite) { fixture in
            var pack = try await UpdatedPack(fixture)
            for _ in 1...2 { try await pack.publish() }
            let info = try await pack.entry(patches: 1)
            let folder = fixture.scratch("backup")
            _ = try await HostBackup(data: fixture.scratch("data")).copy(to: folder)
            for file in [try #require(info.index), info.patches[0].file] {
                let digest = file.url.split(separator: "/").last ?? ""
                let copy = try File.read(folder.appending("archives/\(digest.prefix(2))/\(digest)"))
                #expect(SHA256.hash(copy).hex == file.sha256)
            }
            #expect(!FileDescriptor.currentDirectory.exists(at: folder.appending("workshop")))
        }
    }

    @Test func theSettingIsNoted() throws {
        var limits = HostLimits()
        try limits.set("patches-from=0")
        #expect(limits.patchesFrom == 0)
        try limits.set("patches-from=16")
        try limits.set("patch-time=60")
        #expect(limits.patchTime == 60)
        for wrong in ["patches-from=17", "patches-from=-1", "patches-from=many", "patch-time=0"] {
            #expect(throws: UsageError.self) { try limits.set(wrong) }
        }
    }
}
