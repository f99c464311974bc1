// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension InstructionPiece {
    /// What instructions say, but for what is added: each thing in a stream of its own, as each has its own habits.
    struct Control {
        /// How many literals come before each instruction, and behind the last if there are any.
        private(set) var runs: [UInt8] = []
        /// How many bytes come from the base, and whether something is added.
        private(set) var counts: [UInt8] = []
        /// Where the literals stand in the target.
        private(set) var literals: [Range<Int>] = []
        private var differences: [UInt8] = []
        private var places: [Int] = []
        private let baseSize: Int
        /// Fewer places are not worth a comparison.
        private static let fewest = 64

        /// - Parameter instructions: in the order of the target, none over another.
        init(_ instructions: [Instruction], targetSize: Int, baseSize: Int) {
            self.baseSize = baseSize
            places.reserveCapacity(instructions.count)
            var position = 0
            var expected = 0
            for instruction in instructions {
                let run = instruction.target - position
                DeltaNumbers.append(UInt64(run), to: &runs)
                DeltaNumbers.append(UInt64(instruction.count) << 1 | (instruction.adds ? 1 : 0), to: &counts)
                DeltaNumbers.append(DeltaNumbers.folded(Int64(instruction.base - expected - run)), to: &differences)
                places.append(instruction.base)
                if run > 0 { literals.append(position..<instruction.target) }
                position = instruction.target + instruction.count
                expected = instruction.base + instruction.count
            }
            if position < targetSize {
                DeltaNumbers.append(UInt64(targetSize - position), to: &runs)
                literals.append(position..<targetSize)
            }
        }

        /// The places' stream in the form that takes fewer bytes.
        func shorterPlaces(_ coder: StreamCoder) -> (places: [UInt8], isInColumns: Bool) {
            guard places.count >= Self.fewest else { return (differences, false) }
            let columns = CopyPlaces.columns(places, baseSize: baseSize)
            let sizes = [differences, columns].map { $0.withUnsafeBytes { coder.estimate($0) } }
            return sizes[1] < sizes[0] ? (columns, true) : (differences, false)
        }
    }
}
