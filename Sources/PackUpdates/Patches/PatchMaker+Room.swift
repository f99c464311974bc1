// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension PatchMaker {
    /// Bytes of files that making a patch takes beside it, itself included, about at most: what is compared lies there unpacked.
    package static func scratchSize(from old: PackIndex, to new: PackIndex) -> Int64 {
        // What is compared to find what resembles what lies there first, and some of it once more as bases.
        let first = 2 * ContentResemblance(from: old, to: new).size
        return PatchPlan(from: old, to: new).groups.reduce(first) { total, group in
            func size(_ contents: [Int], of index: PackIndex) -> Int64 {
                contents.reduce(0) { $0 + index.contents[$1].size }
            }
            // Targets unpacked, as deltas, and as the patch that the deltas are copied to.
            return total + 3 * size(group.targets, of: new) + size(group.bases, of: old) + size(group.newBases, of: new)
        }
    }
}
