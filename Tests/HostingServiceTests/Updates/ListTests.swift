// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import HostingModel
import Kit
import PackUpdates
import TestSupport
import Testing

@testable import Database
@testable import HostingService

/// Lists that a host makes with its patches, for packs whose index is large.
@Suite(.timeLimit(.minutes(5))) struct ListTests {
    @Test(arguments: TestStorage.allCases)
    func aListComesAndGoesWithItsPatch(storage: TestStorage) async throws {
        try await HostFixture.with(in: storage, { $0.limits.patchesFrom = 1 }) { fixture in
            var pack = try await UpdatedPack(fixture, others: 200)
            for _ in 1...2 { try await pack.publish() }
            let info = try await pack.entry(patches: 1)
            let (index, patch) = (try #require(info.index), info.patches[0])
            let list = try #require(patch.list)
            #expect(list.size < index.size / 10, "\(list.size) of \(index.size)")
            // A device that has the files of the first version learns those of the second.
            var files = pack.others.map {
                PackListBase.File(path: "more/\($0)", size: Int64($1.count), digest: SHA256.hash($1))
            }
            let content = try #require(pack.contents[1])
            files.append(.init(path: "data.bin", size: Int64(content.count), digest: SHA256.hash(content)))
            let whole = try PackIndex(decoding: try await pack.fetch(index))
            let listed = try PackList.read(
                try await pack.fetch(list), forIndex: try #require(Digest(hex: index.sha256)),
                base: try #require(PackListBase(files: files)), archiveSize: whole.archive.size,
                digest: whole.archive.digest)
            let unnamed = try #require(listed.unnamed)
            #expect(unnamed.contents.count == 1 && unnamed.fits { whole.contents[$0].digest })
            let different = whole.contents.indices.filter { listed.contents[$0].digest != whole.contents[$0].digest }
            #expect(listed.contents.map(\.size) == whole.contents.map(\.size))
            #expect(Set(different).subtracting(whole.manifestContents) == Set(unnamed.contents))
            #expect(listed.entries.map(\.path) == whole.entries.map(\.path))

            // It counts, and is kept: two archives with their indexes, patch and list.
            let store = try await fixture.configuration.openDatabase()
            #expect(try await store.read { try ArchiveNeeds(in: $0).digests.count } == 6)
            let sizes = try await store.read { store in
                try store.storedUpdateFiles().reduce(0) { $0 + ($1.stored?.size ?? 0) + ($1.list?.size ?? 0) }
            }
            let used = try await store.read { try $0.usedBytes(ofApp: fixture.appID) }
            #expect(used == Int64(pack.archives[2]?.count ?? 0) + sizes)
            await store.close()

            func sweep(after days: Int64) async throws -> Set<String> {
                Set(
                    try await fixture.sweep(after: days).actions.compactMap { action in
                        switch action {
                        case .mark(let archive), .remove(let archive): archive.digest
                        default: nil
                        }
                    })
            }
            #expect(try await sweep(after: 30).isEmpty)
            try await pack.publish()
            #expect(try await pack.entry(patches: 1).patches.map(\.from) == [2])
            let both = Set([patch.file.url, list.url].map { String($0.split(separator: "/").last ?? "") })
            #expect(try await sweep(after: 0) == both)
            #expect(try await pack.states(2) == [nil: .listed, 1: .retired])
            #expect(try await fixture.publisher.fetch(list.url).status == 200)
            #expect(try await sweep(after: 8) == both)
            #expect(try await pack.states(2) == [nil: .listed])
            #expect(try await sweep(after: 30).isEmpty)
        }
    }

    /// What the list saves of the index counts for the patch.
    @Test func aPatchThatSavesTheIndexIsWorthIt() throws {
        try Scratch.with { scratch in
            var generator = SeededGenerator.forTest()
            var files: [String: [UInt8]] = [:]
            for number in 0..<300 { files["\(number)"] = generator.bytes(300) }
            let old = try PatchVersion(archive: scratch.archive("Coast", content: [1], more: files))
            files["7"] = generator.bytes(300)
            let new = try PatchVersion(archive: scratch.archive("Coast", content: [1], more: files))
            let plain = PatchWorth(from: old.index, to: new.index)
            let worth = PatchWorth(from: old.index, to: new.index, savedByList: 200_000)
            #expect(worth.costWithout == plain.costWithout + 200_000)
            #expect(worth.seemsUnrelated == plain.seemsUnrelated)
            #expect(!plain.isWorthwhile(size: 100_000) && worth.isWorthwhile(size: 100_000))
        }
    }
}
