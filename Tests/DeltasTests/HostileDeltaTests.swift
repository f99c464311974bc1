// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@testable import Deltas

@Suite struct HostileDeltaTests {
    /// Whatever is changed, there are as many bytes as the head says, or an error of this room.
    @Test(arguments: [11, 12, 13] as [UInt64])
    func damagedDeltasGiveBytesOrErrors(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var errors = 0
        for pair in DeltaPairs.all(seed: seed) {
            for piece in try DeltaRoundTrip.delta(pair) {
                for _ in 0..<60 {
                    var damaged = piece
                    for _ in 0..<Int.random(in: 1...4, using: &generator) {
                        let place = Int.random(in: 0..<min(damaged.count, 200), using: &generator)
                        damaged[place] = UInt8.random(in: 0...255, using: &generator)
                    }
                    if Int.random(in: 0..<4, using: &generator) == 0 { damaged.removeLast(damaged.count / 3) }
                    do {
                        _ = try DeltaRoundTrip.apply(damaged, to: pair.old)
                    } catch let error as DeltaError {
                        #expect(error.code == .damaged)
                        errors += 1
                    }
                }
            }
        }
        #expect(errors > 100, "seed \(seed)")
    }

    @Test func headsArePromisesWithLimits() throws {
        func head(target: Int, payload: Int) throws -> DeltaPieceHead {
            var bytes: [UInt8] = [2]
            for number in [target, payload] {
                for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
            }
            return try bytes.withUnsafeBytes { try DeltaPieceHead($0) }
        }
        #expect(try head(target: 10, payload: 20).targetSize == 10)
        #expect(throws: DeltaError.self) { try head(target: 0, payload: 20) }
        #expect(throws: DeltaError.self) { try head(target: DeltaFormat.pieceSize + 1, payload: 20) }
        #expect(throws: DeltaError.self) { try head(target: 10, payload: 1000) }
    }

    @Test func placesOutsideOfTheBaseAreErrors() throws {
        // No residuals, no classes; no literals, 100 bytes as they are, from place 50, as a difference and in columns.
        for (form, place) in [(UInt8(0), UInt8(100)), (0x40, 50)] {
            let control: [UInt8] = [1, 2, 0, 0, 2, 3, 0, 200, 1, 1, 2, 0, place]
            let payload = [form, 0] + control + [0, 0, 0]
            let piece = DeltaPieceHead.encode(method: .instructions, targetSize: 100, payload: payload)
            let old = [UInt8](repeating: 3, count: 150)
            #expect(try DeltaRoundTrip.apply(piece, to: old) == [UInt8](repeating: 3, count: 100))
            #expect(throws: DeltaError.self) { try DeltaRoundTrip.apply(piece, to: Array(old.dropLast())) }
        }
    }

    @Test func valuesStandInColumnsOfOneHeight() throws {
        // No literals; four bytes of the base's beginning, to which a number is added; no gap.
        let control: [UInt8] = [1, 2, 0, 0, 1, 2, 0, 9, 1, 2, 0, 0, 1, 2, 0, 0]
        func piece(_ values: [UInt8]) -> [UInt8] {
            let stream = [UInt8(values.count), UInt8(values.count + 1), 0] + values
            return DeltaPieceHead.encode(
                method: .instructions, targetSize: 4, payload: [4, 0] + control + stream + [0])
        }
        #expect(try DeltaRoundTrip.apply(piece([4, 2, 0, 0]), to: [254, 0, 7, 9]) == [0, 2, 7, 9])
        #expect(try DeltaRoundTrip.apply(piece([3, 0, 0, 0]), to: [1, 0, 7, 9]) == [255, 255, 6, 9])
        for count in [0, 3, 5] {
            #expect(throws: DeltaError.self) {
                try DeltaRoundTrip.apply(piece([UInt8](repeating: 0, count: count)), to: [1, 2, 3, 4])
            }
        }
    }

    @Test func aPrefixOutsideOfTheBaseIsAnError() throws {
        let control: [UInt8] = [1, 2, 0, 0, 2, 3, 0, 200, 1, 1, 2, 0, 0, 0, 0]
        let old = [UInt8](repeating: 3, count: 120)
        for (start, count, isSound) in [(0, 120, true), (120, 0, true), (121, 0, false), (100, 21, false)] {
            let payload = [InstructionPiece.literalPrefixFlag, 0] + control + [UInt8(start), UInt8(count), 0]
            let piece = DeltaPieceHead.encode(method: .instructions, targetSize: 100, payload: payload)
            if isSound {
                #expect(try DeltaRoundTrip.apply(piece, to: old) == Array(old.prefix(100)))
            } else {
                #expect(throws: DeltaError.self) { try DeltaRoundTrip.apply(piece, to: old) }
            }
        }
    }

    @Test func placesStandInColumnsOfOneHeight() throws {
        for size in [0, 1, 255, 256, 65_535, 65_536, 1 << 24, 1 << 41] {
            #expect(CopyPlaces.width(baseSize: size) == max(1, (Int.bitWidth - size.leadingZeroBitCount + 7) / 8))
        }
        let places = [7, 300, 65_535, 0, 299]
        let columns = CopyPlaces.columns(places, baseSize: 65_535)
        #expect(columns == [7, 44, 255, 0, 43, 0, 1, 255, 0, 1])
        try columns.withUnsafeBytes { columns in
            var reader = try CopyPlaceReader(columns, inColumns: true, baseSize: 65_535)
            for place in places {
                #expect(!reader.isAtEnd)
                #expect(try reader.next(expected: 5) == place)
            }
            #expect(reader.isAtEnd)
            #expect(throws: DeltaError.self) { try reader.next(expected: 5) }
            #expect(throws: DeltaError.self) {
                try CopyPlaceReader(
                    UnsafeRawBufferPointer(rebasing: columns.dropLast()), inColumns: true, baseSize: 65_535)
            }
        }
    }
}
