// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension InstructionPiece {
    /// Fewer literals are not worth a prefix.
    private static let fewestForPrefix = 256
    /// A prefix has at most so many times the bytes of the literals.
    private static let prefixPart = 64
    /// A prefix must save one byte of so many.
    private static let leastSaving = 64
    private static let leastPrefix = 64 << 10

    /// A payload whose literals may become smaller.
    struct Draft {
        /// All but the literals.
        fileprivate var payload: [UInt8]
        fileprivate let literals: [UInt8]
        /// How many bytes these come to, about.
        fileprivate let estimate: Int
        /// What of the base the literals likely resemble.
        fileprivate let range: Range<Int>
        fileprivate let slowBytes: Int

        private var takesPrefix: Bool {
            InstructionPiece.takesPrefix(estimate, of: literals.count, slowBytes: slowBytes)
        }

        /// About how many bytes the payload has: literals that get smaller get so in earnest.
        var size: Int { payload.count + (takesPrefix ? estimate / 16 * 13 : estimate) }

        /// The bytes of the base that are tried as the literals' prefix; nil for none.
        var prefix: Range<Int>? { takesPrefix && !range.isEmpty ? range : nil }

        /// The payload that gives the target.
        /// - Parameter base: what the draft was made with; has `prefix`.
        consuming func finished(base: UnsafeRawBufferPointer, coder: StreamCoder) -> [UInt8] {
            let (coded, hasPrefix) = coded(base: base, coder)
            let (literalBytes, range) = (literals.count, range)
            if hasPrefix {
                payload[0] |= literalPrefixFlag
                DeltaNumbers.append(UInt64(range.lowerBound), to: &payload)
                DeltaNumbers.append(UInt64(range.count), to: &payload)
            }
            append(coded, of: literalBytes, to: &payload)
            return payload
        }

        /// The coded literals.
        private func coded(base: UnsafeRawBufferPointer, _ coder: StreamCoder) -> (bytes: [UInt8], hasPrefix: Bool) {
            guard !literals.isEmpty else { return ([], false) }
            return literals.withUnsafeBytes { literals in
                let prefix = UnsafeRawBufferPointer(rebasing: base[range])
                let resembling = takesPrefix ? coder.encode(literals, resembling: prefix, limit: estimate) : nil
                // Without a prefix that much is hardly saved.
                if let resembling, resembling.count <= estimate / 4 * 3 { return (resembling, true) }
                let alone = coder.encode(literals, slowBytes: slowBytes)
                guard let resembling, resembling.count + alone.count / leastSaving < alone.count else {
                    return (alone, false)
                }
                return (resembling, true)
            }
        }
    }

    /// Whether literals are worth a prefix: what is new is in the language of the old, where there is one.
    /// - Parameter estimate: how many bytes they come to without.
    static func takesPrefix(_ estimate: Int, of literals: Int, slowBytes: Int) -> Bool {
        literals >= fewestForPrefix && estimate < literals / 8 * 7 && estimate / 16 * 13 <= slowBytes
    }

    /// A payload that gives the target.
    /// - Parameters:
    ///   - instructions: in the order of the target, none over another.
    ///   - fewer: taken when those say more than a piece may.
    static func draft(
        _ target: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer, _ instructions: [Instruction],
        otherwise fewer: [Instruction] = [], coder: StreamCoder, slowBytes: Int
    ) -> Draft {
        let control = Control(instructions, targetSize: target.count, baseSize: base.count)
        let residuals = residuals(of: instructions, target, base, coder)
        let (classes, literals) = literals(of: target, control.literals, coder)
        let (places, isInColumns) = control.shorterPlaces(coder)
        let streams = [control.runs, control.counts, places, residuals.gaps, residuals.values]
        guard streams.reduce(literals.count, { $0 + $1.count }) <= mostStreamBytes(targetSize: target.count) else {
            return draft(target, base: base, fewer, coder: coder, slowBytes: slowBytes)
        }
        var payload = [residuals.model.byte | (isInColumns ? CopyPlaces.columnsFlag : 0), classes.isEmpty ? 0 : 1]
        if !classes.isEmpty { payload += classes.mask }
        var slowBytes = slowBytes
        for stream in streams {
            let coded = stream.isEmpty ? [] : stream.withUnsafeBytes { coder.encode($0, slowBytes: slowBytes) }
            slowBytes = max(0, slowBytes - coded.count)
            append(coded, of: stream.count, to: &payload)
        }
        let estimate = literals.withUnsafeBytes { coder.estimate($0) }
        let range = PrefixedPiece.range(
            for: instructions.map { Match(target: $0.target, base: $0.base, count: $0.count) }, baseSize: base.count,
            size: prefixSize(for: literals.count))
        return Draft(
            payload: payload, literals: literals, estimate: estimate, range: range, slowBytes: slowBytes)
    }

    /// In bytes: a long prefix says little about few literals, and has to be read for them.
    private static func prefixSize(for literals: Int) -> Int {
        let most = DeltaFormat.literalPrefixSize
        return literals >= most / prefixPart ? most : max(leastPrefix, literals * prefixPart & ~7)
    }

    /// A stream, after the bytes that it has uncoded.
    private static func append(_ coded: [UInt8], of size: Int, to payload: inout [UInt8]) {
        DeltaNumbers.append(UInt64(size), to: &payload)
        guard size > 0 else { return }
        DeltaNumbers.append(UInt64(coded.count), to: &payload)
        payload += coded
    }

    /// How many bytes a payload has, about.
    struct Estimate {
        /// What says where things come from.
        let control: Int
        /// What is added.
        let residuals: Int
        let literals: Int
        /// Before they are coded.
        let literalBytes: Int

        var total: Int { control + residuals + literals }
    }

    static func estimate(
        _ target: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer, _ instructions: [Instruction],
        coder: StreamCoder
    ) -> Estimate {
        let control = Control(instructions, targetSize: target.count, baseSize: base.count)
        let adding = instructions.filter(\.adds)
        let literals = joined(control.literals, of: target)
        func size(_ streams: [UInt8]...) -> Int {
            streams.reduce(0) { sum, stream in sum + stream.withUnsafeBytes { coder.estimate($0) } }
        }
        let (others, literalSize) = (
            size(control.runs, control.counts, control.shorterPlaces(coder).places), size(literals)
        )
        let added = estimate(of: adding, target, base, coder, comparedFrom: others + literalSize)
        return Estimate(control: others, residuals: added, literals: literalSize, literalBytes: literals.count)
    }

    /// The literals, as they are or with differences for words of some classes.
    private static func literals(
        of target: UnsafeRawBufferPointer, _ runs: [Range<Int>], _ coder: StreamCoder
    ) -> (classes: WordClasses, literals: [UInt8]) {
        let plain = joined(runs, of: target)
        let useful = WordClasses.useful(in: target, runs: runs)
        guard !useful.isEmpty else { return (useful, plain) }
        var changed = plain
        changed.withUnsafeMutableBytes { bytes in
            var classes = useful
            var position = 0
            for run in runs {
                classes.encode(
                    UnsafeMutableRawBufferPointer(rebasing: bytes[position..<position + run.count]), at: run.lowerBound)
                position += run.count
            }
        }
        let costs = [plain, changed].map { stream in
            stream.withUnsafeBytes { coder.estimate($0) }
        }
        return costs[1] + WordClasses.maskSize < costs[0] ? (useful, changed) : (WordClasses(), plain)
    }

    private static func joined(_ runs: [Range<Int>], of target: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(runs.reduce(0) { $0 + $1.count })
        for run in runs { bytes.append(contentsOf: target[run]) }
        return bytes
    }
}
