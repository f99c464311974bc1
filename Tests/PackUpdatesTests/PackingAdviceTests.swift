// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import TestSupport
import Testing

@testable import PackUpdates

@Suite struct PackingAdviceTests {
    /// Each byte tells the highest bits of the one before: LZMA has models for these, LZFSE one for all literals.
    private static func structured(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        var last: UInt8 = 0
        return generator.bytes(count).map { noise in
            last = noise & 0xF8 | last >> 5
            return last
        }
    }

    private static func versions(
        _ scratch: Scratch, _ generator: inout SeededGenerator, compression: Compression = .lzfse,
        _ content: (inout SeededGenerator) -> [UInt8]
    ) throws -> (old: PackIndex, new: PatchVersion) {
        _ = try IndexedPack(scratch, ["a": content(&generator)]).package(to: "Old.aar", compression: compression)
        let old = try PatchVersion(archive: scratch("Old.aar"))
        _ = try IndexedPack(scratch, ["a": content(&generator)]).package(to: "New.aar", compression: compression)
        return (old.index, try PatchVersion(archive: scratch("New.aar")))
    }

    @Test func whatLZMAMakesMuchSmallerIsTold() throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let (old, new) = try Self.versions(scratch, &generator) { Self.structured(900_000, &$0) }
            let advice = try #require(try PackingAdvice.find(from: old, to: new, fetched: 100 << 20))
            #expect(advice.compression == .lzma)
            #expect(advice.bytesToFetch < 75 << 20)
            // What the advice foretells is what packing gives.
            let size = try IndexedPack(scratch, [:]).package(
                to: "Better.aar", blockSize: advice.blockSize, compression: advice.compression
            ).archive.size
            let foretold = Double(advice.bytesToFetch) / Double(100 << 20)
            #expect(abs(Double(size) / Double(new.index.archive.size) - foretold) < 0.05)
            #expect(abs(Double(size) / Double(advice.archiveBytes) - 1) < 0.05)
            #expect(try PackingAdvice.find(from: old, to: new, fetched: 256 << 10) == nil)
            #expect(throws: CancellationError.self) {
                try PackingAdvice.find(from: old, to: new, fetched: 100 << 20, isCancelled: { true })
            }
        }
    }

    @Test(arguments: [Compression.lzfse, .lzma])
    func whatIsPackedWellGetsNoAdvice(compression: Compression) throws {
        var generator = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let (old, new) = try Self.versions(scratch, &generator, compression: compression) { generator in
                compression == .lzma ? Self.structured(900_000, &generator) : generator.bytes(900_000)
            }
            #expect(try PackingAdvice.find(from: old, to: new, fetched: 100 << 20) == nil)
        }
    }

    /// As of a game whose levels are edited: smaller blocks fetch less, and make the archive larger.
    @Test func whatAnUpdateSavesIsWeighedAgainstWhatTheArchiveGrows() {
        func advice(_ blockSize: Int, _ bytesToFetch: Int64, _ archiveBytes: Int64) -> PackingAdvice {
            PackingAdvice(
                compression: .lzma, blockSize: blockSize, bytesToFetch: bytesToFetch, archiveBytes: archiveBytes)
        }
        let ways = [
            advice(256 << 10, 11_900_000, 16_136_000), advice(128 << 10, 11_400_000, 16_667_000),
            advice(64 << 10, 10_700_000, 17_460_000),
        ]
        #expect(PackingAdvice.best(of: ways)?.blockSize == 64 << 10)
        // A small update of a large archive, and one of a small archive.
        let small = [
            advice(128 << 10, 471_664, 42_633_846), advice(64 << 10, 372_935, 43_278_706),
            advice(32 << 10, 296_689, 44_160_474),
        ]
        #expect(PackingAdvice.best(of: small)?.blockSize == 64 << 10)
        let large = [
            advice(128 << 10, 744_655, 6_976_715), advice(64 << 10, 441_215, 7_270_962),
            advice(32 << 10, 292_551, 7_682_938),
        ]
        #expect(PackingAdvice.best(of: large)?.blockSize == 32 << 10)
        // What costs the archive nothing is taken for any update that gets smaller.
        #expect(PackingAdvice.best(of: [advice(2, 1000, 5000), advice(1, 900, 5000)])?.blockSize == 1)
        #expect(PackingAdvice.best(of: []) == nil)
    }

    @Test func onlyWaysThatSaveATenthAreWorthwhileAndLZMAOnlyWhenItSavesMore() {
        func ways(lzfse: Int64, lzma: Int64) -> [PackingAdvice.Way] {
            [
                .init(compression: .lzfse, blockSize: 64 << 10, bytesToFetch: lzfse),
                .init(compression: .lzfse, blockSize: 32 << 10, bytesToFetch: lzfse * 99 / 100),
                .init(compression: .lzma, blockSize: 64 << 10, bytesToFetch: lzma),
            ]
        }
        func found(lzfse: Int64, lzma: Int64) -> [Compression] {
            PackingAdvice.worthwhile(ways(lzfse: lzfse, lzma: lzma), fetched: 1000).map(\.compression)
        }
        #expect(found(lzfse: 850, lzma: 800) == [.lzfse, .lzfse])
        #expect(found(lzfse: 850, lzma: 700) == [.lzfse, .lzfse, .lzma])
        // As small blocks of LZMA are not advised, they are not what it is held against.
        #expect(found(lzfse: 855, lzma: 712) == [.lzfse, .lzfse, .lzma])
        #expect(found(lzfse: 950, lzma: 910) == [])
    }

    @Test func blocksCountOnceAndToTheStreamsEnd() {
        let missing: [Range<Int64>] = [10..<20, 30..<101, 150..<150, 390..<395]
        #expect(PackingAdvice.touched(missing, 100, 397) == 297)
        #expect(PackingAdvice.touched(missing, 10, 397) == 10 + 80 + 7)
        #expect(PackingAdvice.touched([], 10, 397) == 0)
    }

    @Test func placesHoldWhatIsMissingAndAreAllOverIt() {
        let size: Int64 = 512 << 10
        let streamSize = 100 * size + 5
        let all = PackingAdvice.places([0..<streamSize], in: streamSize)
        #expect(all.count == 4 && Set(all).count == 4)
        #expect(all.allSatisfy { $0.lowerBound % size == 0 && $0.upperBound <= streamSize && !$0.isEmpty })
        #expect(
            PackingAdvice.places([3 * size + 1..<3 * size + 2, 3 * size + 9..<4 * size], in: streamSize) == [
                3 * size..<4 * size
            ])
        #expect(PackingAdvice.places([100 * size..<streamSize], in: streamSize) == [100 * size..<streamSize])
        #expect(PackingAdvice.places([], in: streamSize).isEmpty)
    }
}
