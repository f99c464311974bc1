// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import PackNamespace
import PackUpdates
import System
import TestSupport
import Testing

@testable import DeviceService

/// Which pieces contents are put together from, and which blocks and ranges that takes.
@Suite struct ContentWorkTests {
    private func withIndex(
        _ random: inout SeededGenerator, _ body: (PackIndex, PackFixture, inout SeededGenerator) throws -> Void
    ) throws {
        try Scratch.with { scratch in
            var fixture = PackFixture.random("levels", bytes: 600_000, &random)
            fixture.blockSize = 8 << 10
            let path = try scratch.write(try fixture.archive(), to: "pack.aar")
            try body(try PackIndex.make(ofArchive: path, chunkAverage: 1 << 10), fixture, &random)
        }
    }

    /// Pieces cover what is missing, once each; every piece of the archive lies in a block that is asked for.
    @Test func piecesCoverWhatIsMissing() throws {
        var random = SeededGenerator.forTest()
        for _ in 0..<20 {
            try withIndex(&random) { index, _, random in
                var missing: [Int: Int64] = [:]
                for content in index.contents.indices where Bool.random(using: &random) {
                    missing[content] = 0
                }
                if let last = missing.keys.max() {
                    missing[last] = Int64.random(in: 0...index.contents[last].size, using: &random)
                }
                var seen: [ContentChunker.Chunk: ContentWork.ChunkPlace] = [:]
                for chunk in index.chunks where Bool.random(using: &random) {
                    seen[chunk] = (0, Int64.random(in: 0...1 << 30, using: &random))
                }
                let work = ContentWork(index, missing) { seen[$1] }
                #expect(work.items.map(\.content) == missing.keys.sorted())
                #expect(work.blocks == Array(Set(work.blocks)).sorted())
                let blocks = Set(work.blocks)
                for item in work.items {
                    var next = missing[item.content] ?? 0
                    for piece in item.pieces {
                        #expect(piece.range.lowerBound == next && !piece.range.isEmpty, "seed \(random.seed)")
                        next = piece.range.upperBound
                        guard piece.source == .archive else { continue }
                        let start = index.contents[item.content].offset
                        let range = start + piece.range.lowerBound..<start + piece.range.upperBound
                        #expect(blocks.isSuperset(of: index.archive.blocks(holding: range)))
                    }
                    #expect(next == index.contents[item.content].size, "seed \(random.seed)")
                }
            }
        }
    }

    /// Ranges are apart and ascending, hold the blocks and little else.
    @Test func rangesHoldTheBlocks() throws {
        var random = SeededGenerator.forTest()
        try withIndex(&random) { index, _, random in
            let offsets = index.archive.blockOffsets
            for _ in 0..<200 {
                let blocks = (0..<index.archive.blockCount).filter { _ in Int.random(in: 0...3, using: &random) == 0 }
                let ranges = BlockRanges(index, blocks: blocks)
                #expect(
                    zip(ranges.runs, ranges.runs.dropFirst()).allSatisfy { $0.range.upperBound < $1.range.lowerBound })
                let held = Set(ranges.runs.flatMap(\.blocks))
                #expect(held.isSuperset(of: blocks), "seed \(random.seed)")
                for run in ranges.runs {
                    #expect(run.range == offsets[run.blocks.lowerBound]..<offsets[run.blocks.upperBound])
                }
                let wanted = blocks.reduce(Int64(0)) { $0 + offsets[$1 + 1] - offsets[$1] }
                #expect(ranges.size <= wanted + Int64(blocks.count) * BlockRanges.gapLimit)
            }
            #expect(BlockRanges(index, blocks: []).runs.isEmpty)
            #expect(BlockRanges(index, blocks: 0..<index.archive.blockCount).runs.count == 1)
        }
    }
}
