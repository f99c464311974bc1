// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@testable import Deltas

@Suite struct RowTests {
    /// Pieces of a target that is contents one behind the other.
    private func pieces(
        _ contents: [[UInt8]], base: [UInt8] = [], size: Int
    ) throws -> [[UInt8]] {
        let encoder = try DeltaEncoder()
        let target = contents.flatMap { $0 }
        var start = 0
        let triangles = contents.compactMap { content -> Range<Int>? in
            defer { start += content.count }
            return content.withUnsafeBytes { TriangleMesh.triangles(of: $0) }.map {
                start + $0.lowerBound..<start + $0.upperBound
            }
        }
        return base.withUnsafeBytes { base in
            target.withUnsafeBytes { target in
                stride(from: 0, to: target.count, by: size).map { start in
                    let piece = UnsafeRawBufferPointer(rebasing: target[start..<min(start + size, target.count)])
                    return encoder.encode(
                        piece, triangles: triangles.map { $0.lowerBound - start..<$0.upperBound - start }, bytes: base,
                        counterparts: base.isEmpty ? [] : [Match(target: 0, base: start, count: piece.count)]
                    ) { encoder.encode(piece, base: DeltaBase(base), isSlowAllowed: true) }
                }
            }
        }
    }

    @Test(arguments: [1 << 20, 40_000, 7777])
    func givesMeshesAgain(size: Int) throws {
        var generator = SeededGenerator.forTest()
        let text = DeltaPairs.text(900, &generator)
        let contents = [generator.mesh(20), text, generator.mesh(31), text, generator.mesh(7)]
        let pieces = try pieces(contents, size: size)
        #expect(pieces.contains { $0[0] == DeltaFormat.Method.rows.rawValue })
        #expect(try pieces.flatMap { try DeltaRoundTrip.apply($0, to: []) } == contents.flatMap { $0 })
    }

    @Test func cornersThatComeAgainTakeHardlyAnything() throws {
        var generator = SeededGenerator.forTest()
        let mesh = generator.mesh(60)
        let pieces = try pieces([mesh], size: 1 << 20)
        let plain = try mesh.withUnsafeBytes { try StreamCoder().encode($0, slowBytes: .max).count }
        // A normal of 12 bytes is new for each triangle, and a corner for every second.
        #expect(pieces.count == 1 && pieces[0].count < plain / 8 * 7, "\(pieces[0].count) for \(plain)")
    }

    @Test func aMeshThatIsThereIsNotToldAgain() throws {
        var generator = SeededGenerator.forTest()
        let mesh = generator.mesh(40)
        var changed = mesh
        changed[5000] ^= 1
        let pieces = try pieces([changed], base: mesh, size: 1 << 20)
        #expect(pieces.joined().count < 100)
        #expect(try DeltaRoundTrip.apply(pieces[0], to: mesh) == changed)
    }

    /// Nothing in it stands anywhere as it did, and each number is as it was but for its lowest bits.
    @Test func aMeshThatWasMeasuredAgainIsToldByTheOld() throws {
        var generator = SeededGenerator.forTest()
        let mesh = generator.mesh(60)
        var changed = mesh
        for place in stride(from: 84, to: mesh.count, by: 50) {
            for word in 0..<12 { changed[place + 4 * word] ^= UInt8.random(in: 0...7, using: &generator) }
        }
        let asNew = try pieces([changed], size: 1 << 20)
        let pieces = try pieces([changed], base: mesh, size: 1 << 20)
        #expect(pieces.joined().count < asNew.joined().count / 2)
        #expect(try DeltaRoundTrip.apply(pieces[0], to: mesh) == changed)
    }

    @Test func runsAreBounded() throws {
        func runs(_ count: Int) throws -> RowRuns {
            var bytes: [UInt8] = []
            DeltaNumbers.append(UInt64(count), to: &bytes)
            for _ in 0..<count { bytes += [1, 1] }
            return try bytes.withUnsafeBytes { bytes in
                var reader = DeltaReader(bytes)
                return try RowRuns(&reader, rowSize: 1, targetSize: 1 << 20)
            }
        }
        #expect(try runs(4096).rowBytes == 4096)
        #expect(throws: DeltaError.self) { try runs(4097) }
    }

