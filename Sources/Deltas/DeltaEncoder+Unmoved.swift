// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension DeltaEncoder {
    /// One piece, head and payload, of a target of which nothing moved and hardly anything changed. Takes no table of the base.
    /// - Parameters:
    ///   - target: as in `encode`.
    ///   - bytes: of the base.
    ///   - counterparts: what the target likely is a later state of: in its order, none over another.
    ///   - isSlowAllowed: as in `encode`.
    /// - Returns: nil when more changed, or when not all of the target has its counterpart.
    package func encodeUnmoved(
        _ target: UnsafeRawBufferPointer, bytes: UnsafeRawBufferPointer, counterparts: [Match], isSlowAllowed: Bool
    ) -> [UInt8]? {
        guard counterparts.reduce(0, { $0 + $1.count }) == target.count,
            let unmoved = UnmovedMatches(target, base: bytes, counterparts: counterparts)
        else { return nil }
        let slowBytes = Self.slowBytes(of: target.count, isSlowAllowed)
        let drafts = [
            Instruction.copies(unmoved.equal),
            Instruction.instructions(for: counterparts, target: target, base: bytes),
        ].map { InstructionPiece.draft(target, base: bytes, $0, coder: coder, slowBytes: slowBytes) }
        return drafts.min { $0.size < $1.size }.map { draft in
            DeltaPieceHead.encode(
                method: .instructions, targetSize: target.count, payload: draft.finished(base: bytes, coder: coder))
        }
    }

    /// The ways to say a target of which parts are known, and of which the rest stands beside its counterparts almost as it is.
    /// - Returns: none when more changed, or when something has no counterpart that is there.
    func unmoved(
        _ target: UnsafeRawBufferPointer, known: KnownStretches, bytes: UnsafeRawBufferPointer, counterparts: [Match]
    ) -> [[Instruction]] {
        let unknown = known.targetSpans.ranges.flatMap { span in counterparts.compactMap { $0.clamped(to: span) } }
        guard unknown.reduce(0, { $0 + $1.count }) == known.targetSpans.count,
            unknown.allSatisfy({ known.baseSpans.hold($0.base..<$0.base + $0.count) }),
            let unmoved = UnmovedMatches(target, base: bytes, counterparts: unknown)
        else { return [] }
        return [
            Instruction.copies(unmoved.equal), Instruction.instructions(for: unknown, target: target, base: bytes),
        ].map { (Instruction.copies(known.copies) + $0).sorted { $0.target < $1.target } }
    }
}
