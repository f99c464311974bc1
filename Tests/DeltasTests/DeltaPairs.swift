// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport

@testable import Deltas

/// Old and new bytes of many kinds.
enum DeltaPairs {
    struct Pair: CustomStringConvertible {
        let description: String
        let old: [UInt8]
        let new: [UInt8]
    }

    static func all(seed: UInt64) -> [Pair] {
        var generator = SeededGenerator(seed: seed)
        let noise = bytes(20_000, &generator)
        let words = text(30_000, &generator)
        return [
            Pair(description: "nothing to nothing alike", old: [], new: bytes(5000, &generator)),
            Pair(description: "the same", old: noise, new: noise),
            Pair(description: "one byte", old: [7], new: [8]),
            Pair(
                description: "zeros", old: [UInt8](repeating: 0, count: 9000), new: [UInt8](repeating: 0, count: 20_000)
            ),
            Pair(description: "moved", old: noise, new: Array(noise[12_345...] + noise[..<12_345])),
            Pair(description: "edited noise", old: noise, new: edited(noise, &generator)),
            Pair(description: "edited text", old: words, new: edited(words, &generator)),
            Pair(description: "text from nothing", old: [], new: words),
            shiftedOffsets(bigEndian: false, phase: 0, &generator),
            shiftedOffsets(bigEndian: true, phase: 3, &generator),
            shuffledRecords(&generator), logLines(&generator), risingWords(&generator),
            retrained(header: 4, &generator), retrained(header: 40, &generator), rewritten(&generator),
            measured(UInt16.self, by: 60, header: 3, &generator),
            measured(UInt32.self, by: 30_000, header: 6, &generator),
        ]
    }

    static func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    static func text(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let words = (0..<300).map { _ in
            (0..<Int.random(in: 2...9, using: &generator)).map { _ in UInt8.random(in: 97...122, using: &generator) }
        }
        var result: [UInt8] = []
        while result.count < count {
            result += words[Int.random(in: 0..<words.count, using: &generator)] + [32]
        }
        return result
    }

    /// Numbers of which each changed a little more or less, up or down, as weights do that were trained on.
    static func measured<Number: FixedWidthInteger & UnsignedInteger & Sendable>(
        _ type: Number.Type, by most: Int, header: Int, _ generator: inout SeededGenerator
    ) -> Pair {
        var old = bytes(header, &generator)
        var new = old
        let (quarter, margin) = (Number.max / 4, Number(most))
        for _ in 0..<30_000 {
            let number = Number.random(in: margin...quarter, using: &generator)
            let change = Int.random(in: -most...most, using: &generator)
            for (number, isNew) in [(number, false), (Number(truncatingIfNeeded: Int(number) + change), true)] {
                let stored = withUnsafeBytes(of: number.littleEndian) { Array($0) }
                if isNew { new += stored } else { old += stored }
            }
        }
        return Pair(description: "measured \(type)", old: old, new: new)
    }

    /// Prose of which sentences were rewritten: what is new is made of words that stand elsewhere in the old.
    static func rewritten(_ generator: inout SeededGenerator) -> Pair {
        let words = (0..<4000).map { _ in
            (0..<Int.random(in: 4...10, using: &generator)).map { _ in UInt8.random(in: 97...122, using: &generator) }
        }
        func sentence() -> [UInt8] {
            (0..<20).flatMap { _ in words[Int.random(in: 0..<words.count, using: &generator)] + [32] }
        }
        let old = (0..<1500).map { _ in sentence() }
        let new = old.enumerated().map { $0.offset.isMultiple(of: 15) ? sentence() : $0.element }
        return Pair(description: "rewritten prose", old: Array(old.joined()), new: Array(new.joined()))
    }

    static func edited(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var result = bytes
        for _ in 0..<40 {
            let place = Int.random(in: 0..<result.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: result[place] &+= 1
            case 1: result.insert(contentsOf: self.bytes(5, &generator), at: place)
            default: result.removeSubrange(place..<min(result.count, place + 9))
            }
        }
        return result
    }

    /// Words that point into a space in which something was put in here and there.
    static func shiftedOffsets(bigEndian: Bool, phase: Int, _ generator: inout SeededGenerator) -> Pair {
        var old = bytes(phase, &generator)
        var new = old
        for index in 0..<20_000 {
            let offset = UInt32.random(in: 0..<2 << 20, using: &generator)
            let moved = offset &+ (offset >> 17) * 36
            for (word, isNew) in [(offset, false), (moved, true)] {
                let stored = withUnsafeBytes(of: bigEndian ? word.bigEndian : word.littleEndian) { Array($0) }
                if isNew { new += stored } else { old += stored }
            }
            if index % 8 == 0 {
                let name = text(24, &generator)
                let padded = Array(name[..<24])
                old += padded
                new += padded
            }
        }
        return Pair(description: "shifted offsets\(bigEndian ? ", big endian" : "")", old: old, new: new)
    }

