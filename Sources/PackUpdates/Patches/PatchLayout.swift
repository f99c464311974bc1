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
            let base = Int(baseSize)
            self.old.place(group.bases, in: Self.bases, at: &baseSize)
            self.new.place(group.newBases, in: Self.bases, at: &baseSize)
            let first = group.targets.count == 1 ? group.bases.first : nil
            groups.append(
                Group(
                    likeliestBase: first.map { Int(old.index.contents[$0].size) }, bases: base..<Int(baseSize),
                    targets: self.new.place(group.targets, in: Self.targets, at: &targetSize)))
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
