// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import TestSupport
import Testing

@testable import PackUpdates

@Suite struct ContentChunkerTests {
    private func chunks(_ bytes: [UInt8], average: Int, pieces: () -> Int) -> [ContentChunker.Chunk] {
        var chunker = ContentChunker(average: average)
        var result: [ContentChunker.Chunk] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(max(1, pieces()))
            piece.withUnsafeBytes { chunker.update($0) { result.append($0) } }
            rest = rest.dropFirst(piece.count)
        }
        if let last = chunker.finish() { result.append(last) }
        return result
    }

    @Test func piecesDoNotShow() {
        var generator = SeededGenerator.forTest()
        let bytes = generator.bytes(400_000, redundancy: true)
        let whole = chunks(bytes, average: 4096) { bytes.count }
        #expect(whole.count > 40)
        #expect(chunks(bytes, average: 4096) { Int.random(in: 1...9000, using: &generator) } == whole)
        #expect(whole.reduce(0) { $0 + $1.size } == bytes.count)
        #expect(whole.dropLast().allSatisfy { ContentChunker.bounds(average: 4096).contains($0.size) })
        var start = 0
        for chunk in whole {
            let digest = SHA256.hash(Array(bytes[start..<start + chunk.size]))
            #expect(chunk.digestPrefix == ContentChunker.prefix(of: digest))
            start += chunk.size
        }
    }

    @Test func insertedBytesMoveOnlyTheChunksAboutThem() {
        var generator = SeededGenerator.forTest()
        let bytes = generator.bytes(1 << 20)
        let changed = Array(bytes[..<500_000]) + generator.bytes(77) + Array(bytes[500_000...])
        let old = Set(chunks(bytes, average: 4096) { 65_536 })
        let new = chunks(changed, average: 4096) { 65_536 }
        #expect(new.count { !old.contains($0) } <= 8)
    }

    @Test func bytesThatNeverCutEndAtTheLongestChunk() {
        let ones = chunks([UInt8](repeating: 1, count: 100_000), average: 1024) { 1000 }
        #expect(ones.dropLast().allSatisfy { $0.size == 4096 })
        #expect(ones.last?.size == 100_000 % 4096)
        #expect(chunks([], average: 1024) { 1 }.isEmpty)
    }

    /// The sizes that a program written after the format's page, in another language, gives.
    @Test func cutsAreThoseOfTheFormat() {
        var generator = SeededGenerator(seed: 1)
        let sizes = chunks(generator.bytes(60_000), average: 4096) { 60_000 }.map(\.size)
        #expect(sizes == [4722, 4073, 5196, 5200, 2166, 5004, 3085, 9315, 4911, 4543, 5144, 4387, 2254])
    }
}
