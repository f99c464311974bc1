// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension DeltaEncoder {
    /// One piece, head and payload, of a target of which parts are known.
    /// - Parameters:
    ///   - target: of what is known, anything may stand there.
    ///   - bytes: of the base, where anything may stand outside the spans.
    ///   - base: the spans of the base, one behind the other; asked for if there is something to compare.
    ///   - counterparts: as in `encodeUnmoved`.
    ///   - isSlowAllowed: as in `encode`.
    ///   - require: called before other bytes of the base are read: brings them there.
    /// - Throws: what `require` throws.
    package func encode(
        _ target: UnsafeRawBufferPointer, known: KnownStretches, bytes: UnsafeRawBufferPointer, base: () -> DeltaBase,
        counterparts: [Match], isSlowAllowed: Bool, require: (Range<Int>) throws -> Void
    ) throws -> [UInt8] {
        let slowBytes = Self.slowBytes(of: target.count, isSlowAllowed)
        func draft(_ instructions: [Instruction]) -> InstructionPiece.Draft {
            InstructionPiece.draft(
                target, base: bytes, instructions, otherwise: known.instructions(with: []), coder: coder,
                slowBytes: slowBytes)
        }
        var best = unmoved(target, known: known, bytes: bytes, counterparts: counterparts).map(draft).min {
            $0.size < $1.size
        }
        if best == nil, known.targetSpans.count > 0 {
            let left = UnsafeMutableRawBufferPointer.allocate(byteCount: known.targetSpans.count, alignment: 16)
            defer { left.deallocate() }
            known.targetSpans.gather(target, into: left)
            let base = base()
            for way in promising(UnsafeRawBufferPointer(left), base, [], slowBytes, isPrefixable: false) {
                let other = draft(
                    known.instructions(with: way.instructions(for: UnsafeRawBufferPointer(left), base)))
                if other.size < best?.size ?? .max { best = other }
            }
        }
        let chosen = best ?? draft(known.instructions(with: []))
        if let range = chosen.prefix { try require(range) }
        return DeltaPieceHead.encode(
            method: .instructions, targetSize: target.count, payload: chosen.finished(base: bytes, coder: coder))
    }
}
