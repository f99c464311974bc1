// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Makes a delta piece by piece: from the base and a piece of the target what a `DeltaDecoder` makes the piece of again.
/// Of one thread; encoders of several threads share a base. The same base and target give the same bytes.
package final class DeltaEncoder {
    /// Of a piece's target this part may be slow to decode, at twenty megabytes a second, without its being noticed.
    private static let unnoticedPart = 32
    /// Pieces up to that size are tried in every way that is not clearly worse.
    private static let smallPiece = 1 << 20

    private let coder: StreamCoder

    /// - Parameter memory: what the encoders of several threads share.
    /// - Throws: `DeltaError.library` when libzstd is not there.
    package init(memory: CodingMemory = CodingMemory()) throws { coder = try StreamCoder(memory: memory) }

    /// One piece, head and payload.
    /// - Parameters:
    ///   - target: at least one byte and at most `DeltaFormat.pieceSize`.
    ///   - isSlowAllowed: whether size counts more than the time to decode.
    package func encode(_ target: UnsafeRawBufferPointer, base: DeltaBase, isSlowAllowed: Bool) -> [UInt8] {
        let matches = MatchFinder.matches(of: target, in: base)
        base.releasePages()
        defer { base.releasePages() }
        let range = PrefixedPiece.range(for: matches, baseSize: base.bytes.count)
        var best: (method: DeltaFormat.Method, payload: [UInt8])?
        let (instructions, prefixed) = estimates(target, base, matches, range)
        let slowBytes = isSlowAllowed ? target.count : target.count / Self.unnoticedPart + 1024
        // Estimates are rough: of a small piece, what is not much worse is tried in full.
        let isSmall = target.count <= Self.smallPiece
        if prefixed < instructions - instructions / 10 || (isSmall && prefixed <= instructions + instructions / 8) {
            let payload = PrefixedPiece.encode(
                target, base: base.bytes, range: range, coder: coder, slowBytes: slowBytes)
            best = (.prefixed, payload)
        }
        if best == nil || (isSmall && instructions <= prefixed + prefixed / 2) {
            let payload = InstructionPiece.encode(
                target, base: base.bytes, matches: matches, coder: coder, slowBytes: slowBytes)
            if payload.count < best?.payload.count ?? .max { best = (.instructions, payload) }
        }
        let chosen =
            best
            ?? (
                .prefixed,
                PrefixedPiece.encode(target, base: base.bytes, range: 0..<0, coder: coder, slowBytes: slowBytes)
            )
        return DeltaPieceHead.encode(method: chosen.method, targetSize: target.count, payload: chosen.payload)
    }

    /// How many bytes a piece has with either method, about.
    private func estimates(
        _ target: UnsafeRawBufferPointer, _ base: DeltaBase, _ matches: [Match], _ range: Range<Int>
    ) -> (instructions: Int, prefixed: Int) {
        // Without anything alike a prefix is no help, and instructions have the better literals.
        guard !matches.isEmpty else { return (0, .max / 2) }
        let instructions = InstructionPiece.estimate(target, base: base.bytes, matches: matches, coder: coder)
        // Hardly anything to say is said best by instructions.
        guard instructions > 64 else { return (instructions, .max / 2) }
        return (instructions, PrefixedPiece.estimate(target, base: base.bytes, range: range, coder: coder))
    }
}