    /// The same records in another order.
    static func shuffledRecords(size: Int = 32, _ generator: inout SeededGenerator) -> Pair {
        let records = (0..<4000).map { _ in bytes(size, &generator) }
        let old = Array(records.joined())
        return Pair(
            description: "shuffled records", old: old, new: Array(records.shuffled(using: &generator).joined()))
    }

    /// A log that went on, of lines that resemble all others and are none of them.
    static func logLines(count: Int = 500, _ generator: inout SeededGenerator) -> Pair {
        func line(_ number: Int) -> [UInt8] {
            let request = UInt32.random(in: 0...UInt32.max, using: &generator)
            let status = [200, 200, 200, 304, 404][Int.random(in: 0..<5, using: &generator)]
            let path = ["items", "users", "packs"][Int.random(in: 0..<3, using: &generator)]
            return Array(
                #"{"at":"2026-11-22T17:\#(number % 60)","level":"info","path":"/api/v2/\#(path)/\#(request % 5000)","#
                    .utf8)
                + Array(#""agent":"Mozilla/5.0 (X11; Linux x86_64)","status":\#(status),"id":\#(request)}\#n"#.utf8)
        }
        let old = (0..<count).flatMap(line)
        return Pair(
            description: "log lines", old: old, new: Array(old.dropFirst(old.count / 2)) + (0..<count).flatMap(line))
    }

    /// Two kinds of words in turn, of which one rises slowly.
    static func risingWords(_ generator: inout SeededGenerator) -> Pair {
        var new: [UInt8] = []
        var rising: UInt32 = 0x8000_0000
        for _ in 0..<5000 {
            let rises = Bool.random(using: &generator)
            if rises { rising += UInt32.random(in: 1...9, using: &generator) * 300 }
            let word = rises ? rising : UInt32.random(in: 0..<1 << 20, using: &generator)
            withUnsafeBytes(of: word.littleEndian) { new += $0 }
        }
        return Pair(description: "rising words", old: [], new: new)
    }

    /// Words of which each changed a little, so that nowhere eight bytes in a row are as they were, and a head that grew.
    static func retrained(header: Int, _ generator: inout SeededGenerator) -> Pair {
        var old = bytes(4, &generator)
        var new = bytes(header, &generator)
        for _ in 0..<30_000 {
            let word = UInt32.random(in: 0x0100_0000...0xF000_0000, using: &generator)
            let changed = word &+ UInt32.random(in: 1...200, using: &generator)
            withUnsafeBytes(of: word.littleEndian) { old += $0 }
            withUnsafeBytes(of: changed.littleEndian) { new += $0 }
        }
        return Pair(description: "retrained, after \(header) bytes", old: old, new: new)
    }
}

/// A delta of any length, and back.
enum DeltaRoundTrip {
    static func delta(_ pair: DeltaPairs.Pair, pieceSize: Int = DeltaFormat.pieceSize) throws -> [[UInt8]] {
        let encoder = try DeltaEncoder()
        return pair.old.withUnsafeBytes { old in
            let base = DeltaBase(old)
            return pair.new.withUnsafeBytes { new in
                stride(from: 0, to: new.count, by: pieceSize).map { start in
                    encoder.encode(
                        UnsafeRawBufferPointer(rebasing: new[start..<min(start + pieceSize, new.count)]), base: base,
                        places: [start, old.count - new.count + start], isSlowAllowed: start == 0)
                }
            }
        }
    }

    static func apply(_ piece: [UInt8], to old: [UInt8]) throws -> [UInt8] {
        try piece.withUnsafeBytes { piece in
            let headSize = min(piece.count, DeltaFormat.pieceHeadSize)
            let head = try DeltaPieceHead(UnsafeRawBufferPointer(rebasing: piece[..<headSize]))
            var target = [UInt8](repeating: 0xA5, count: head.targetSize)
            try old.withUnsafeBytes { old in
                try target.withUnsafeMutableBytes { target in
                    try DeltaDecoder().decode(
                        head, payload: UnsafeRawBufferPointer(rebasing: piece[headSize...]),
                        base: DeltaMemorySource(old), into: target)
                }
            }
            return target
        }
    }
}
