// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A sample of a target beside what stands at its parts' places in the base, if nothing moved.
struct UnmovedSample {
    /// One byte of so many must be equal, or it is something else that stands there.
    private static let leastEqual = 5

    /// Where in the base the target begins; below 0 when what comes first is new.
    let place: Int
    /// What makes the sample.
    let instructions: [Instruction]

    /// The place at which most bytes are equal; nil when at none enough are.
    /// - Parameters:
    ///   - starts: where in the target each of the sample's parts begins; these are of one size.
    ///   - places: where in the base the target may begin.
    init?(_ sample: UnsafeRawBufferPointer, starts: [Int], base: UnsafeRawBufferPointer, places: [Int]) {
        guard !sample.isEmpty, !starts.isEmpty else { return nil }
        let size = sample.count / starts.count
        var best: (place: Int, matches: [Match], equal: Int)?
        for place in places {
            var matches: [Match] = []
            var equal = 0
            for (number, start) in starts.enumerated() {
                let match = Match(target: number * size, base: place + start, count: size).within(base.count)
                equal += Self.equalBytes(match, sample, base)
                matches.append(match)
            }
            if equal > best?.equal ?? sample.count / Self.leastEqual { best = (place, matches, equal) }
        }
        guard let best else { return nil }
        place = best.place
        instructions = Instruction.instructions(for: best.matches, target: sample, base: base)
    }

    private static func equalBytes(
        _ match: Match, _ sample: UnsafeRawBufferPointer, _ base: UnsafeRawBufferPointer
    ) -> Int {
        guard let new = sample.baseAddress?.advanced(by: match.target),
            let old = base.baseAddress?.advanced(by: match.base)
        else { return 0 }
        var count = 0
        for position in 0..<match.count {
            count &+=
                new.load(fromByteOffset: position, as: UInt8.self) == old.load(fromByteOffset: position, as: UInt8.self)
                ? 1 : 0
        }
        return count
    }
}
