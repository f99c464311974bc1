// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto

/// Which contents of a new version are made together, and from which contents of the old one. Pure: from the two indexes, and from
/// what was found to resemble.
///
/// Contents that the old version has, wherever, need nothing. A content of some size is a group for itself, with the old
/// contents that share most with it, and with new ones of earlier groups when they share what no old one has. Small ones
/// come together by the kind of their names, so that what they have in common is said once.
struct PatchPlan: Hashable {
    /// Numbers in the lists of contents of the new and of the old index.
    struct Group: Hashable {
        var targets: [Int] = []
        /// For each target the base that it is likely a later state of; nil when there is none.
        var counterparts: [Int?] = []
        var bases: [Int] = []
        /// Behind the bases: contents of the new index that earlier groups make.
        var newBases: [Int] = []
    }

    /// Contents up to this size, in bytes, come together with others.
    static let smallContent: Int64 = 1 << 20
    /// Contents without anything alike come together up to this size.
    static let smallNewContent: Int64 = 4 << 20
    /// As many bytes of targets, and of bases, come together.
    static let pooledTargets: Int64 = 8 << 20
    static let pooledBases: Int64 = 4 << 20
    /// As many bases of small contents come together.
    private static let mostPooledBases = 64
    /// Old contents that one is made of, at most.
    private static let mostBases = PatchTable.Format.mostBases
    private static let mostNewBases = 4

    private(set) var groups: [Group] = []

    /// Some groups of a plan.
    init(groups: [Group]) { self.groups = groups }

    /// - Parameter resembling: for new contents the old ones that they share bytes with, as far as anybody looked.
    init(from old: PackIndex, to new: PackIndex, resembling: [Int: [Int]] = [:]) {
        let relations = ContentRelations(from: old, to: new)
        var pools: [String: [(target: Int, bases: [Int])]] = [:]
        var large: [Group] = []
        for target in new.contents.indices where relations.isChanged(target) {
            var bases = relations.bases(of: target, atMost: Self.mostBases)
            if let found = resembling[target] {
                // Without chunks nothing but the path spoke for the others.
                let others = new.contents[target].chunks.isEmpty ? [] : bases.filter { !found.contains($0) }
                bases = Array((found + others).prefix(Self.mostBases))
            }
            let size = new.contents[target].size
            if size <= Self.smallContent || (bases.isEmpty && size <= Self.smallNewContent) {
                pools[relations.kind(of: target), default: []].append((target, bases))
            } else {
                large.append(Group(targets: [target], counterparts: [bases.first], bases: bases))
            }
        }
        for kind in pools.keys.sorted() { pool(pools[kind] ?? [], old, new) }
        var earlier = NewChunks(of: new)
        for var group in large {
            for target in group.targets {
                group.newBases += earlier.bases(of: target, atMost: Self.mostNewBases, isOld: relations.isOld)
                earlier.add(target)
            }
            groups.append(group)
        }
    }

    private mutating func pool(_ members: [(target: Int, bases: [Int])], _ old: PackIndex, _ new: PackIndex) {
        var group = Group()
        var targetSize: Int64 = 0
        var baseSize: Int64 = 0
        for member in members {
            let fresh = member.bases.filter { !group.bases.contains($0) && old.contents[$0].size <= Self.pooledBases }
            let size = new.contents[member.target].size
            let added = fresh.reduce(0) { $0 + old.contents[$1].size }
            let isFull =
                targetSize + size > Self.pooledTargets || baseSize + added > Self.pooledBases
                || group.bases.count + fresh.count > Self.mostPooledBases
            if isFull, !group.targets.isEmpty {
                groups.append(group)
                group = Group()
                (targetSize, baseSize) = (0, 0)
            }
            group.targets.append(member.target)
            group.counterparts.append(member.bases.first)
            targetSize += size
            for base in member.bases.prefix(PatchTable.Format.mostBases)
            where !group.bases.contains(base) && baseSize + old.contents[base].size <= Self.pooledBases {
                group.bases.append(base)
                baseSize += old.contents[base].size
            }
        }
        if !group.targets.isEmpty { groups.append(group) }
    }
}
