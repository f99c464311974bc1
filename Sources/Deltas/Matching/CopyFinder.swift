// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Finds stretches of a target that stand in the base byte for byte. For data of which parts stayed, moved or came, as in
/// archives and levels: what is between is new, and better said as literals than as differences from something else.
struct CopyFinder {
    /// Copies of fewer bytes from elsewhere cost more than the literals that they save, as a rule.
    static let usualSmallest = 24
    /// Of literals that are coded with a part of the base as their prefix, which tells short copies as well.
    static let withPrefix = 32
    /// Of literals that get much smaller: lines of logs.
    static let longer = [64, 160]
    /// Of literals that do not: small records in another order.
    static let shorter = 12
    /// At the place where the last copy would go on.
    private static let smallestInLine = 8
    /// Looking up touches pages all over the base, which are let go after so many times.
    private static let lookupsUntilRelease = 1 << 17

    /// The smallest copies from elsewhere.
    private let smallest: Int
    private let base: DeltaBase
    private let old: UnsafeRawPointer
    private let oldCount: Int
    private let new: UnsafeRawPointer
    private let newCount: Int
    private var matches: [Match] = []
    /// The end of the last copy.
    private var end = 0
    private var lookups = 0

    static func matches(
        of target: UnsafeRawBufferPointer, in base: DeltaBase, smallest: Int = usualSmallest
    ) -> [Match] {
        guard let old = base.bytes.baseAddress, let new = target.baseAddress else { return [] }
        var finder = CopyFinder(
            smallest: smallest, base: base, old: old, oldCount: base.bytes.count, new: new, newCount: target.count)
        finder.run()
        return finder.matches
    }

    private init(
        smallest: Int, base: DeltaBase, old: UnsafeRawPointer, oldCount: Int, new: UnsafeRawPointer, newCount: Int
    ) {
        self.smallest = smallest
        self.base = base
        self.old = old
        self.oldCount = oldCount
        self.new = new
        self.newCount = newCount
    }

    private mutating func run() {
        var scan = 0
        var shift = 0
        while scan &+ DeltaBase.unit <= newCount {
            guard let match = best(at: scan, shift) else {
                scan &+= 1
                continue
            }
            matches.append(match)
            end = match.target &+ match.count
            scan = end
            shift = match.base &- match.target
        }
    }

    /// The longest copy over `scan`, one in line being preferred to one that is a little longer.
    @inline(__always)
    private mutating func best(at scan: Int, _ shift: Int) -> Match? {
        let value = new.loadUnaligned(fromByteOffset: scan, as: UInt64.self)
        var found: (place: Int, forward: Int)?
        var gain = -1
        let inLine = scan &+ shift
        if inLine >= 0, inLine &+ DeltaBase.unit <= oldCount {
            let forward = equalCount(scan, inLine)
            if forward >= Self.smallestInLine {
                (found, gain) = ((inLine, forward), forward)
            }
        }
        lookups &+= 1
        if lookups.isMultiple(of: Self.lookupsUntilRelease) { base.releasePages() }
        base.forEachPlace(of: value) { place in
            let forward = equalCount(scan, place)
            guard forward >= DeltaBase.unit else { return }
            let count = forward &+ equalCountBehind(scan, place)
            guard count >= smallest, count &- smallest > gain else { return }
            (found, gain) = ((place, forward), count &- smallest)
        }
        guard let (place, forward) = found else { return nil }
        let back = equalCountBehind(scan, place)
        return Match(target: scan &- back, base: place &- back, count: back &+ forward)
    }

    @inline(__always)
    private func equalCount(_ scan: Int, _ place: Int) -> Int {
        let most = min(newCount &- scan, oldCount &- place)
        var count = 0
        while count &+ 8 <= most {
            let difference =
                old.loadUnaligned(fromByteOffset: place &+ count, as: UInt64.self)
                ^ new.loadUnaligned(fromByteOffset: scan &+ count, as: UInt64.self)
            if difference != 0 { return count &+ difference.littleEndian.trailingZeroBitCount / 8 }
            count &+= 8
        }
        while count < most,
            old.load(fromByteOffset: place &+ count, as: UInt8.self)
                == new.load(fromByteOffset: scan &+ count, as: UInt8.self)
        {
            count &+= 1
        }
        return count
    }

    /// Equal bytes before, back to the end of the last copy.
    @inline(__always)
    private func equalCountBehind(_ scan: Int, _ place: Int) -> Int {
        let most = min(scan &- end, place)
        var count = 0
        while count < most,
            old.load(fromByteOffset: place &- count &- 1, as: UInt8.self)
                == new.load(fromByteOffset: scan &- count &- 1, as: UInt8.self)
        {
            count &+= 1
        }
        return count
    }
}
