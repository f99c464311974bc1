// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What is known of a piece's target without a look: stretches that stand in the base. Of target and base only what is left has to
/// be there, one stretch behind the other, to be compared.
package struct KnownStretches: Sendable {
    /// A stretch of fewer bytes from elsewhere costs more than it saves.
    private static let smallest = 8

    /// In the order of the target.
    let copies: [Match]
    /// What is left of the target.
    package let targetSpans: Spans
    /// Where the bytes stand that it is compared with.
    let baseSpans: Spans

    /// - Parameters:
    ///   - copies: in the order of the target, none over another.
    ///   - targetSpans: all that they leave of it, in order.
    ///   - baseSpans: in order.
    package init(copies: [Match], targetSpans: [Range<Int>], baseSpans: Spans) {
        self.copies = copies
        self.targetSpans = Spans(targetSpans)
        self.baseSpans = baseSpans
    }

    /// All instructions for the target.
    /// - Parameter found: for the spans, as if they were all there is of target and base.
    func instructions(with found: [Instruction]) -> [Instruction] {
        var list: [Instruction] = []
        var known = copies[...]
        func append(_ instruction: Instruction) {
            if let last = list.last, !last.adds, !instruction.adds,
                last.target + last.count == instruction.target, last.base + last.count == instruction.base
            {
                list[list.count - 1].count += instruction.count
            } else {
                list.append(instruction)
            }
        }
        func appendKnown(before position: Int) {
            while let copy = known.first, copy.target < position {
                append(Instruction(target: copy.target, base: copy.base, count: copy.count, adds: false))
                known.removeFirst()
            }
        }
        for instruction in found {
            var done = 0
            while done < instruction.count {
                let (target, rest) = targetSpans.place(of: instruction.target + done)
                let (base, room) = baseSpans.place(of: instruction.base + done)
                let count = min(instruction.count - done, rest, room)
                done += count
                guard count >= Self.smallest || count == instruction.count else { continue }
                appendKnown(before: target)
                append(Instruction(target: target, base: base, count: count, adds: instruction.adds))
            }
        }
        appendKnown(before: .max)
        return list
    }
}

/// Stretches of bytes as if they were one behind the other.
package struct Spans: Hashable, Sendable {
    package let ranges: [Range<Int>]
    /// How many bytes are before each.
    private let starts: [Int]
    /// Of all.
    package let count: Int

    /// - Parameter ranges: in order.
    package init(_ ranges: [Range<Int>]) {
        self.ranges = ranges
        var starts: [Int] = []
        var end = 0
        for range in ranges {
            starts.append(end)
            end += range.count
        }
        self.starts = starts
        count = end
    }

    /// Where a byte stands, and how many follow it in the same stretch, itself included.
    func place(of position: Int) -> (place: Int, rest: Int) {
        let number = index(of: position) { starts[$0] }
        let place = ranges[number].lowerBound + position - starts[number]
        return (place, ranges[number].upperBound - place)
    }

    /// Whether one of the stretches has all of a range.
    func hold(_ range: Range<Int>) -> Bool {
        guard !ranges.isEmpty, !range.isEmpty else { return range.isEmpty }
        let after = index(of: range.lowerBound) { ranges[$0].lowerBound }
        return ranges[after].lowerBound <= range.lowerBound && range.upperBound <= ranges[after].upperBound
    }

    /// The last stretch that begins at a position or before it; the first when none does.
    private func index(of position: Int, _ start: (Int) -> Int) -> Int {
        var (low, high) = (0, ranges.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if start(middle) <= position { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The bytes of the stretches, one behind the other.
    package func gather(_ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) {
        for (start, range) in zip(starts, ranges) {
            UnsafeMutableRawBufferPointer(rebasing: room[start..<start + range.count])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
    }
}
