// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Deltas
import FuzzSupport
import TestSupport

/// Mutated deltas must end in as many bytes as their head says, or in one kind of error; and what an encoder makes of any
/// target, a decoder must make the target of again.
@main
enum DeltaFuzz {
    static func main() throws {
        let encoder = try DeltaEncoder()
        let decoder = try DeltaDecoder()
        var generator = SeededGenerator(seed: 1)
        let old = generator.bytes(30_000, redundancy: true)
        var corpus: [[UInt8]] = []
        for count in [1, 500, 20_000] {
            var target = Array(old.prefix(count)) + generator.bytes(count / 10 + 1, redundancy: true)
            target[count / 2] &+= 1
            corpus.append(piece(target, old, encoder))
        }
        corpus.append(rows(encoder, &generator))
        try Fuzzer(name: "fuzz-delta").run(corpus: corpus) { input, generator in
            try decode(input, old, decoder)
            if Int.random(in: 0..<50, using: &generator) == 0, !input.isEmpty {
                let made = try decode(piece(input, old, encoder), old, decoder)
                try Finding.require(made == input, "another target than went in")
            }
        }
    }

    private static func piece(_ target: [UInt8], _ old: [UInt8], _ encoder: DeltaEncoder) -> [UInt8] {
        old.withUnsafeBytes { old in
            let base = DeltaBase(old)
            return target.withUnsafeBytes { encoder.encode($0, base: base, isSlowAllowed: target.count % 2 == 0) }
        }
    }

    /// A mesh of triangles that have corners in common.
    private static func rows(_ encoder: DeltaEncoder, _ generator: inout SeededGenerator) -> [UInt8] {
        let mesh = generator.mesh(8)
        return mesh.withUnsafeBytes { mesh in
            encoder.encode(
                mesh, triangles: [84..<mesh.count], bytes: UnsafeRawBufferPointer(start: nil, count: 0),
                counterparts: []
            ) { [] }
        }
    }

    @discardableResult
    private static func decode(_ piece: [UInt8], _ old: [UInt8], _ decoder: DeltaDecoder) throws -> [UInt8]? {
        try piece.withUnsafeBytes { piece in
            let size = min(piece.count, DeltaFormat.pieceHeadSize)
            do {
                let head = try DeltaPieceHead(UnsafeRawBufferPointer(rebasing: piece[..<size]))
                var target = [UInt8](repeating: 0, count: head.targetSize)
                try old.withUnsafeBytes { old in
                    try target.withUnsafeMutableBytes { target in
                        try decoder.decode(
                            head, payload: UnsafeRawBufferPointer(rebasing: piece[size...]),
                            base: DeltaMemorySource(old), into: target)
                    }
                }
                return target
            } catch is DeltaError {
                return nil
            }
        }
    }
}