    @Test func onlyWholeMeshesAreSuch() {
        var generator = SeededGenerator.forTest()
        let mesh = generator.mesh(9)
        func triangles(_ bytes: [UInt8]) -> Range<Int>? { bytes.withUnsafeBytes { TriangleMesh.triangles(of: $0) } }
        #expect(triangles(mesh) == 84..<mesh.count)
        #expect(triangles(mesh + [0]) == nil)
        #expect(triangles(mesh.dropLast()) == nil)
        #expect(triangles(Array(mesh.prefix(80))) == nil)
        #expect(triangles([]) == nil)
        #expect(triangles(generator.mesh(2)) == nil, "too few to gain anything")
    }

    @Test func damagedRowsGiveBytesOrErrors() throws {
        var generator = SeededGenerator.forTest()
        let piece = try pieces([generator.mesh(12)], size: 1 << 20)[0]
        #expect(piece[0] == DeltaFormat.Method.rows.rawValue)
        var errors = 0
        for round in 0..<600 {
            var damaged = piece
            // The layout and the streams' heads, every other time.
            let reach = round % 2 == 0 ? 40 : piece.count
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                damaged[Int.random(in: 9..<reach, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            do {
                _ = try DeltaRoundTrip.apply(damaged, to: [])
            } catch let error as DeltaError {
                #expect(error.code == .damaged)
                errors += 1
            }
        }
        #expect(errors > 200)
    }

    @Test func impossibleLayoutsAreErrors() throws {
        func layout(_ bytes: [UInt8]) throws -> RowLayout {
            try bytes.withUnsafeBytes { bytes in
                var reader = DeltaReader(bytes)
                return try RowLayout(&reader)
            }
        }
        #expect(try layout(RowLayout.triangles.encoded) == .triangles)
        // A size, how many sets and their words, how many vectors, and for each the bytes before it and its set.
        #expect(try layout([8, 1, 2, 1, 0, 0]).rest.isEmpty)
        #expect(try layout([12, 1, 2, 1, 1, 0]).rest == [0..<1, 9..<12])
        for bytes in [
            [0, 0, 0], [8, 5, 2, 2, 2, 2, 2, 0], [8, 1, 1, 0], [8, 1, 9, 0], [8, 1, 2, 17], [8, 1, 2, 1, 1, 0],
            [16, 1, 2, 1, 0, 1], [12, 1, 2, 2, 0, 0, 0, 0], [8, 1, 2, 1, 0],
        ] as [[UInt8]] {
            #expect(throws: DeltaError.self, "\(bytes)") { try layout(bytes) }
        }
    }

    @Test func vectorsThatNeverCameAreErrors() throws {
        func piece(references: [UInt8], count: UInt8, words: [UInt8], rest: [UInt8] = []) -> [UInt8] {
            var payload: [UInt8] = [8, 1, 2, 1, 0, 0, 1, 0, UInt8(references.count), count]
            payload += [UInt8(references.count + 1), 0] + references
            for word in words { payload += [2, 0, word] }
            return DeltaPieceHead.encode(
                method: .rows, targetSize: 8 * references.count, payload: payload + rest)
        }
        let words: [UInt8] = [2, 0, 0, 0, 4, 0, 0, 0]
        let vector: [UInt8] = [1, 0, 0, 0, 2, 0, 0, 0]
        #expect(try DeltaRoundTrip.apply(piece(references: [0, 1], count: 1, words: words), to: []) == vector + vector)
        for (references, count) in [([0, 2], 1), ([1, 0], 1), ([0, 0], 1)] as [([UInt8], UInt8)] {
            #expect(throws: DeltaError.self) {
                try DeltaRoundTrip.apply(piece(references: references, count: count, words: words), to: [])
            }
        }
        #expect(throws: DeltaError.self, "more follows") {
            try DeltaRoundTrip.apply(piece(references: [0, 1], count: 1, words: words, rest: [0]), to: [])
        }
    }
}
