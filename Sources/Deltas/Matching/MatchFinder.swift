// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Finds which stretches of a target resemble which of the base, in the way of bsdiff: equal stretches are found first and
/// then grow both ways for as long as more bytes are equal than not. The places of the base are in a table rather than in
/// a sorted list of suffixes, which takes a hundredth of the time and a bounded amount of memory.
struct MatchFinder {
    /// A new alignment must have so many equal bytes more than the one that goes on.
    private static let advantage = 12
    /// How many bytes two alignments are compared over.
    private static let comparison = 256
    /// Equal bytes are counted no further; an alignment that is taken goes on by itself.
    private static let reach = 4096
    /// Looking up touches pages all over the base, which are let go after so many times.
    private static let lookupsUntilRelease = 1 << 17
    /// Growing ends when the balance is so far below the best.
    private static let patience = 4096

    private let base: DeltaBase
    private let old: UnsafeRawPointer
    private let oldCount: Int
    private let new: UnsafeRawPointer
    private let newCount: Int

    private var matches: [Match] = []
    /// Where the alignment that holds began, in the target and in the base.
    private var start = 0
    private var startInBase = 0
    private var scan = 0
    private var lookups = 0

    private struct Candidate {
        var base = 0
        var back = 0
        var forward = 0
    }

    static func matches(of target: UnsafeRawBufferPointer, in base: DeltaBase) -> [Match] {
        guard let old = base.bytes.baseAddress, let new = target.baseAddress else { return [] }
        var finder = MatchFinder(
            base: base, old: old, oldCount: base.bytes.count, new: new, newCount: target.count)
        finder.run()
        return finder.matches
    }

    private init(base: DeltaBase, old: UnsafeRawPointer, oldCount: Int, new: UnsafeRawPointer, newCount: Int) {
        self.base = base
        self.old = old
        self.oldCount = oldCount
        self.new = new
        self.newCount = newCount
    }

    private mutating func run() {
        while scan < newCount {
            let found = nextAlignment()
            var forward = grownForward()
            guard let found else {
                append(Match(target: start, base: startInBase, count: forward))
                return
            }
            let target = scan &- found.back
            let place = found.base &- found.back
            var back = grownBack(from: target, place)
            let overlap = start &+ forward &- (target &- back)
            if overlap > 0 {
                let kept = split(overlap, end: start &+ forward, endInBase: startInBase &+ forward, target, place, back)
                forward &-= overlap &- kept
                back &-= kept
            }
            append(Match(target: start, base: startInBase, count: forward))
            start = target &- back
            startInBase = place &- back
            scan &+= found.forward
        }
        append(Match(target: start, base: startInBase, count: grownForward()))
    }

    private mutating func append(_ match: Match) {
        if match.count > 0 { matches.append(match) }
    }

    @inline(__always)
    private func oldEight(_ position: Int) -> UInt64 { old.loadUnaligned(fromByteOffset: position, as: UInt64.self) }
    @inline(__always)
    private func newEight(_ position: Int) -> UInt64 { new.loadUnaligned(fromByteOffset: position, as: UInt64.self) }
    @inline(__always)
    private func oldByte(_ position: Int) -> UInt8 { old.load(fromByteOffset: position, as: UInt8.self) }
    @inline(__always)
    private func newByte(_ position: Int) -> UInt8 { new.load(fromByteOffset: position, as: UInt8.self) }

    /// Goes on until bytes stand elsewhere in the base that are better than what the alignment gives; nil at the end.
    private mutating func nextAlignment() -> Candidate? {
        let shift = startInBase &- start
        while scan &+ DeltaBase.unit <= newCount {
            let value = newEight(scan)
            let aligned = scan &+ shift
            if aligned >= 0, aligned &+ DeltaBase.unit <= oldCount, oldEight(aligned) == value {
                scan &+= DeltaBase.unit
                continue
            }
            lookups &+= 1
            if lookups.isMultiple(of: Self.lookupsUntilRelease) { base.releasePages() }
            var best = Candidate()
            base.forEachPlace(of: value) { place in
                guard oldEight(place) == value else { return }
                let candidate = measured(place)
                if candidate.back &+ candidate.forward > best.back &+ best.forward { best = candidate }
            }
            if best.forward > 0, best.base &- scan != shift {
                let gain = min(best.forward, Self.comparison) &+ best.back
                if gain > equalBytes(from: scan &- best.back, to: scan &+ min(best.forward, Self.comparison), shift)
                    &+ Self.advantage
                {
                    return best
                }
            }
            scan &+= 1
        }
        scan = newCount
        return nil
    }

    /// How far the bytes around a place are equal to those around `scan`.
    private func measured(_ place: Int) -> Candidate {
        var forward = DeltaBase.unit
        let most = min(newCount &- scan, oldCount &- place, Self.reach)
        while forward &+ 8 <= most, oldEight(place &+ forward) == newEight(scan &+ forward) { forward &+= 8 }
        while forward < most, oldByte(place &+ forward) == newByte(scan &+ forward) { forward &+= 1 }
        var back = 0
        let mostBack = min(scan &- start, place, Self.comparison)
        while back < mostBack, oldByte(place &- back &- 1) == newByte(scan &- back &- 1) { back &+= 1 }
        return Candidate(base: place, back: back, forward: forward)
    }

    private func equalBytes(from lower: Int, to upper: Int, _ shift: Int) -> Int {
        let first = max(lower, -shift)
        let last = min(upper, oldCount &- shift)
        guard first < last else { return 0 }
        var count = 0
        for position in first..<last where oldByte(position &+ shift) == newByte(position) { count &+= 1 }
        return count
    }

    /// How many bytes from the alignment's start on belong to it.
    private func grownForward() -> Int {
        let most = min(scan &- start, oldCount &- startInBase)
        var balance = 0
        var best = 0
        var length = 0
        var position = 0
        while position < most {
            balance &+= oldByte(startInBase &+ position) == newByte(start &+ position) ? 1 : -1
            position &+= 1
            if balance > best {
                best = balance
                length = position
            } else if balance < best &- Self.patience {
                break
            }
        }
        return length
    }

    /// How many bytes before a new alignment belong to it.
    private func grownBack(from target: Int, _ place: Int) -> Int {
        let most = min(target &- start, place)
        var balance = 0
        var best = 0
        var length = 0
        var position = 1
        while position <= most {
            balance &+= oldByte(place &- position) == newByte(target &- position) ? 1 : -1
            if balance > best {
                best = balance
                length = position
            } else if balance < best &- Self.patience {
                break
            }
            position &+= 1
        }
        return length
    }

    /// How many of the bytes that two alignments claim stay with the first.
    private func split(_ overlap: Int, end: Int, endInBase: Int, _ target: Int, _ place: Int, _ back: Int) -> Int {
        var balance = 0
        var best = 0
        var kept = 0
        for position in 0..<overlap {
            if newByte(end &- overlap &+ position) == oldByte(endInBase &- overlap &+ position) { balance &+= 1 }
            if newByte(target &- back &+ position) == oldByte(place &- back &+ position) { balance &-= 1 }
            if balance > best {
                best = balance
                kept = position &+ 1
            }
        }
        return kept
    }
}
