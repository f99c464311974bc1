// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A way to say what a piece's target is.
enum DeltaWay: Hashable {
    /// One stream, with a range of the base as prefix.
    case prefixed(Range<Int>)
    /// Copies, from elsewhere none smaller than that, and literals between.
    case copies(smallest: Int)
    /// Stretches of the base to which something is added, and literals.
    case differences
    /// What stands in the base from a place on, to which something is added: for numbers of which all changed a little, so that
    /// hardly any bytes stand side by side as they did.
    case inPlace(Int)

    func instructions(for target: UnsafeRawBufferPointer, _ base: DeltaBase) -> [Instruction] {
        switch self {
        case .prefixed: []
        case .copies(let smallest):
            Instruction.copies(CopyFinder.matches(of: target, in: base, smallest: smallest))
        case .differences:
            Instruction.instructions(
                for: MatchFinder.matches(of: target, in: base), target: target, base: base.bytes)
        case .inPlace(let place):
            Instruction.instructions(
                for: [Match(target: 0, base: place, count: target.count).within(base.bytes.count)], target: target,
                base: base.bytes)
        }
    }
}
