// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import System
import TestSupport
import Testing

@testable import PackUpdates

@Suite struct PatchTests {
    /// Trees in which files stay, change, move, merge, come and go.
    private static func trees(_ generator: inout SeededGenerator) -> (old: [String: [UInt8]], new: [String: [UInt8]]) {
        var old: [String: [UInt8]] = [:]
        for index in 0..<12 {
            let size = Int.random(in: 1...40_000, using: &generator)
            old["d\(index % 3)/f\(index).bin"] = generator.bytes(size, redundancy: index % 2 == 0)
        }
        old["big.dat"] = generator.bytes(1_500_000)
        old["part1.dat"] = generator.bytes(300_000)
        old["part2.dat"] = generator.bytes(900_000)
        var new = old
        new["d0/f0.bin"] = nil
        new["moved.bin"] = old["d0/f0.bin"]
        for name in ["d1/f1.bin", "d2/f2.bin", "big.dat"] {
            var file = new[name] ?? []
            file[0] &+= 1
            file.insert(contentsOf: generator.bytes(100), at: file.count / 2)
            new[name] = file
        }
        new["merged.dat"] = (old["part1.dat"] ?? []) + (old["part2.dat"] ?? [])
        new["part1.dat"] = nil
        new["part2.dat"] = nil
        new["fresh.txt"] = generator.bytes(5000, redundancy: true)
        new["fresh2.txt"] = new["fresh.txt"]
        new["empty"] = []
        return (old, new)
    }

    private static func check(_ pack: PatchedPack, _ collector: PatchCollector) {
        for (content, bytes) in collector.contents {
            #expect(pack.targets[pack.new.index.contents[content].digest] == bytes, "content \(content)")
        }
    }

