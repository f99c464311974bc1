// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Bytes of the target that come from the base. What no instruction covers are literals.
struct Instruction: Hashable {
    var target: Int
    var base: Int
    var count: Int
    /// Whether something is added to the bytes; otherwise they are as in the base.
    var adds: Bool

    /// Matches of fewer bytes are cheaper as literals.
    static let smallest = 24
    /// Equal stretches of so many bytes are copied without a look at each word.
    private static let smallestCopy = 4096

    /// Instructions for the matches that pay, longer equal stretches apart from the rest.
    static func instructions(
        for matches: [Match], target: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer
    ) -> [Instruction] {
        var list: [Instruction] = []
        for match in matches where match.count >= smallest {
            var start = 0
            var position = 0
            while position < match.count {
                let equal = equalCount(
                    target, match.target &+ position, base, match.base &+ position, most: match.count &- position)
                if equal >= smallestCopy || (equal == match.count) {
                    if position > start { list.append(match.part(start..<position, adds: true)) }
                    list.append(match.part(position..<position &+ equal, adds: false))
                    start = position &+ equal
                }
                position &+= equal &+ 1
            }
            if start < match.count { list.append(match.part(start..<match.count, adds: true)) }
        }
        return list
    }

    /// Instructions for stretches that are equal.
    static func copies(_ matches: [Match]) -> [Instruction] {
        matches.map { Instruction(target: $0.target, base: $0.base, count: $0.count, adds: false) }
    }

    private static func equalCount(
        _ target: UnsafeRawBufferPointer, _ position: Int, _ base: UnsafeRawBufferPointer, _ place: Int, most: Int
    ) -> Int {
        guard let new = target.baseAddress, let old = base.baseAddress else { return 0 }
        var count = 0
        while count &+ 8 <= most,
            new.loadUnaligned(fromByteOffset: position &+ count, as: UInt64.self)
                == old.loadUnaligned(fromByteOffset: place &+ count, as: UInt64.self)
        {
            count &+= 8
        }
        while count < most,
            new.load(fromByteOffset: position &+ count, as: UInt8.self)
                == old.load(fromByteOffset: place &+ count, as: UInt8.self)
        {
            count &+= 1
        }
        return count
    }
}

extension Match {
    fileprivate func part(_ range: Range<Int>, adds: Bool) -> Instruction {
        Instruction(target: target + range.lowerBound, base: base + range.lowerBound, count: range.count, adds: adds)
    }
}
