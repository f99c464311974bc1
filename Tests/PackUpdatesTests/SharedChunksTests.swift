// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Deltas
import Kit
import System
import TestSupport
import Testing

@testable import PackUpdates

/// What indexes tell of a target without a look at it, and patches that are made so.
@Suite struct SharedChunksTests {
    private static func chunk(_ number: UInt64, _ size: Int = 100) -> ContentChunker.Chunk {
        ContentChunker.Chunk(size: size, digestPrefix: number)
    }

    private static func shared(_ target: [ContentChunker.Chunk], _ bases: [[ContentChunker.Chunk]]) -> SharedChunks? {
        func size(_ chunks: [ContentChunker.Chunk]) -> Int { chunks.reduce(0) { $0 + $1.size } }
        return SharedChunks(
            of: target[...], size: size(target), bases: bases.map { .init(size: size($0), chunks: $0[...]) },
            leastSize: 1)
    }

    @Test func whatStaysIsKnownAndWhatCameIsComparedWithWhatWent() throws {
        let shared = try #require(
            Self.shared([1, 2, 9, 4, 5].map { Self.chunk($0) }, [[1, 2, 3, 4, 5, 6].map { Self.chunk($0) }]))
        #expect(
            shared.copies == [Match(target: 0, base: 0, count: 200), Match(target: 300, base: 300, count: 200)])
        #expect(shared.targetSpans == [200..<300])
        // What came in the stead of the third, and what is gone from the end.
        #expect(shared.baseSpans == [200..<300, 500..<600])
    }

    @Test func whatMovedIsKnownAndPlacesInLineArePreferred() throws {
        let bases = [[1, 7, 2, 7, 3].map { Self.chunk($0) }, [4, 5].map { Self.chunk($0) }]
        let shared = try #require(Self.shared([4, 5, 2, 7, 3, 8].map { Self.chunk($0) }, bases))
        #expect(
            shared.copies == [Match(target: 0, base: 500, count: 200), Match(target: 200, base: 200, count: 300)])
        #expect(shared.targetSpans == [500..<600])
        // The seventh stands elsewhere in the base, too, and is known; the new end is compared with what comes behind.
        #expect(shared.baseSpans == [0..<100, 500..<700])
    }

    @Test func halfOfTheTargetHasToBeKnown() {
        let base = [1, 2, 3, 4].map { Self.chunk($0) }
        #expect(Self.shared([1, 2, 8, 9].map { Self.chunk($0) }, [base]) != nil)
        #expect(Self.shared([1, 7, 8, 9].map { Self.chunk($0) }, [base]) == nil)
        #expect(Self.shared([], [base]) == nil)
        #expect(SharedChunks(of: base[...], size: 400, bases: [], leastSize: 401) == nil)
    }

    @Test func rangesThatTouchAreOne() {
        var ranges = [8..<9, 1..<3, 2..<4, 4..<6, 7..<7]
        ranges.joinRanges()
        #expect(ranges == [1..<6, 8..<9])
        #expect(ranges.missing(of: 0..<10) == [0..<1, 6..<8, 9..<10])
        #expect(ranges.missing(of: 2..<5).isEmpty && ranges.missing(of: 6..<7) == [6..<7])
    }

    @Test func stretchesAreCutWhereSpansEnd() {
        let spans = Spans([10..<20, 50..<90])
        #expect(spans.count == 50)
        var gathered = [UInt8](repeating: 0, count: 50)
        let source = (0..<100).map { UInt8($0) }
        source.withUnsafeBytes { source in gathered.withUnsafeMutableBytes { spans.gather(source, into: $0) } }
        #expect(gathered == Array(source[10..<20] + source[50..<90]))
    }

    /// Files in which zeros, text and numbers stay, move, come, go and change a little, in many pieces.
    @Test(arguments: 0..<3)
    func patchesOfPartlyKnownFilesAreRight(round: Int) throws {
        var generator = SeededGenerator.forTest()
        for _ in 0..<round { _ = generator.next() }
        try Scratch.with { scratch in
            let words = (0..<200).map { _ in generator.bytes(Int.random(in: 2...9, using: &generator)) }
            func text(_ count: Int) -> [UInt8] {
                var text: [UInt8] = []
                while text.count < count {
                    text += words[Int.random(in: 0..<words.count, using: &generator)] + [32]
                }
                return text
            }
            let zeros = [UInt8](repeating: 0, count: 300_000)
            let old = generator.bytes(1_800_000) + zeros + text(1_300_000) + zeros + generator.bytes(1_000_000)
            let other = generator.bytes(200_000)
            var new = Array(old[..<400_000]) + generator.bytes(5000) + Array(old[400_000...])
            // Moved, and zeros beside what is not there.
            let moved = Array(new[600_000..<900_000])
            new.removeSubrange(600_000..<900_000)
            new.insert(contentsOf: zeros.prefix(70_000) + moved + other.prefix(100_000), at: 1_700_000)
            // New text in the language of the old, and numbers that changed a little.
            new.insert(contentsOf: text(40_000), at: 2_700_000)
            for place in stride(from: 4_000_000, to: 4_040_000, by: 40) { new[place] &+= 1 }
            let pack = try PatchedPack(
                scratch, from: ["level.bin": old, "other.bin": other], to: ["level.bin": new, "other.bin": other])
            let layout = PatchLayout(
                of: PatchPlan(from: pack.old.index, to: pack.new.index), from: pack.old, to: pack.new)
            #expect(layout.groups.contains { $0.shared != nil })
            let patch = try pack.patch(pieceSize: 1 << 20)
            #expect(patch.count < 120_000)
            let collector = try pack.apply(patch)
            #expect(Set(collector.contents.keys) == pack.changed && collector.failed.isEmpty)
            for (content, bytes) in collector.contents {
                #expect(pack.targets[pack.new.index.contents[content].digest] == bytes, "content \(content)")
            }
            #expect(try pack.patch("Again.patch", pieceSize: 1 << 20) == patch)
        }
    }

    /// Each of two files has parts of both old ones, so that stretches of these that lie over each other are unpacked.
    @Test func groupsMayHaveBasesInCommon() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let (a, b) = (generator.bytes(4_400_000), generator.bytes(4_300_000))
            func changed(_ file: [UInt8], with other: [UInt8]) -> [UInt8] {
                var file = file
                for place in [10_000, 900_000, 2_000_000, 2_040_000, 4_000_000] {
                    file.replaceSubrange(place..<place + 300, with: generator.bytes(250))
                }
                file.replaceSubrange(500_000..<700_000, with: other[1_900_000..<2_050_000])
                return file
            }
            let new = ["a.wad": changed(a, with: b), "b.wad": changed(b, with: a)]
            let pack = try PatchedPack(scratch, from: ["a.wad": a, "b.wad": b], to: new)
            let patch = try pack.patch()
            #expect(patch.count < 10_000)
            let collector = try pack.apply(patch)
            #expect(Set(collector.contents.keys) == pack.changed && collector.failed.isEmpty)
        }
    }

    @Test func partsMayLieOverEachOther() throws {
        let file = FileDescriptor.standardOutput
        let ranges: [Range<Int64>] = [0..<1000, 0..<10, 20..<30, 500..<600, 900..<2000]
        let parts = PlacedParts(ranges.map { PlacedPart(content: $0, file: file, place: 0) })
        var found: [Range<Int64>] = []
        parts.forEach(in: 550..<950) { _, wanted in found.append(wanted) }
        #expect(found == [550..<950, 550..<600, 900..<950])
    }

    @Test func chunksThatAreNotTheIndexesAreRefused() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let file = generator.bytes(600_000)
            let index = try IndexedPack(scratch, ["a": file]).package()
            let content = try #require(index.contents.firstIndex { $0.size == 600_000 })
            let chunk = index.chunks(of: content)[index.contents[content].chunks.lowerBound]
            let part = 0..<Int64(chunk.size)
            var bytes = Array(file[..<chunk.size])
            var check = ContentCheck(index, [(content, part)])
            try bytes.withUnsafeBytes { try check.update($0, at: index.contents[content].offset) }
            try check.finish()
            bytes[5] ^= 1
            var other = ContentCheck(index, [(content, part)])
            #expect(throws: PackUpdateError.self) {
                try bytes.withUnsafeBytes { try other.update($0, at: index.contents[content].offset) }
            }
            #expect(throws: PackUpdateError.self) { try ContentCheck(index, [(content, part)]).finish() }
        }
    }
}
