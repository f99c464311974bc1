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

    /// The delta of a target that is held against what it stands beside; nil when more changed.
    private func unmovedDelta(_ old: [UInt8], _ new: [UInt8], _ counterparts: [Match]) throws -> [UInt8]? {
        let encoder = try DeltaEncoder()
        return old.withUnsafeBytes { old in
            new.withUnsafeBytes { new in
                encoder.encodeUnmoved(new, bytes: old, counterparts: counterparts, isSlowAllowed: false)
            }
        }
    }

    @Test func findsStampsWithoutATable() throws {
        var generator = SeededGenerator.forTest()
        let files = (0..<40).map { _ in DeltaPairs.bytes(Int.random(in: 2000...9000, using: &generator), &generator) }
        var old: [UInt8] = []
        var new: [UInt8] = []
        var counterparts: [Match] = []
        for (number, file) in files.enumerated() {
            counterparts.append(Match(target: new.count, base: old.count, count: file.count))
            var changed = file
            let length = Int.random(in: 1...20, using: &generator)
            let start = [0, 700, file.count - length][number % 3]
            changed.replaceSubrange(start..<start + length, with: DeltaPairs.bytes(length, &generator))
            new += changed
            // What is not in the new version stands between.
            old += file + DeltaPairs.bytes(100, &generator)
        }
        let delta = try #require(try unmovedDelta(old, new, counterparts))
        #expect(delta.count < 40 * 30)
        #expect(try DeltaRoundTrip.apply(delta, to: old) == new)
        #expect(try unmovedDelta(old, new, counterparts.dropLast()) == nil, "a file has no counterpart")

        var moved = new
        moved.insert(1, at: 5000)
        moved.removeLast()
        #expect(try unmovedDelta(old, moved, counterparts) == nil)
        var longer = new
        longer.replaceSubrange(1000..<1100, with: DeltaPairs.bytes(100, &generator))
        #expect(try unmovedDelta(old, longer, counterparts) == nil)
    }

    /// Numbers that all changed a little, and that are made of a few others: in earnest these take fewer bytes than the differences.
    @Test func literalsAreJudgedInEarnestBesideNumbers() throws {
        var generator = SeededGenerator.forTest()
        let tokens = (0..<256).map { _ in DeltaPairs.bytes(6, &generator) }
        let new = (0..<60_000).flatMap { _ in tokens[Int.random(in: 0..<256, using: &generator)] }
        var old: [UInt8] = []
        for start in stride(from: 0, to: new.count, by: 4) {
            let word = new[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let changed = word &+ UInt32.random(in: 1...1 << 15, using: &generator)
            withUnsafeBytes(of: changed.littleEndian) { old += $0 }
        }
        let pair = DeltaPairs.Pair(description: "tokens", old: old, new: new)
        #expect(try DeltaRoundTrip.delta(pair).joined().count < new.count * 2 / 5)
    }

    @Test func neverMakesMuchMoreThanTheTarget() throws {
        var generator = SeededGenerator(seed: 8)
        for count in [1, 100, 65_537] {
            let pair = DeltaPairs.Pair(description: "noise", old: [], new: DeltaPairs.bytes(count, &generator))
            #expect(try DeltaRoundTrip.delta(pair).joined().count <= count + 64)
        }
    }
}
