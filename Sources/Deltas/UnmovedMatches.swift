// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A target of which nothing moved and hardly anything changed, as of files that were built again: stamps in them are others. That shows
/// without a table of the base, and nothing better would be found with one.
struct UnmovedMatches {
    /// Longer stretches that differ may stand elsewhere in the base.
    private static let longestChange = 64
    /// So many equal bytes end a stretch that differs.
    private static let end = 16
    /// At most one byte of so many differs.
    private static let leastEqual = 64

    /// What of the counterparts is equal, without stretches that are cheaper as literals.
    private(set) var equal: [Match] = []

    /// nil when more changed than that.
    /// - Parameter counterparts: what the target, or what is not known of it, likely is a later state of: in its order, none over another.
    init?(_ target: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer, counterparts: [Match]) {
        guard let new = target.baseAddress, let old = base.baseAddress else { return nil }
        var differing = 0
        for match in counterparts {
            var position = 0
            while position < match.count {
                let rest = match.count &- position
                let (here, there) = (new + match.target + position, old + match.base + position)
                let count = Self.equalCount(here, there, atMost: rest)
                if count >= min(Self.end, rest) {
                    equal.append(Match(target: match.target + position, base: match.base + position, count: count))
                }
                position &+= count
                guard position < match.count else { break }
                let change = Self.changeCount(here + count, there + count, atMost: match.count &- position)
                guard change <= Self.longestChange else { return nil }
                differing &+= change
                position &+= change
            }
        }
        guard differing <= target.count / Self.leastEqual else { return nil }
    }

    private static func equalCount(_ new: UnsafeRawPointer, _ old: UnsafeRawPointer, atMost most: Int) -> Int {
        var count = 0
        while count &+ 8 <= most,
            new.loadUnaligned(fromByteOffset: count, as: UInt64.self)
                == old.loadUnaligned(fromByteOffset: count, as: UInt64.self)
        {
            count &+= 8
        }
        while count < most,
            new.load(fromByteOffset: count, as: UInt8.self) == old.load(fromByteOffset: count, as: UInt8.self)
        {
            count &+= 1
        }
        return count
    }

    /// How many bytes there are until enough are equal; no more than one too many.
    private static func changeCount(_ new: UnsafeRawPointer, _ old: UnsafeRawPointer, atMost most: Int) -> Int {
        var count = 0
        var equal = 0
        while count < most, equal < end, count &- equal <= longestChange {
            let isEqual =
                new.load(fromByteOffset: count, as: UInt8.self) == old.load(fromByteOffset: count, as: UInt8.self)
            equal = isEqual ? equal &+ 1 : 0
            count &+= 1
        }
        return count &- equal
    }
}
