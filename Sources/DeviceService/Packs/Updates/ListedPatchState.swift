// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import PackUpdates

/// A patch that the manifest lists, and what an update has learnt of it.
struct ListedPatchState {
    let listed: PackDownload.ListedPatch
    /// nil until its beginning was fetched.
    private(set) var table: PatchTable?
    /// Where the delta of each group is in the file.
    private(set) var ranges: [Range<Int64>] = []
    /// The local files that hold what it starts from.
    private(set) var bases: [ContentName: LocalFile] = [:]
    /// Groups that did not give what they should.
    private var failedGroups: Set<Int> = []
    /// It cannot be had, or is not what it should be.
    var isUseless = false

    /// Whether its table may still be learnt.
    var isUnknown: Bool { table == nil && !isUseless }

    init(_ listed: PackDownload.ListedPatch) { self.listed = listed }

    /// For the beginning of the file; nil when the manifest names no digest of what it starts from.
    /// - Parameters:
    ///   - digest: of the index's file.
    ///   - old: the files that it starts from; nil when they are not known.
    func reader(_ index: PackIndex, _ digest: Digest, old: PackListBase?) -> PatchTableReader? {
        Digest(hex: listed.base).map {
            PatchTableReader(index: index, indexDigest: digest, base: $0, old: old, size: listed.file.size)
        }
    }

    /// - Parameter find: says where contents are on the device.
    mutating func learn(
        _ reader: PatchTableReader, find: (Set<ContentName>) throws -> [ContentName: LocalFile]
    ) rethrows {
        guard let table = reader.table else { return }
        var wanted: Set<ContentName> = []
        for group in table.groups {
            for case .old(let name) in group.bases.lazy.map(\.source) { wanted.insert(name) }
        }
        bases = try find(wanted)
        (self.table, ranges) = (table, reader.deltaRanges)
    }

    /// Contents that it did not give.
    mutating func fail(_ contents: Set<Int>) {
        for (number, group) in (table?.groups ?? []).enumerated() where !contents.isDisjoint(with: group.targets) {
            failedGroups.insert(number)
        }
    }

    /// Where the applying goes on within a group.
    func position(_ pipeline: UpdatePipeline) -> PatchPosition? {
        guard let table, let progress = pipeline.patch, progress.file == listed.file.digest,
            table.groups.indices.contains(progress.position.group),
            (1..<table.groups[progress.position.group].deltaSize).contains(progress.position.delta)
        else { return nil }
        return progress.position
    }

    /// What a planner is told.
    /// - Parameter position: where the applying goes on.
    func facts(position: PatchPosition?) -> UpdateFacts.Patch {
        guard !isUseless else { return UpdateFacts.Patch(size: listed.file.size, groups: []) }
        guard let table else { return UpdateFacts.Patch(size: listed.file.size, groups: nil) }
        let groups = zip(table.groups, ranges).enumerated().map { number, group in
            let used = position.flatMap { $0.group == number ? $0.delta : nil } ?? 0
            var (isThere, needs): (Bool, [Int]) = (true, [])
            for base in group.0.bases {
                switch base.source {
                case .old(let name): isThere = isThere && bases[name] != nil
                case .new(let content): needs.append(content)
                }
            }
            return UpdateFacts.Patch.Group(
                targets: group.0.targets, isUsable: !failedGroups.contains(number) && isThere, needs: needs,
                range: group.1.lowerBound + used..<group.1.upperBound)
        }
        return UpdateFacts.Patch(size: listed.file.size, groups: groups)
    }
}
