// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System
import TestSupport
import Testing

@testable import AssetPacks

struct BlockSizeTests {
    @Test func piecesLieWithinTheContent() {
        let size = Int64(BlockSizeChooser.pieceSize)
        #expect(BlockSizeChooser.places(in: 0).isEmpty)
        #expect(BlockSizeChooser.places(in: (32 << 20) - 1).isEmpty)
        #expect(BlockSizeChooser.places(in: 32 << 20) == [0..<size])
        #expect(BlockSizeChooser.places(in: 64 << 20) == [0..<size, (63 << 20)..<(64 << 20)])
        let places = BlockSizeChooser.places(in: 1 << 40)
        #expect(places.map { $0.upperBound - $0.lowerBound } == [size, size, size])
        #expect(places.first?.lowerBound == 0 && places.last.map { $0.upperBound <= 1 << 40 } == true)
    }

    @Test func contentThatDoesNotMindHasSmallBlocks() throws {
        var generator = SeededGenerator(seed: 1)
        let noise = generator.bytes(BlockSizeChooser.pieceSize)
        #expect(try BlockSizeChooser(compression: .lzfse).choose(for: [noise]) == 128 << 10)
        #expect(try BlockSizeChooser(compression: .lzfse).choose(for: []) == 128 << 10)
    }

    /// 100 KiB of noise again and again: a block as large as that finds it once only.
    @Test func contentThatRepeatsItselfFarApartHasLargeOnes() throws {
        var generator = SeededGenerator(seed: 2)
        let noise = generator.bytes(100 << 10)
        let repeated = Array((0..<10).map { _ in noise }.joined())
        #expect(try BlockSizeChooser(compression: .lzfse).choose(for: [repeated]) == BlockSizeChooser.pieceSize)
    }

    @Test func sizesAreThoseOfAnArchive() throws {
        var generator = SeededGenerator(seed: 3)
        let content = generator.bytes(300_000, redundancy: true)
        for compression in Compression.allCases {
            var stream = 0
            var stored = 0
            let writer = try ArchiveWriter(
                output: { stored += $0.count }, compression: compression, blockSize: 64 << 10, fields: .mode)
            writer.onBlock = { bytes, _ in stream += bytes.count }
            try writer.append(EntryHeader(type: .metadata, path: ""), bytes: content)
            try writer.finish()
            let size = try ArchiveBlock.size(of: content, compression: compression, blockSize: 64 << 10)
            // The entry's head moves the blocks by a few bytes.
            #expect(abs(size - stored) < 2000, "\(compression)")
            #expect(stream - content.count < 100)
        }
    }

    @Test func aPacksBlocksAreAsChosenUnlessSaidOtherwise() throws {
        try Scratch.with { scratch in
            let fixture = try PackFixture(scratch: scratch).writeTree()
            func blockSize(_ archive: [UInt8]) -> Int { archive[4..<12].reduce(0) { $0 << 8 | Int($1) } }
            #expect(try blockSize(fixture.package(to: "A.aar")) == 64 << 10)
            let chosen = try fixture.package(to: "B.aar") { $0.blockSize = nil }
            #expect(try blockSize(chosen) == Packager(fixture.evaluate()).suitableBlockSize())
            #expect(try fixture.package(to: "C.aar") { $0.blockSize = nil } == chosen)
        }
    }
}
