// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import PackUpdates

/// Whether a patch is worth having. Pure.
struct PatchWorth: Hashable, Sendable {
    /// What a device with the old version fetches when there is no patch, in bytes, without what it fetches in any case; a request
    /// counts as some.
    let costWithout: Int64
    /// Whether a device finds hardly any of the new version's bytes in the old one: what has them looks as if it had nothing in
    /// common, though a patch may find more.
    let seemsUnrelated: Bool
    private let costOfRequest: Int64

    /// - Parameter savedByList: how many bytes of the index a device need not fetch when there is a patch.
    init(from old: PackIndex, to new: PackIndex, savedByList: Int64 = 0) {
        var local = LocalContents(for: new)
        local.add(old, as: 0)
        // Ranges one by one are what every server and store gives.
        let facts = UpdateFacts(ranges: .single, progress: .init(complete: new.manifestContents))
        let planner = UpdatePlanner(target: new, local: local, facts: facts)
        let cost = planner.cost(planner.plan())
        costWithout = cost + savedByList
        seemsUnrelated = cost >= new.archive.size / 10 * 9
        costOfRequest = facts.costs.request
    }

    /// Whether no patch, however small, would be.
    var isHopeless: Bool { !isWorthwhile(size: 0) }

    /// - Parameter size: the patch's, in bytes.
    func isWorthwhile(size: Int64) -> Bool {
        // A tenth less at least: patches take room, and time to apply.
        size + costOfRequest <= costWithout / 10 * 9
    }
}
