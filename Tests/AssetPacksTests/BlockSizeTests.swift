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
        func places(_ total: Int64) -> [Range<Int64>] { BlockSizeChooser(compression: .lzfse, total: total).places }
        #expect(places(0).isEmpty)
        #expect(places((8 << 20) - 1).isEmpty)
        #expect(places(8 << 20) == [4032 << 10..<4160 << 10])
        #expect(places(65 << 20) == [32 << 20..<33 << 20])
        #expect(places(128 << 20) == [0..<size, (127 << 20)..<(128 << 20)])
        let many = places(1 << 40)
        #expect(many.map { $0.upperBound - $0.lowerBound } == [size, size, size])
        #expect(many.first?.lowerBound == 0 && many.last.map { $0.upperBound <= 1 << 40 } == true)
    }

    private func choice(_ total: Int64, _ pieces: [[UInt8]]) throws -> Int {
        try BlockSizeChooser(compression: .lzfse, total: total).choose(for: pieces)
    }

    @Test func contentThatDoesNotMindHasSmallBlocks() throws {
        var generator = SeededGenerator(seed: 1)
        let noise = generator.bytes(BlockSizeChooser.pieceSize)
        #expect(try choice(100 << 20, [noise]) == 32 << 10)
        #expect(try choice(1 << 20, []) == 128 << 10)
    }

    /// There would be a great many of the smallest ones.
    @Test func largePacksHaveLargerOnes() throws {
        var generator = SeededGenerator(seed: 1)
        let noise = generator.bytes(BlockSizeChooser.pieceSize)
        #expect(try choice(2 << 30, [noise]) == 32 << 10)
        #expect(try choice(3 << 30, [noise]) == 64 << 10)
        #expect(try choice(5 << 30, [noise]) == 128 << 10)
    }

    /// 100 KiB of noise again and again: a block as large as that finds it once only.
    @Test func contentThatRepeatsItselfFarApartHasLargeOnes() throws {
        var generator = SeededGenerator(seed: 2)
        let noise = generator.bytes(100 << 10)
        let repeated = Array((0..<10).map { _ in noise }.joined())
        #expect(try choice(100 << 20, [repeated]) == BlockSizeChooser.pieceSize)
        #expect(try choice(20 << 20, [repeated]) == 128 << 10)
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