    /// A few groups tell how large a patch of versions will be that have nothing in common, and of those that only look so.
    @Test func aSampleTellsWhatAPatchComesTo() throws {
        try Scratch.with { scratch in
            var generator = SeededGenerator.forTest()
            var (old, unrelated, related): ([String: [UInt8]], [String: [UInt8]], [String: [UInt8]]) = ([:], [:], [:])
            for name in ["a", "b", "c", "d", "e"] {
                let content = generator.bytes(300_000)
                old[name] = content
                unrelated[name] = generator.bytes(300_000)
                // No chunk stays as it is.
                var changed = content
                for place in stride(from: 500, to: changed.count, by: 4000) { changed[place] ^= 0x55 }
                related[name] = changed
            }
            for (files, isRelated) in [(unrelated, false), (related, true)] {
                let pack = try PatchedPack(scratch, from: old, to: files)
                #expect(try PatchSample.estimate(from: pack.old, to: pack.new, in: scratch.path) == nil)
                let estimate = try #require(
                    try PatchSample.estimate(
                        from: pack.old, to: pack.new, in: scratch.path, least: 1, pieceSize: 1 << 18))
                let size = try pack.patch("\(isRelated).patch").count
                if isRelated {
                    #expect(estimate < 150_000 && size < 150_000, "\(estimate) for \(size)")
                } else {
                    #expect(size >= 1_500_000 && abs(Int(estimate) - size) < size / 10, "\(estimate) for \(size)")
                }
                for name in ["Old.aar", "New.aar"] {
                    for suffix in ["", ".index"] {
                        try FileDescriptor.currentDirectory.remove(at: scratch(name + suffix))
                    }
                }
            }
            let left = try FileDescriptor.currentDirectory.entries(at: scratch.path).map(\.name)
            #expect(!left.contains { $0.hasPrefix(".larder") })
        }
    }

    @Test func givesEveryChangedContent() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let (old, new) = Self.trees(&generator)
            let pack = try PatchedPack(scratch, from: old, to: new)
            let patch = try pack.patch()
            for piece in [1 << 20, 1000, 7] {
                let collector = try pack.apply(patch, piece: piece)
                #expect(Set(collector.contents.keys) == pack.changed)
                #expect(collector.failed.isEmpty)
                Self.check(pack, collector)
            }
            // Noise that was there before, at any path and in any company, costs nothing.
            #expect(patch.count < 12_000)
            #expect(try pack.patch("Again.patch") == patch)
        }
    }

    /// What says which files are made of which must not be more than what changed in them.
    @Test func manySmallFilesThatHardlyChangedCostLittleMoreThanTheirNames() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            var (old, new): ([String: [UInt8]], [String: [UInt8]]) = ([:], [:])
            for number in 0..<400 {
                let file = generator.bytes(600, redundancy: true)
                old["items/\(number).json"] = file
                new["items/\(number).json"] = number % 4 == 0 ? Array("{}\n".utf8) + file : file
            }
            let pack = try PatchedPack(scratch, from: old, to: new)
            let patch = try pack.patch()
            let collector = try pack.apply(patch)
            #expect(Set(collector.contents.keys) == pack.changed && collector.failed.isEmpty)
            Self.check(pack, collector)
            #expect(patch.count < 100 * 20, "\(patch.count), seed \(generator.seed)")
        }
    }

    /// Two levels that came to have the same new parts: these are told once.
    private static func twins(_ generator: inout SeededGenerator) -> (old: [String: [UInt8]], new: [String: [UInt8]]) {
        let old = ["a.wad": generator.bytes(1_500_000), "b.wad": generator.bytes(1_500_000)]
        let parts = generator.bytes(600_000)
        let new = old.mapValues { Array($0[..<700_000]) + parts + Array($0[700_000...]) }
        return (old, new)
    }

    @Test func whatTwoContentsHaveNewIsToldOnce() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let (old, new) = Self.twins(&generator)
            let pack = try PatchedPack(scratch, from: old, to: new)
            let patch = try pack.patch()
            #expect(patch.count < 610_000)
            let collector = try pack.apply(patch)
            #expect(Set(collector.contents.keys) == pack.changed)
            Self.check(pack, collector)
        }
    }

    /// What a group gives and another starts from is unpacked once, and lies in both files.
    @Test func aContentGoesToEachPlaceThatItHas() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let files = ["a": generator.bytes(150_000), "b": generator.bytes(90_000, redundancy: true)]
            let pack = try PatchedPack(scratch, from: ["c": [1]], to: files)
            let index = pack.new.index
            let numbers = index.contents.indices.filter { index.contents[$0].size > 50_000 }
            #expect(numbers.count == 2)
            var layout = ContentLayout(index: index)
            var (bases, targets) = (Int64(0), Int64(0))
            layout.place([numbers[1]], in: PatchLayout.bases, at: &bases)
            layout.place(numbers.reversed(), in: PatchLayout.targets, at: &targets)
            let paths = [scratch("bases"), scratch("targets")]
            let opened = try paths.map {
                try FileDescriptor.open($0, .writeOnly, options: [.create], permissions: .ownerReadWrite)
            }
            defer { for file in opened { try? file.close() } }
            try pack.new.unpack(layout, to: opened, isCancelled: { false })
            let contents = numbers.map { pack.targets[index.contents[$0].digest] ?? [] }
            #expect(try File.read(paths[PatchLayout.bases]) == contents[1])
            #expect(try File.read(paths[PatchLayout.targets]) == contents[1] + contents[0])
        }
    }

    @Test func withoutTheFirstTheSecondFailsToo() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let (old, new) = Self.twins(&generator)
            let pack = try PatchedPack(scratch, from: old, to: new)
            let patch = try pack.patch()
            let first = try pack.apply(patch, missing: [SHA256.hash(try #require(old["a.wad"]))])
            #expect(first.failed == pack.changed)
            let second = try pack.apply(patch, missing: [SHA256.hash(try #require(old["b.wad"]))])
            let number = try #require(
                pack.new.index.contents.firstIndex { $0.digest == SHA256.hash(new["b.wad"] ?? []) })
            #expect(second.failed == [number])
            Self.check(pack, second)
        }
    }

    /// Small files that got new names and were edited, and others that were put together.
    @Test func findsSmallFilesThatWereRenamedAndMerged() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            var (old, new): ([String: [UInt8]], [String: [UInt8]]) = ([:], [:])
            for index in 0..<40 {
                old["old/\(index).txt"] = generator.bytes(Int.random(in: 2000...9000, using: &generator))
            }
            for index in 0..<20 {
                var file = old["old/\(index).txt"] ?? []
                file.insert(contentsOf: generator.bytes(20), at: file.count / 2)
                new["new/\(index).dat"] = file
            }
            for index in 0..<5 {
                new["merged/\(index)"] = (20..<23).flatMap { old["old/\($0 + 3 * index).txt"] ?? [] }
            }
            let pack = try PatchedPack(scratch, from: old, to: new)
            let patch = try pack.patch()
            // Noise that no old content had would cost all of its bytes.
            #expect(patch.count < 20 * 120 + 40 * 60)
            let collector = try pack.apply(patch)
            #expect(Set(collector.contents.keys) == pack.changed && collector.failed.isEmpty)
            Self.check(pack, collector)
            #expect(try pack.patch("Again.patch") == patch)
        }
    }

    /// Many files that were put together in one, as games do with what they ship: small ones and such with chunks.
    @Test(arguments: [(9, 6000), (36, 6000), (200, 6000), (20, 120_000)])
    func findsAllFilesThatWerePutTogether(count: Int, size: Int) throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            var old: [String: [UInt8]] = [:]
            for index in 0..<count { old["loose/\(index).bin"] = generator.bytes(size + index) }
            let all = (0..<count).shuffled(using: &generator).flatMap { old["loose/\($0).bin"] ?? [] }
            let pack = try PatchedPack(scratch, from: old, to: ["all.pak": all])
            let patch = try pack.patch()
            #expect(patch.count < 300 + count * 24, "\(patch.count) bytes")
            let collector = try pack.apply(patch)
            #expect(Set(collector.contents.keys) == pack.changed && collector.failed.isEmpty)
            Self.check(pack, collector)
        }
    }

    /// Large files whose names tell their contents, as bundlers of scripts give them, with changes in each chunk.
    @Test func findsALargeFileThatWasRenamedAndChangedAllOver() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let old = generator.bytes(1_600_000)
            var new = old
            for place in stride(from: 500, to: new.count, by: 4000) { new[place] ^= 0x55 }
            let pack = try PatchedPack(
                scratch, from: ["478.aa.js": old, "other.js": generator.bytes(1_500_000)], to: ["478.bb.js": new])
            let patch = try pack.patch()
            #expect(patch.count < 20_000)
            let collector = try pack.apply(patch)
            #expect(Set(collector.contents.keys) == pack.changed && collector.failed.isEmpty)
            Self.check(pack, collector)
        }
    }

    @Test func resemblanceIsOfBytesAndNotOfWhatAllHave() {
        var generator = SeededGenerator.forTest()
        let parts = (0..<6).map { _ in generator.bytes(5000) }
        let head = generator.bytes(5000)
        var finder = ResemblanceFinder(size: 1 << 20)
        for (content, part) in parts.enumerated() { (head + part).withUnsafeBytes { finder.add(content, $0) } }
        let merged = head + parts[4] + Array(parts[1].prefix(3000))
        #expect(merged.withUnsafeBytes { finder.contents(sharing: $0) } == [4, 1])
        #expect(head.withUnsafeBytes { finder.contents(sharing: $0) }.isEmpty)
        #expect(generator.bytes(9000).withUnsafeBytes { finder.contents(sharing: $0) }.isEmpty)
    }

    @Test(arguments: [1, 15, 16, 17, 100, 1024, 1025, 4096, 4097])
    func piecesAreOfAboutOneSize(count: Int) {
        let pieces = PatchMaker.pieces(of: 7..<7 + count, atMost: 1024)
        #expect(pieces.first?.lowerBound == 7 && pieces.last?.upperBound == 7 + count)
        for (piece, next) in zip(pieces, pieces.dropFirst()) { #expect(piece.upperBound == next.lowerBound) }
        #expect(pieces.count == (count + 1023) / 1024)
        #expect(pieces.allSatisfy { !$0.isEmpty && $0.count <= 1024 && ($0.lowerBound - 7).isMultiple(of: 16) })
        // No last piece that is hardly one, nor others that are much larger.
        #expect(pieces.allSatisfy { $0.count >= count / pieces.count - 16 * pieces.count })
    }

    @Test func aVersionLikeTheLastNeedsNothing() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let file = generator.bytes(200_000)
            let pack = try PatchedPack(scratch, from: ["a": file], to: ["b": file, "c": file])
            let patch = try pack.patch()
            #expect(patch.count == PatchTable.headSize + 3)
            #expect(try pack.apply(patch).contents.isEmpty)
        }
    }

    @Test func aMissingBaseFailsItsGroupAlone() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let (old, new) = Self.trees(&generator)
            let pack = try PatchedPack(scratch, from: old, to: new)
            let patch = try pack.patch()
            let missing = SHA256.hash(try #require(old["big.dat"]))
            let collector = try pack.apply(patch, missing: [missing])
            let failed = try #require(
                pack.new.index.contents.firstIndex { $0.digest == SHA256.hash(new["big.dat"] ?? []) })
            #expect(collector.failed == [failed])
            #expect(Set(collector.contents.keys) == pack.changed.subtracting([failed]))
            Self.check(pack, collector)
        }
    }

    /// Broken off at any piece, the applying goes on from there; groups that are not wanted are passed over.
    @Test func goesOnFromAnyPieceAndGivesAnyGroups() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            // Several pieces in one content, and several contents in one group.
            var old = ["large": generator.bytes(1_800_000), "a.txt": generator.bytes(3000, redundancy: true)]
            old["b.txt"] = generator.bytes(4000, redundancy: true)
            var new = old.mapValues { Array($0.dropFirst(7)) }
            new["large"]?.replaceSubrange(900_000..<900_100, with: generator.bytes(5000))
            let pack = try PatchedPack(scratch, from: old, to: new)
            let patch = try pack.patch(pieceSize: 200_000)
            let collector = try pack.apply(patch, piece: 1000) { _ in true }
            #expect(collector.stops >= 9)
            #expect(Set(collector.contents.keys) == pack.changed && collector.failed.isEmpty)
            Self.check(pack, collector)
            var reader = PatchTableReader(
                index: pack.new.index, indexDigest: pack.new.indexDigest, base: pack.old.index.archive.digest,
                old: PackListBase(of: pack.old.index))
            _ = try patch.withUnsafeBytes { try reader.take($0) }
            let table = try #require(reader.table)
            for group in table.groups.indices {
                let some = try pack.apply(patch, groups: [group])
                #expect(Set(some.contents.keys) == Set(table.groups[group].targets))
                Self.check(pack, some)
            }
        }
    }

    @Test func patchesOfOtherVersionsAreRefused() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let pack = try PatchedPack(
                scratch, from: ["a": generator.bytes(3000)], to: ["a": generator.bytes(3000, redundancy: true)])
            let patch = try pack.patch()
            for place in [20, 50] {
                var other = patch
                other[place] &+= 1
                let error = #expect(throws: PackUpdateError.self) { try pack.apply(other) }
                #expect(error?.code == .mismatch)
            }
            #expect(throws: PackUpdateError.self) { try pack.apply(Array(patch.dropLast())) }
            #expect(throws: PackUpdateError.self) { try pack.apply(patch + [0]) }
            #expect(throws: PackUpdateError.self) { try pack.apply(Array("no patch at all".utf8)) }
        }
    }

    /// A patch beside an archive is listed as it is only when it is all there.
    @Test func aPatchThatWasCutIsNone() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let pack = try PatchedPack(scratch, from: ["a": generator.bytes(3000)], to: ["a": generator.bytes(4000)])
            let patch = try pack.patch()
            for (bytes, isPatch) in [(patch, true), (Array(patch.dropLast(5)), false), (patch + [0], false)] {
                let path = scratch("a.patch")
                try AtomicFile.write(bytes, to: path, durable: false)
                #expect(PatchTable.isPatch(path, from: pack.old, to: pack.new) == isPatch)
            }
        }
    }

    /// Whatever is changed, every content that is said to be good is good.
    @Test func damagedPatchesNeverGiveAWrongContent() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let pack = try PatchedPack(
                scratch, from: ["a": generator.bytes(9000), "b.txt": generator.bytes(3000, redundancy: true)],
                to: ["a2": generator.bytes(500), "b.txt": generator.bytes(4000, redundancy: true), "c.x": [1, 2, 3]])
            let patch = try pack.patch()
            var refused = 0
            for _ in 0..<300 {
                var damaged = patch
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let place = Int.random(in: PatchTable.headSize..<damaged.count, using: &generator)
                    damaged[place] = UInt8.random(in: 0...255, using: &generator)
                }
                do {
                    let collector = try pack.apply(damaged, piece: 500)
                    Self.check(pack, collector)
                    if !collector.failed.isEmpty { refused += 1 }
                } catch is PackUpdateError {
                    refused += 1
                }
            }
            #expect(refused > 200)
        }
    }
}
