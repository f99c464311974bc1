// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport
import Testing

@testable import Deltas

@Suite struct DeltaTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func givesTheTargetAgain(seed: UInt64) throws {
        for pair in DeltaPairs.all(seed: seed) {
            for pieceSize in [DeltaFormat.pieceSize, 7777] {
                let target = try DeltaRoundTrip.delta(pair, pieceSize: pieceSize).flatMap {
                    try DeltaRoundTrip.apply($0, to: pair.old)
                }
                #expect(target == pair.new, "\(pair), seed \(seed), pieces of \(pieceSize)")
            }
        }
    }

    @Test func takesTheSameBytesEachTime() throws {
        for pair in DeltaPairs.all(seed: 4) {
            #expect(try DeltaRoundTrip.delta(pair) == DeltaRoundTrip.delta(pair), "\(pair)")
        }
    }

    @Test func costsNothingWhenNothingChanged() throws {
        var generator = SeededGenerator(seed: 5)
        let noise = DeltaPairs.bytes(200_000, &generator)
        let same = DeltaPairs.Pair(description: "same", old: noise, new: noise)
        #expect(try DeltaRoundTrip.delta(same).joined().count < 64)
        let moved = DeltaPairs.Pair(
            description: "moved", old: noise, new: Array(noise[70_000...] + noise[..<70_000]))
        #expect(try DeltaRoundTrip.delta(moved).joined().count < 64)
    }

    @Test(arguments: [2, 3, 7])
    func aTableInPartsIsTheSame(parts: Int) {
        for pair in DeltaPairs.all(seed: 9) {
            pair.old.withUnsafeBytes { old in
                let whole = DeltaBase(old)
                let inParts = DeltaBase(unfilled: old, parts: parts) {}
                for part in (0..<parts).reversed() { inParts.fill(part: part) }
                pair.new.withUnsafeBytes { new in
                    #expect(CopyFinder.matches(of: new, in: whole) == CopyFinder.matches(of: new, in: inParts))
                    #expect(MatchFinder.matches(of: new, in: whole) == MatchFinder.matches(of: new, in: inParts))
                }
            }
        }
    }

    @Test func foretellsWordsThatPoint() throws {
        var generator = SeededGenerator(seed: 6)
        for bigEndian in [false, true] {
            let pair = DeltaPairs.shiftedOffsets(bigEndian: bigEndian, phase: 1, &generator)
            // 20 000 words changed, which plain differences would tell one by one; they point to 512 places.
            #expect(try DeltaRoundTrip.delta(pair).joined().count < 5000)
        }
    }

    @Test(arguments: [4, 40])
    func findsNumbersThatAllChangedALittle(header: Int) throws {
        var generator = SeededGenerator(seed: 10)
        let pair = DeltaPairs.retrained(header: header, &generator)
        let delta = try DeltaRoundTrip.delta(pair, pieceSize: 40_000)
        // Of each word's four bytes one is new.
        #expect(delta.joined().count < pair.new.count / 3)
    }

    @Test func saysMeasuredNumbersInColumns() throws {
        var generator = SeededGenerator(seed: 15)
        func check(_ pair: DeltaPairs.Pair, _ unit: ResidualModel.Unit, phase: UInt8, most: Int) throws {
            let delta = try DeltaRoundTrip.delta(pair)
            let model = delta[0][DeltaFormat.pieceHeadSize]
            #expect(delta.count == 1 && model == unit.rawValue | phase << 4, "\(pair): \(model)")
            #expect(delta.joined().count < most, "\(pair): \(delta.joined().count)")
        }
        // 30 000 numbers of 6.9 bits; bytes carry over into their neighbours.
        try check(DeltaPairs.measured(UInt16.self, by: 60, header: 3, &generator), .halves, phase: 1, most: 28_000)
        // 30 000 numbers of 15.9 bits, in two bytes and hardly more.
        try check(DeltaPairs.measured(UInt32.self, by: 30_000, header: 6, &generator), .singles, phase: 2, most: 61_500)
    }

    @Test(arguments: [(16, 10_500), (32, 10_500)])
    func recordsInAnotherOrderCostTheirOrder(size: Int, most: Int) throws {
        var generator = SeededGenerator(seed: 12)
        let pair = DeltaPairs.shuffledRecords(size: size, &generator)
        // Each of 4000 places takes two and a half bytes.
        let count = try DeltaRoundTrip.delta(pair).joined().count
        #expect(count < most, "\(count)")
    }

    @Test func whatIsNewIsInTheWordsOfTheOld() throws {
        var generator = SeededGenerator(seed: 14)
        let pair = DeltaPairs.rewritten(&generator)
        let delta = try DeltaRoundTrip.delta(pair)
        #expect(delta.count == 1 && delta[0][DeltaFormat.pieceHeadSize] & InstructionPiece.literalPrefixFlag != 0)
        // 100 sentences of 20 words, each of which stands at one of 4000 known places; as letters they are 10 kB.
        #expect(delta.joined().count < 7500, "\(delta.joined().count)")
    }

    @Test func doesNotPutTheLinesOfALogTogetherFromOthers() throws {
        var generator = SeededGenerator(seed: 13)
        let pair = DeltaPairs.logLines(count: 8000, &generator)
        let coder = try StreamCoder()
        let added = Array(pair.new.suffix(pair.new.count * 2 / 3))
        let alone = added.withUnsafeBytes { coder.encode($0, slowBytes: .max).count }
        let count = try DeltaRoundTrip.delta(pair).joined().count
        #expect(count < alone + alone / 20, "\(count) for \(alone)")
    }

    @Test func codesRisingWordsAsDifferences() throws {
        var generator = SeededGenerator(seed: 7)
        let pair = DeltaPairs.risingWords(&generator)
        let coder = try StreamCoder()
        let plain = pair.new.withUnsafeBytes { coder.encode($0, slowBytes: .max).count }
        #expect(try DeltaRoundTrip.delta(pair).joined().count < plain - 1000)
    }

    @Test func neverMakesMuchMoreThanTheTarget() throws {
        var generator = SeededGenerator(seed: 8)
        for count in [1, 100, 65_537] {
            let pair = DeltaPairs.Pair(description: "noise", old: [], new: DeltaPairs.bytes(count, &generator))
            #expect(try DeltaRoundTrip.delta(pair).joined().count <= count + 64)
        }
    }
}
