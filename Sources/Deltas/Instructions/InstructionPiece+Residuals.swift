// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension InstructionPiece {
    /// Fewer bytes that differ are not worth a comparison of models.
    private static let smallestModelled = 512
    /// How many bytes are looked at to find where units begin.
    private static let phaseSample = 256 << 10
    /// Of measured numbers fewer are enough.
    private static let numberSample = 64 << 10

    /// About how many bytes what is added takes.
    /// - Parameter most: where it takes no more by bytes, other models are not worth their time.
    static func estimate(
        of adding: [Instruction], _ target: UnsafeRawBufferPointer, _ base: UnsafeRawBufferPointer,
        _ coder: StreamCoder, comparedFrom most: Int
    ) -> Int {
        let bytes = residuals(.bytes, adding, target, base, coder)
        guard bytes.misses >= smallestModelled, bytes.cost > most else { return bytes.cost }
        let sample = sample(of: adding, numberSample)
        return [ResidualModel.Unit.halves, .singles].reduce(bytes.cost) { least, unit in
            let model = bestPhase(unit, sample, target, base)
            return min(least, residuals(model, adding, target, base, coder).cost)
        }
    }

    /// The model with which what is added takes the fewest bytes, and its streams.
    static func residuals(
        of instructions: [Instruction], _ target: UnsafeRawBufferPointer, _ base: UnsafeRawBufferPointer,
        _ coder: StreamCoder
    ) -> Residuals {
        let adding = instructions.filter(\.adds)
        var best = residuals(.bytes, adding, target, base, coder)
        guard best.misses >= smallestModelled else { return best }
        let (words, numbers) = (sample(of: adding, phaseSample), sample(of: adding, numberSample))
        let models =
            [ResidualModel.Unit.words, .bigEndianWords].map { bestPhase($0, words, target, base) }
            + promisingNumbers(numbers, target, base, coder)
        for model in models {
            let candidate = residuals(model, adding, target, base, coder)
            if candidate.cost < best.cost { best = candidate }
        }
        return best
    }

    /// Models of measured numbers with which a sample takes fewer bytes: they foretell nothing, so that it is as good as all.
    private static func promisingNumbers(
        _ sample: [Instruction], _ target: UnsafeRawBufferPointer, _ base: UnsafeRawBufferPointer, _ coder: StreamCoder
    ) -> [ResidualModel] {
        let usual = residuals(.bytes, sample, target, base, coder).cost
        return [ResidualModel.Unit.halves, .singles].map { bestPhase($0, sample, target, base) }.filter {
            residuals($0, sample, target, base, coder).cost < usual
        }
    }

    /// What is added, by one model.
    struct Residuals {
        let model: ResidualModel
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
        return Residuals(model: model, gaps: gaps, values: values, misses: encoder.misses, cost: cost)
    }

    /// Some of what is added to, from behind the first third.
    private static func sample(of adding: [Instruction], _ most: Int) -> [Instruction] {
        var sample: [Instruction] = []
        var size = 0
        for var instruction in adding.dropFirst(adding.count / 3) where size < most {
            instruction.count = min(instruction.count, most - size)
            size += instruction.count
            sample.append(instruction)
        }
        return sample
    }

    /// The model of that unit with which a sample is least off.
    private static func bestPhase(
        _ unit: ResidualModel.Unit, _ sample: [Instruction], _ target: UnsafeRawBufferPointer,
        _ base: UnsafeRawBufferPointer
    ) -> ResidualModel {
        let models = (0..<unit.size).map { ResidualModel(unit: unit, phase: $0) }
        let weights = models.map { model in
            var encoder = ResidualEncoder(model: model)
            for instruction in sample { encoder.add(instruction, target: target, base: base) }
            return encoder.weight
        }
        let best = weights.indices.min { weights[$0] < weights[$1] }
        return best.map { models[$0] } ?? .bytes
    }
}
