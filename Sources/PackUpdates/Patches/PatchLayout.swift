// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Where what a patch is made of lies in two files: the bases of each group one behind the other, and its targets.
struct PatchLayout {
    struct Group: Hashable {
        /// Bytes of the first base, of which the only target may be a later state; nil when there is no such.
        let likeliestBase: Int?
        let bases: Range<Int>
        let targets: Range<Int>
    }

    private(set) var oldBases: ContentLayout
    private(set) var newBases: ContentLayout
    private(set) var targets: ContentLayout
    private(set) var groups: [Group] = []
    /// Of the two files, in bytes.
    private(set) var baseSize: Int64 = 0
    private(set) var targetSize: Int64 = 0

    init(of plan: PatchPlan, from old: PatchVersion, to new: PatchVersion) {
        oldBases = ContentLayout(index: old.index)
        newBases = ContentLayout(index: new.index)
        targets = ContentLayout(index: new.index)
        for group in plan.groups {
            let base = Int(baseSize)
            oldBases.place(group.bases, at: &baseSize)
            newBases.place(group.newBases, at: &baseSize)
            let first = group.targets.count == 1 ? group.bases.first : nil
            groups.append(
                Group(
                    likeliestBase: first.map { Int(old.index.contents[$0].size) }, bases: base..<Int(baseSize),
                    targets: targets.place(group.targets, at: &targetSize)))
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
