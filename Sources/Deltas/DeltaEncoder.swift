// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Makes a delta piece by piece: from the base and a piece of the target what a `DeltaDecoder` makes the piece of again.
/// Of one thread; encoders of several threads share a base. The same base and target give the same bytes.
package final class DeltaEncoder {
    /// Of a piece's target this part may be slow to decode, at twenty megabytes a second, without its being noticed.
    private static let unnoticedPart = 32
    /// Pieces up to that size are tried in every way that is not clearly worse.
    private static let smallPiece = 1 << 20
    /// A prefix must save one byte of so many of a large target.
    private static let leastSaving = 100
    /// What takes fewer bytes than this needs no other way.
    private static let hardlyAnything = 64

    /// Copies that come to one byte of so many of the target or more may be chosen better.
    private static let worthComparing = 512
    /// What takes fewer bytes than one of so many of the target is found well enough.
    private static let muchOfAll = 16

    let coder: StreamCoder

    /// - Parameter memory: what the encoders of several threads share.
    /// - Throws: `DeltaError.library` when libzstd is not there.
    package init(memory: CodingMemory = CodingMemory()) throws { coder = try StreamCoder(memory: memory) }

    /// One piece, head and payload.
    /// - Parameters:
    ///   - target: at least one byte and at most `DeltaFormat.pieceSize`.
    ///   - places: where in the base the target may stand if nothing moved.
    ///   - isSlowAllowed: whether size counts more than the time to decode.
    package func encode(
        _ target: UnsafeRawBufferPointer, base: DeltaBase, places: [Int] = [], isSlowAllowed: Bool
    ) -> [UInt8] {
        defer { base.releasePages() }
        let slowBytes = Self.slowBytes(of: target.count, isSlowAllowed)
        var prefixed: [UInt8]?
        var draft: InstructionPiece.Draft?
        for way in promising(target, base, places, slowBytes) {
            switch way {
            case .prefixed(let range):
                prefixed = PrefixedPiece.encode(target, base: base.bytes, range: range, coder, slowBytes)
            case .copies, .differences, .inPlace:
                let other = InstructionPiece.draft(
                    target, base: base.bytes, way.instructions(for: target, base), coder: coder, slowBytes: slowBytes)
                if other.size < draft?.size ?? .max { draft = other }
            }
        }
        let instructions = draft?.finished(base: base.bytes, coder: coder)
        if let instructions, instructions.count < prefixed?.count ?? .max {
            return DeltaPieceHead.encode(method: .instructions, targetSize: target.count, payload: instructions)
        }
        let payload =
            prefixed ?? PrefixedPiece.encode(target, base: base.bytes, range: 0..<0, coder, slowBytes)
        return DeltaPieceHead.encode(method: .prefixed, targetSize: target.count, payload: payload)
    }

    static func slowBytes(of size: Int, _ isSlowAllowed: Bool) -> Int {
        isSlowAllowed ? size : size / unnoticedPart + 1024
    }

    /// The ways that are worth a try, by what they take for a sample.
    /// - Parameter isPrefixable: whether a prefix is one of them.
    func promising(
        _ target: UnsafeRawBufferPointer, _ base: DeltaBase, _ places: [Int], _ slowBytes: Int,
        isPrefixable: Bool = true
    ) -> [DeltaWay] {
        DeltaSample.with(target) { sample, starts in
            let slowSample = slowBytes * sample.count / target.count
            let (smallest, copying) = bestCopies(sample, base, slowBytes: slowSample)
            let differences = MatchFinder.matches(of: sample, in: base)
            let adding = Instruction.instructions(for: differences, target: sample, base: base.bytes)
            let differing = estimate(sample, base, adding)
            let instructions = min(copying, differing)
            if instructions > sample.count / Self.muchOfAll,
                let unmoved = UnmovedSample(sample, starts: starts, base: base.bytes, places: places),
                estimate(sample, base, unmoved.instructions) < instructions,
                // Literals, and words that point, become smaller in earnest by more than numbers do.
                size(sample, base, unmoved.instructions, slowSample)
                    < size(
                        sample, base,
                        copying < differing
                            ? DeltaWay.copies(smallest: smallest).instructions(for: sample, base) : adding, slowSample)
            {
                return [.inPlace(unmoved.place)]
            }
            // Without anything alike a prefix is no help, and instructions have the better literals.
            guard copying > Self.hardlyAnything, !differences.isEmpty else { return [.copies(smallest: smallest)] }
            guard instructions > Self.hardlyAnything else { return [.differences] }
            let range = PrefixedPiece.range(for: differences, baseSize: base.bytes.count)
            let prefixed =
                isPrefixable ? PrefixedPiece.estimate(sample, base: base.bytes, range: range, coder: coder) : nil
            // Estimates are rough: of a small piece, what is not much worse is tried in full.
            let isSmall = target.count <= Self.smallPiece
            var ways: [DeltaWay] = []
            // A long prefix takes a second to code with: more than a percent of the target has to be at stake.
            let saved = instructions - instructions / 10 - sample.count / Self.leastSaving
            if let prefixed, isSmall ? prefixed <= instructions + instructions / 8 : prefixed < saved {
                ways.append(.prefixed(range))
            }
            if ways.isEmpty || (isSmall && instructions <= prefixed.map { $0 + $0 / 2 } ?? .max) {
                // Literals become smaller in earnest than in an estimate, and more so than differences.
                if copying <= instructions + instructions / (isSmall ? 8 : 16) {
                    ways.append(.copies(smallest: smallest))
                }
                if isSmall ? differing <= instructions + instructions / 8 : ways.isEmpty { ways.append(.differences) }
            }
            return ways
        }
    }

    /// How small copies should be at least, and what they come to then.
    private func bestCopies(
        _ sample: UnsafeRawBufferPointer, _ base: DeltaBase, slowBytes: Int
    ) -> (smallest: Int, cost: Int) {
        func cost(_ smallest: Int) -> InstructionPiece.Estimate {
            let copies = Instruction.copies(CopyFinder.matches(of: sample, in: base, smallest: smallest))
            return InstructionPiece.estimate(sample, base: base.bytes, copies, coder: coder)
        }
        let usual = cost(CopyFinder.usualSmallest)
        var best = (smallest: CopyFinder.usualSmallest, cost: usual.total)
        guard usual.total > sample.count / Self.worthComparing else { return best }
        var candidates: [Int] = []
        if InstructionPiece.takesPrefix(usual.literals, of: usual.literalBytes, slowBytes: slowBytes) {
            candidates = [CopyFinder.withPrefix]
        }
        if usual.control > usual.total / 3 { candidates += CopyFinder.longer }
        if usual.literals > max(usual.total / 3, usual.literalBytes / 8 * 7) { candidates = [CopyFinder.shorter] }
        for smallest in candidates {
            let cost = cost(smallest).total
            // Longer copies leave more literals, which become smaller in earnest than in an estimate.
            let slack = smallest > CopyFinder.usualSmallest ? best.cost / 8 : 0
            guard cost < best.cost + slack else { break }
            best = (smallest, cost)
        }
        return best
    }

    /// What a target comes to in earnest.
    private func size(
        _ target: UnsafeRawBufferPointer, _ base: DeltaBase, _ instructions: [Instruction], _ slowBytes: Int
    ) -> Int {
        InstructionPiece.draft(target, base: base.bytes, instructions, coder: coder, slowBytes: slowBytes)
            .finished(base: base.bytes, coder: coder).count
    }

    private func estimate(_ target: UnsafeRawBufferPointer, _ base: DeltaBase, _ instructions: [Instruction]) -> Int {
        InstructionPiece.estimate(target, base: base.bytes, instructions, coder: coder).total
    }
}
