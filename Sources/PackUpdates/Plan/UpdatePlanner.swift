// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive

/// Chooses how a pack's version is made: by bytes to fetch and number of requests, and never worse than fetching the
/// archive whole. Pure.
package struct UpdatePlanner: Sendable {
    let target: PackIndex
    let local: LocalContents
    let facts: UpdateFacts
    /// Where each block begins in the archive, and behind the last one its size.
    let offsets: [Int64]

    package init(target: PackIndex, local: LocalContents, facts: UpdateFacts) {
        self.target = target
        self.local = local
        self.facts = facts
        offsets = target.archive.blockOffsets
    }

    /// The cheapest plan there is; the archive whole when nothing saves more than its head.
    package func plan() -> UpdatePlan {
        let head = Int64(ArchiveBlock.wrapperHeadSize)
        let others = [blocksPlan()].compactMap(\.self) + facts.patches.indices.compactMap(patchPlan)
        guard let best = others.min(by: { cost($0) < cost($1) }), cost(best) < cost(whole) - head else { return whole }
        return best
    }

    /// The plan that fetches blocks and uses no patch; nil for a server without ranges, and where it is not known where blocks are,
    /// when something is missing.
    package func blocksPlan() -> UpdatePlan? { draft(patch: nil, groups: []) }

    /// Whether blocks can be had at all.
    var givesBlocks: Bool { facts.ranges != .none && target.archive.hasBlocks }

    /// The plan that uses a patch of the facts; nil when it cannot be used.
    package func patchPlan(_ number: Int) -> UpdatePlan? {
        guard facts.patches.indices.contains(number) else { return nil }
        guard let groups = facts.patches[number].groups else { return draft(patch: number, groups: nil) }
        let usable = usable(groups)
        guard !usable.isEmpty else { return nil }
        return [usable, worthwhile(usable, of: groups)].compactMap { draft(patch: number, groups: $0) }
            .min { cost($0) < cost($1) }
    }

    /// The archive as it is.
    package var whole: UpdatePlan {
        let all = Int64(target.archive.size)
        let written = target.contents.reduce(0) { local.source(of: $1.digest) == nil ? $0 + $1.size : $0 }
        return UpdatePlan(
            actions: nil, blocks: [], archiveRanges: [0..<all], patch: nil, bytesToFetch: all, requests: 1,
            bytesToWrite: written)
    }

    /// What a plan costs, in bytes.
    package func cost(_ plan: UpdatePlan) -> Int64 { plan.bytesToFetch + Int64(plan.requests) * facts.costs.request }

    // MARK: - Drafts

    /// - Parameter groups: which groups of the patch are used; nil when it is used as a whole, unknown.
    private func draft(patch: Int?, groups: [Int]?) -> UpdatePlan? {
        var given: [Int: Int] = [:]
        if let patch, let groups, let all = facts.patches[patch].groups { given = givers(groups, of: all) }
        var actions: [UpdatePlan.Action] = []
        actions.reserveCapacity(target.contents.count)
        var (rebuilt, there): ([Int], [Int]) = ([], [])
        var written: Int64 = 0
        for (number, content) in target.contents.enumerated() {
            if facts.progress.complete.contains(number) {
                actions.append(.done)
                there.append(number)
                continue
            }
            if let source = local.source(of: content.digest) {
                actions.append(.link(source))
                there.append(number)
                continue
            }
            written += content.size - begun(number)
            if patch != nil, groups == nil {
                actions.append(.patch(group: nil))
            } else if let group = given[number] {
                actions.append(.patch(group: group))
                there.append(number)
            } else {
                rebuilt.append(number)
                actions.append(.rebuild([]))
            }
        }
        var repeats = repeatedChunks(givenBy: there)
        let parts = rebuilt.flatMap { missingParts(of: $0, &repeats) }
        guard parts.isEmpty || givesBlocks else { return nil }
        let blocks = mergedBlocks(holding: parts)
        for number in rebuilt { actions[number] = .rebuild(pieces(of: number, fetched: blocks, repeats)) }
        let use = patch.flatMap { patchUse($0, actions) }
        let archiveRanges = blocks.map { offsets[$0.lowerBound]..<offsets[$0.upperBound] }
        let (bytes, requests) = price([archiveRanges, use?.ranges ?? []])
        return UpdatePlan(
            actions: actions, blocks: blocks, archiveRanges: archiveRanges, patch: use, bytesToFetch: bytes,
            requests: requests, bytesToWrite: written)
    }

    /// What of a patch is fetched; nil when nothing is.
    private func patchUse(_ number: Int, _ actions: [UpdatePlan.Action]) -> UpdatePlan.PatchUse? {
        let patch = facts.patches[number]
        var used: Set<Int> = []
        var isUnknown = false
        for case .patch(let group) in actions {
            if let group { used.insert(group) } else { isUnknown = true }
        }
        if isUnknown { return .init(number: number, groups: [], ranges: [0..<patch.size]) }
        guard let groups = patch.groups, !used.isEmpty else { return nil }
        let chosen = used.sorted()
        guard facts.ranges != .none else { return .init(number: number, groups: chosen, ranges: [0..<patch.size]) }
        let ranges = chosen.map { groups[$0].range }.sorted { $0.lowerBound < $1.lowerBound }
        return .init(number: number, groups: chosen, ranges: merged(ranges))
    }
}
