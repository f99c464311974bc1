// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Deltas

extension PatchLayout {
    /// Where a group's targets stand in its bases if nothing moved: those that have as many bytes as their counterparts.
    static func counterparts(
        _ group: PatchPlan.Group, _ members: [Member], _ old: PackIndex, _ new: PackIndex
    ) -> [Match] {
        let starts = Dictionary(
            members.filter { !$0.isNew }.map { ($0.content, $0.start) }, uniquingKeysWith: { first, _ in first })
        var matches: [Match] = []
        var position = 0
        for (target, counterpart) in zip(group.targets, group.counterparts) {
            let size = Int(new.contents[target].size)
            defer { position += size }
            guard let counterpart, let start = starts[counterpart], old.contents[counterpart].size == size else {
                continue
            }
            if let last = matches.last, last.target + last.count == position, last.base + last.count == start {
                matches[matches.count - 1].count += size
            } else {
                matches.append(Match(target: position, base: start, count: size))
            }
        }
        return matches
    }
}
