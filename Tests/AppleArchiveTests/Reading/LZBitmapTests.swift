// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import TestSupport
import Testing

/// LZBITMAP, which is only read. The encoder's streams were checked once with libzbitmap, the implementation that found
/// the format.
@Suite struct LZBitmapTests {
    private func sample(_ generator: inout SeededGenerator) throws -> (calls: [Recording.Call], stream: [UInt8]) {
        let sample = SampleArchive(&generator, count: 30, largest: 30_000)
        return (sample.calls, try sample.archive(.none))
    }

    @Test func readsBlocksHeldAndStreamed() throws {
        var generator = SeededGenerator.forTest()
        var limits = ArchiveLimits()
        for _ in 0..<4 {
            let (calls, stream) = try sample(&generator)
            let half = stream.count / 2
            let blocks = [Array(stream[..<half]), Array(stream[half...])].map {
                (raw: $0.count, payload: LZBitmapEncoder.encode($0, &generator))
            }
            // Where the encoder did not shrink it a block is stored.
            let archive = wrapper(
                "b",
                zip(blocks, [stream[..<half], stream[half...]]).map { block, content in
                    block.payload.count < block.raw ? block : (block.raw, Array(content))
                })
            #expect(try decode(archive).calls == calls)
            limits.largestHeldBlock = 1
            #expect(try decode(archive, piece: 5000, limits: limits).calls == calls)
        }
    }

    @Test func readsBareStreams() throws {
        var generator = SeededGenerator.forTest()
        let (calls, stream) = try sample(&generator)
        let bare = LZBitmapEncoder.encode(stream, &generator)
        for piece in [97, .max] { #expect(try decode(bare, piece: piece).calls == calls) }
        for length in [8, bare.count / 2, bare.count - 1] {
            let error = try #require(throws: ArchiveError.self) { try decode(Array(bare[..<length])) }
            #expect(error.code == .truncated)
        }
    }

    @Test func compressesWhatRepeats() throws {
        var generator = SeededGenerator(seed: 3)
        let content = RawEntry.file("f", Array(repeating: 7, count: 60_000))
        let stream = LZBitmapEncoder.encode(content, &generator)
        #expect(stream.count < 2000)
        #expect(try decode(wrapper("b", [(content.count, stream)])).content("f")?.count == 60_000)
    }

    @Test func alteredBytesNeverTrap() throws {
        var generator = SeededGenerator.forTest()
        let (_, stream) = try sample(&generator)
        let bare = LZBitmapEncoder.encode(Array(stream.prefix(4000)), &generator)
        for _ in 0..<2000 {
            var altered = bare
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                altered[Int.random(in: 4..<bare.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            _ = try? decode(altered)
        }
    }
}
