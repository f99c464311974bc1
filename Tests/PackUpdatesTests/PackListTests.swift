// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Deltas
import Kit
import System
import TestSupport
import Testing

@testable import PackUpdates

@Suite struct PackListTests {
    /// Many small files, of which a few change, one moves, one goes, and one stands twice.
    private static func versions(_ random: inout SeededGenerator, count: Int = 300) -> (
        old: [String: [UInt8]], new: [String: [UInt8]]
    ) {
        var old: [String: [UInt8]] = [:]
        for number in 0..<count { old["d\(number % 7)/file \(number)"] = random.bytes(40 + number % 50) }
        old["twice/a"] = old["d0/file 0"]
        var new = old
        for number in stride(from: 0, to: count, by: 50) {
            new["d\(number % 7)/file \(number)"] = random.bytes(30)
        }
        new["moved/here"] = new.removeValue(forKey: "d3/file 3")
        new["d2/file 2"] = nil
        new["twice/b"] = new["d1/file 1"]
        new["empty"] = []
        return (old, new)
    }

    private static func files(_ files: [String: [UInt8]]) -> [PackListBase.File] {
        files.map { .init(path: $0, size: Int64($1.count), digest: SHA256.hash($1)) }
    }

    /// Contents and entries, without where they lie.
    private static func expect(_ found: PackIndex, is index: PackIndex) {
        let unnamed = Set(found.unnamed?.contents ?? []).union(index.manifestContents)
        for number in index.contents.indices {
            let isSame = found.contents[number].digest == index.contents[number].digest
            #expect(isSame != unnamed.contains(number))
        }
        #expect(found.unnamed?.fits { index.contents[$0].digest } == true)
        #expect(found.contents.map(\.size) == index.contents.map(\.size))
        #expect(found.entries.map(\.path) == index.entries.map(\.path))
        #expect(found.archive.size == index.archive.size && found.archive.digest == index.archive.digest)
        for (entry, other) in zip(found.entries, index.entries) {
            switch (entry.kind, other.kind) {
            case (.file(let content, _, let isExecutable), .file(let other, _, let isOther)):
                #expect(content == other && isExecutable == isOther)
            default: #expect(entry.kind == other.kind)
            }
        }
        #expect(!found.archive.hasBlocks && found.chunks.isEmpty && found.installedSize == index.installedSize)
    }

    private func read(_ list: [UInt8], _ pack: PatchedPack, base: PackListBase? = nil) throws -> PackIndex {
        let base = try base ?? #require(PackListBase(of: pack.old.index))
        let archive = pack.new.index.archive
        return try PackList.read(
            list, forIndex: pack.new.indexDigest, base: base, archiveSize: archive.size, digest: archive.digest)
    }

    @Test func tellsTheFilesToWhoHasTheOldOnes() throws {
        try Scratch.with { scratch in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            let pack = try PatchedPack(scratch, from: old, to: new)
            let list = try #require(try PackList.make(from: pack.old.index, to: pack.new))
            // Of what the patch gives one digest, and little else.
            #expect(list.count < 450 && pack.new.indexSize > 10_000, "\(list.count) for \(pack.new.indexSize)")
            #expect(list == (try PackList.make(from: pack.old.index, to: pack.new)))
            Self.expect(try read(list, pack), is: pack.new.index)
            // A device knows the files, in any order.
            let base = try #require(PackListBase(files: Self.files(old).shuffled(using: &random)))
            Self.expect(try read(list, pack, base: base), is: pack.new.index)

            // With what it tells, the patch is planned and applied, and nothing else can be.
            let index = try read(list, pack)
            #expect(index.unnamed?.contents == pack.changed.sorted())
            let last = try #require(pack.changed.max())
            #expect(index.unnamed?.fits { $0 == last ? nil : pack.new.index.contents[$0].digest } == false)
            #expect(index.unnamed?.fits { pack.new.index.contents[$0 == last ? 0 : $0].digest } == false)
            var local = LocalContents(for: index)
            local.add(pack.old.index, as: 0)
            let complete = UpdateFacts.Progress(complete: index.manifestContents)
            var facts = UpdateFacts(ranges: .expected, progress: complete)
            #expect(UpdatePlanner(target: index, local: local, facts: facts).plan().method == .whole)
            _ = try pack.patch()
            facts.patches = [try PatchTable.facts(scratch("X.patch"), from: pack.old, to: pack.new)]
            let costs = UpdateFacts.Costs(request: 0, part: 0)
            (facts.costs, facts.ranges) = (costs, .single)
            let plan = try #require(UpdatePlanner(target: index, local: local, facts: facts).patchPlan(0))
            #expect(plan.method == .patch && plan.blocks.isEmpty)
            #expect(plan.actions?.count == index.contents.count)
        }
    }

