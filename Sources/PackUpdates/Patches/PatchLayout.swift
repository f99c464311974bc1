// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Deltas

/// Where what a patch is made of lies in two files: the bases of each group one behind the other, and its targets.
struct PatchLayout {
    struct Group: Hashable {
        /// Bytes of the first base, of which the only target may be a later state; nil when there is no such.
        let likeliestBase: Int?
        let bases: Range<Int>
        let targets: Range<Int>
        /// Each target, from the first one's first byte on.
        let contents: [Range<Int>]
        /// Where the targets stand in the bases if nothing moved, as far as they have counterparts of their size.
        let counterparts: [Match]
        /// What the indexes tell of the only target; nil when all has to be compared. What is known so is not unpacked.
        let shared: SharedChunks?
        /// The bases in their order.
        let members: [Member]
    }

    /// A base of a group.
    struct Member: Hashable {
        /// Whether it is a content of the new version, which an earlier group gives.
        let isNew: Bool
        let content: Int
        /// Where it begins among the group's bases.
        let start: Int
    }

    /// The numbers of the two files.
    static let (bases, targets) = (0, 1)

    /// What is unpacked of the old version's archive, and of the new one's.
    private(set) var old: ContentLayout
    private(set) var new: ContentLayout
    private(set) var groups: [Group] = []
    /// Of the two files, in bytes.
    private(set) var baseSize: Int64 = 0
    private(set) var targetSize: Int64 = 0

    init(of plan: PatchPlan, from old: PatchVersion, to new: PatchVersion) {
        self.old = ContentLayout(index: old.index)
        self.new = ContentLayout(index: new.index)
        for group in plan.groups {
            let members = Self.members(group, old.index, new.index)
            let contents = Self.contents(group, new.index)
            let targets = Int64(contents.last?.upperBound ?? 0)
            let first = group.targets.count == 1 ? group.bases.first : nil
            let made = Group(
                likeliestBase: first.map { Int(old.index.contents[$0].size) },
                bases: Int(baseSize)..<Int(baseSize + members.size),
                targets: Int(targetSize)..<Int(targetSize + targets), contents: contents,
                counterparts: Self.counterparts(group, members.list, old.index, new.index),
                shared: Self.shared(group, old.index, new.index), members: members.list)
            groups.append(made)
            place(group, made)
            baseSize += members.size
            targetSize += targets
        }
    }

    /// Gives what is unpacked of a group its places, behind the groups before it.
    private mutating func place(_ group: PatchPlan.Group, _ made: Group) {
        guard let shared = made.shared else {
            var (base, target) = (baseSize, targetSize)
            old.place(group.bases, in: Self.bases, at: &base)
            new.place(group.newBases, in: Self.bases, at: &base)
            new.place(group.targets, in: Self.targets, at: &target)
            return
        }
        new.place(
            chunksOf: group.targets[0], holding: shared.targetSpans.map { Int64($0.lowerBound)..<Int64($0.upperBound) },
            in: Self.targets, at: targetSize)
        Self.place(shared.baseSpans, of: made, &old, &new)
    }

    private static func shared(_ group: PatchPlan.Group, _ old: PackIndex, _ new: PackIndex) -> SharedChunks? {
        guard group.targets.count == 1, old.chunkAverage == new.chunkAverage else { return nil }
        func base(_ content: Int, of index: PackIndex) -> SharedChunks.Base {
            SharedChunks.Base(size: Int(index.contents[content].size), chunks: index.chunks(of: content))
        }
        return SharedChunks(
            of: new.chunks(of: group.targets[0]), size: Int(new.contents[group.targets[0]].size),
            bases: group.bases.map { base($0, of: old) } + group.newBases.map { base($0, of: new) })
    }

    private static func contents(_ group: PatchPlan.Group, _ new: PackIndex) -> [Range<Int>] {
        var end = 0
        return group.targets.map { target in
            defer { end += Int(new.contents[target].size) }
            return end..<end + Int(new.contents[target].size)
        }
    }

    private static func members(
        _ group: PatchPlan.Group, _ old: PackIndex, _ new: PackIndex
    ) -> (list: [Member], size: Int64) {
        var members: [Member] = []
        var size: Int64 = 0
        for (contents, index, isNew) in [(group.bases, old, false), (group.newBases, new, true)] {
            for content in contents {
                members.append(Member(isNew: isNew, content: content, start: Int(size)))
                size += index.contents[content].size
            }
        }
        return (members, size)
    }

    /// Gives what holds stretches of a group's bases its place.
    /// - Parameter stretches: in order.
    static func place(
        _ stretches: [Range<Int>], of group: Group, _ old: inout ContentLayout, _ new: inout ContentLayout
    ) {
        for (place, member) in group.members.enumerated() {
            let end = place + 1 < group.members.count ? group.members[place + 1].start : group.bases.count
            let wanted = stretches.compactMap { stretch -> Range<Int64>? in
                let part = stretch.clamped(to: member.start..<max(member.start, end))
                return part.isEmpty
                    ? nil : Int64(part.lowerBound - member.start)..<Int64(part.upperBound - member.start)
            }
            let offset = Int64(group.bases.lowerBound + member.start)
            if member.isNew {
                new.place(chunksOf: member.content, holding: wanted, in: bases, at: offset)
            } else {
                old.place(chunksOf: member.content, holding: wanted, in: bases, at: offset)
            }
        }
    }

    /// Where in a group's bases a piece of its targets may stand: as far from the first one's start, or from its end.
    func places(of piece: Range<Int>, in number: Int) -> [Int] {
        let group = groups[number]
        guard let size = group.likeliestBase else { return [] }
        let fromStart = piece.lowerBound - group.targets.lowerBound
        let fromEnd = size - (group.targets.upperBound - piece.lowerBound)
        return fromStart == fromEnd ? [fromStart] : [fromStart, fromEnd]
    }
}
