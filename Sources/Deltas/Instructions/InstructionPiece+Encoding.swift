// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension InstructionPiece {
    /// Fewer bytes that differ are not worth a comparison of models.
    private static let smallestModelled = 512
    /// How many bytes are looked at to find where words begin.
    private static let phaseSample = 256 << 10

    /// The payload that gives the target.
    /// - Parameter instructions: in the order of the target, none over another.
    static func encode(
        _ target: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer, _ instructions: [Instruction],
        coder: StreamCoder, slowBytes: Int
    ) -> [UInt8] {
        let control = Control(instructions, targetSize: target.count, baseSize: base.count)
        let (model, gaps, values) = residuals(of: instructions, target, base, coder)
        let (classes, literals) = literals(of: target, control.literals, coder)
        let (places, isInColumns) = control.shorterPlaces(coder)
        let streams = [control.runs, control.counts, places, gaps, values, literals]
        guard streams.reduce(0, { $0 + $1.count }) <= mostStreamBytes(targetSize: target.count) else {
            return encode(target, base: base, [], coder: coder, slowBytes: slowBytes)
        }
        var payload = [model.byte | (isInColumns ? CopyPlaces.columnsFlag : 0), classes.isEmpty ? 0 : 1]
        if !classes.isEmpty { payload += classes.mask }
        var slowBytes = slowBytes
        for stream in streams {
            DeltaNumbers.append(UInt64(stream.count), to: &payload)
            guard !stream.isEmpty else { continue }
            let coded = stream.withUnsafeBytes { coder.encode($0, slowBytes: slowBytes) }
            slowBytes = max(0, slowBytes - coded.count)
            DeltaNumbers.append(UInt64(coded.count), to: &payload)
            payload += coded
        }
        return payload
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
        var residuals = ResidualEncoder(model: .bytes)
        for instruction in instructions where instruction.adds {
            residuals.add(instruction, target: target, base: base)
        }
        let literals = joined(control.literals, of: target)
        func size(_ streams: [UInt8]...) -> Int {
            streams.reduce(0) { sum, stream in sum + stream.withUnsafeBytes { coder.estimate($0) } }
        }
        return Estimate(
            control: size(control.runs, control.counts, control.shorterPlaces(coder).places),
            residuals: size(residuals.gaps, residuals.values), literals: size(literals), literalBytes: literals.count)
    }

    /// The model with which what is added takes the fewest bytes, and its streams.
    private static func residuals(
        of instructions: [Instruction], _ target: UnsafeRawBufferPointer, _ base: UnsafeRawBufferPointer,
        _ coder: StreamCoder
    ) -> (model: ResidualModel, gaps: [UInt8], values: [UInt8]) {
        let adding = instructions.filter(\.adds)
        var best = residuals(.bytes, adding, target, base, coder)
        guard best.misses >= smallestModelled else { return (.bytes, best.gaps, best.values) }
        var model = ResidualModel.bytes
        for unit in [ResidualModel.Unit.words, .bigEndianWords] {
            let phase = bestPhase(unit, adding, target, base)
            let candidate = residuals(.init(unit: unit, phase: phase), adding, target, base, coder)
            if candidate.cost < best.cost {
                best = candidate
                model = .init(unit: unit, phase: phase)
            }
        }
        return (model, best.gaps, best.values)
    }

    private struct Residuals {
        let gaps: [UInt8]
        let values: [UInt8]
        let misses: Int
        let cost: Int
    }

    private static func residuals(
        _ model: ResidualModel, _ adding: [Instruction], _ target: UnsafeRawBufferPointer,
        _ base: UnsafeRawBufferPointer, _ coder: StreamCoder
    ) -> Residuals {
        var encoder = ResidualEncoder(model: model)
        for instruction in adding { encoder.add(instruction, target: target, base: base) }
        let (gaps, values) = (encoder.gaps, encoder.values)
        let cost = [gaps, values].reduce(0) { sum, stream in
            sum + stream.withUnsafeBytes { coder.estimate($0) }
        }
        return Residuals(gaps: gaps, values: values, misses: encoder.misses, cost: cost)
    }

    private static func bestPhase(
        _ unit: ResidualModel.Unit, _ adding: [Instruction], _ target: UnsafeRawBufferPointer,
        _ base: UnsafeRawBufferPointer
    ) -> Int {
        var sample: [Instruction] = []
        var size = 0
        for var instruction in adding.dropFirst(adding.count / 3) where size < phaseSample {
            instruction.count = min(instruction.count, phaseSample - size)
            size += instruction.count
            sample.append(instruction)
        }
        let misses = (0..<4).map { phase in
            var encoder = ResidualEncoder(model: .init(unit: unit, phase: phase))
            for instruction in sample { encoder.add(instruction, target: target, base: base) }
            return encoder.misses
        }
        return misses.indices.min { misses[$0] < misses[$1] } ?? 0
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