    /// What an update costs by a patch with a list, and by blocks, for which the index comes.
    @Test func aDifferenceCountsTheListForThePatch() throws {
        var random = SeededGenerator.forTest()
        let (old, new) = Self.versions(&random)
        let (before, after) = (try ModelPack(old).index, try ModelPack(new).index)
        let changed = after.contents.indices.filter { number in
            after.contents[number].size > 0
                && !before.contents.contains { $0.digest == after.contents[number].digest }
        }
        let patch = UpdateFacts.Patch(
            size: 590, groups: [.init(targets: changed, isUsable: true, range: 90..<590)])
        func difference(_ list: Int64?) -> PackDifference {
            PackDifference(
                from: before, to: after, indexSize: 12_000, patch: patch, listSize: list,
                costs: .init(request: 0, part: 0))
        }
        let (plain, listed) = (difference(nil), difference(700))
        #expect(plain.cost(plain.best).bytesToFetch == 12_590 && listed.cost(listed.best).bytesToFetch == 1290)
        #expect(listed.best.method == .patch && listed.cost(listed.best).requests == 2)
        #expect(listed.patch == listed.best && listed.blocks == plain.blocks && listed.whole == plain.whole)
        #expect(listed.cost(listed.blocks) == plain.cost(plain.blocks))
    }

    @Test func linksFoldersAndTwinsAreTold() throws {
        try Scratch.with { scratch in
            let old = try ModelPack(["a": [1], "b": [2, 3]])
            let new = try ModelPack(["a": [1], "b": [9], "c": [1], "d": []])
            let entries =
                new.index.entries + [
                    .init(path: "Contents/l", kind: .link(target: "a")), .init(path: "Contents/nothing", kind: .folder),
                ]
            let index = try PackIndex(
                archive: new.index.archive, contents: new.index.contents, entries: entries,
                chunkAverage: new.index.chunkAverage, chunks: new.index.chunks)
            try scratch.write(try index.encoded(), to: "new.index")
            let version = try PatchVersion(archive: scratch("none.aar"), index: scratch("new.index"))
            let list = try #require(try PackList.make(from: old.index, to: version, leastSaving: -10_000))
            let base = try #require(PackListBase(of: old.index))
            Self.expect(
                try PackList.read(
                    list, forIndex: version.indexDigest, base: base, archiveSize: index.archive.size,
                    digest: index.archive.digest), is: index)
            // Devices do not know of links.
            #expect(PackListBase(of: index) == nil)
            #expect(try PackList.make(from: index, to: version, leastSaving: -10_000) == nil)
            // Where it saves nothing to speak of, there is none.
            #expect(try PackList.make(from: old.index, to: version) == nil)
        }
    }

    /// Written by hand, as docs/formats/pack-list.md has it.
    @Test func theFormatStays() throws {
        let (one, two) = (SHA256.hash([1]), SHA256.hash([2]))
        let base = try #require(
            PackListBase(files: [
                .init(path: "b", size: 1, digest: one), .init(path: "a/c", size: 300, digest: two),
                .init(path: "a/d", size: 1, digest: one),
            ]))
        #expect(
            base.bytes == [2, 0xAC, 2, 1] + two.bytes + one.bytes + [3, 0, 0, 0]
                + [0, 12] + Array("Contents/a/c".utf8) + [11, 1] + Array("d".utf8) + [9, 1] + Array("b".utf8) + [
                    0, 0, 1,
                ]
        )
        let (three, sum) = (SHA256.hash([6]), SHA256.hash(SHA256.hash([7]).bytes))
        let (index, old, archive) = (SHA256.hash([3]), SHA256.hash([4]), SHA256.hash([5]))
        let body =
            // Manifest; a content in the place of the base's first, with 2 bytes more; its second; one by its digest.
            [4, 2, 1, 0, 3, 5, 4, 7] + three.bytes + sum.bytes + [6, 0, 1, 0, 0, 2, 3]
            + [0, 13] + Array("manifest.json".utf8) + [0, 10] + Array("Contents/u".utf8) + [9, 1] + Array("v".utf8) + [
                9, 1,
            ]
            + Array("x".utf8) + [9, 1] + Array("y".utf8) + [9, 1] + Array("z".utf8) + [0, 0, 0, 0, 1] + Array("x".utf8)
        var file = Array("LRDRLIST".utf8) + [1, 0, 0, 0, UInt8(body.count), 0, 0, 0]
        for digest in [index, old, SHA256.hash(base.bytes)] { file += digest.bytes.prefix(8) }
        file += [0] + body
        let found = try PackList.read(file, forIndex: index, base: base, archiveSize: 900, digest: archive)
        #expect(found.archive.size == 900 && found.archive.digest == archive)
        #expect(found.contents[2...].map(\.digest) == [one, three] && found.contents.map(\.size) == [5, 302, 1, 7])
        #expect(found.unnamed == .init(contents: [1], digest: sum))
        #expect(Set(found.contents.map(\.digest) + [two]).count == 5)
        #expect(
            found.entries == [
                .init(path: "manifest.json", kind: .file(content: 0, offset: 0, isExecutable: false)),
                .init(path: "Contents/u", kind: .file(content: 1, offset: 5, isExecutable: true)),
                .init(path: "Contents/v", kind: .file(content: 2, offset: 307, isExecutable: false)),
                .init(path: "Contents/x", kind: .file(content: 3, offset: 308, isExecutable: false)),
                .init(path: "Contents/y", kind: .link(target: "x")), .init(path: "Contents/z", kind: .folder),
            ])
        func refusal(_ change: (inout [UInt8]) -> Void, for other: Digest? = nil) -> PackUpdateErrorCode? {
            var changed = file
            change(&changed)
            let error = #expect(throws: PackUpdateError.self) {
                try PackList.read(changed, forIndex: other ?? index, base: base, archiveSize: 900, digest: archive)
            }
            return error?.code
        }
        #expect(refusal { $0[0] = 0 } == .damagedList)
        #expect(refusal { $0[8] = 2 } == .unknownVersion)
        #expect(refusal { $0[12] += 1 } == .damagedList)
        #expect(refusal { $0[15] = 1 } == .damagedList)
        #expect(refusal { $0[32] ^= 1 } == .mismatch)
        #expect(refusal({ _ in }, for: archive) == .mismatch)
        #expect(refusal { $0.removeLast() } == .damagedList)
        #expect(refusal { $0[40] = 9 } == .damagedList)
        // Contents that the base has not, and sizes that none has.
        #expect(refusal { $0[43] = 9 } == .damagedList)
        #expect(refusal { $0[44] = 8 } == .damagedList)
        let negative: (inout [UInt8]) -> Void = { file in
            file.replaceSubrange(47..<48, with: [0xD9, 4])
            file[12] += 1
        }
        #expect(refusal(negative) == .damagedList)
        #expect(refusal { $0 = Array($0.prefix(30)) } == .damagedList)
    }

    /// Contents are numbered anew where one comes before them; files that share one say it as before all the same.
    @Test func whatComesFirstMovesNothing() throws {
        try Scratch.with { scratch in
            var random = SeededGenerator.forTest()
            var old: [String: [UInt8]] = [:]
            for number in 0..<600 {
                old["d/\(number)"] = number < 300 ? random.bytes(40) : old["d/\(number * 7 % 300)"]
            }
            var new = old
            new["a"] = random.bytes(40)
            let pack = try PatchedPack(scratch, from: old, to: new)
            let list = try #require(try PackList.make(from: pack.old.index, to: pack.new))
            #expect(list.count < 200, "\(list.count)")
            Self.expect(try read(list, pack), is: pack.new.index)
        }
    }

    /// Whatever is done to a list, it is refused, or tells a pack that is sound.
    @Test func damageIsRefusedOrSound() throws {
        try Scratch.with { scratch in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random, count: 40)
            let pack = try PatchedPack(scratch, from: old, to: new)
            let list = try #require(try PackList.make(from: pack.old.index, to: pack.new, leastSaving: 0))
            let base = try #require(PackListBase(of: pack.old.index))
            let head = PackList.headSize
            let plain = list[..<head] + [0] + (try body(of: list, base))
            var refused = 0
            for round in 0..<3000 {
                var file = round.isMultiple(of: 4) ? list : Array(plain)
                for _ in 0...Int.random(in: 0...2, using: &random) {
                    let place = Int.random(in: head..<file.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: file[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
                    case 1: file.swapAt(place, Int.random(in: head..<file.count, using: &random))
                    case 2: file[12 + place % 4] = UInt8.random(in: 0...255, using: &random)
                    default: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                    }
                }
                do {
                    let index = try read(file, pack, base: base)
                    try index.validateAsListed()
                } catch let error as PackUpdateError {
                    #expect([.damagedList, .notIndexable].contains(error.code), "\(error)")
                    refused += 1
                }
            }
            #expect(refused > 1000)
        }
    }

    /// The list, uncompressed.
    private func body(of list: [UInt8], _ base: PackListBase) throws -> [UInt8] {
        let size = Int(list[12]) | Int(list[13]) << 8 | Int(list[14]) << 16
        return try PrefixedStream.decode(list[PackList.headSize...], prefix: base.bytes, size: size)
    }

    /// More files than any list starts from are not even sorted.
    @Test func tooManyFilesAreNoBase() {
        let file = PackListBase.File(path: "a", size: 1, digest: SHA256.hash([1]))
        #expect(PackListBase(files: .init(repeating: file, count: 240_000)) == nil)
        let long = String(repeating: "x", count: 1000)
        let files = (0..<9000).map { PackListBase.File(path: "\($0)\(long)", size: 1, digest: file.digest) }
        #expect(PackListBase(files: files) == nil)
    }
}

extension PackIndex {
    fileprivate func validateAsListed() throws {
        try Self.validate(entries, of: contents, streamSize: archive.streamSize)
    }
}
