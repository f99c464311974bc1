// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Which groups of a patch are used. One that starts from what another gives never is without that one.
extension UpdatePlanner {
    /// How many groups, their followers and their blocks are looked at to find out which ones are worth it: in a table that is made
    /// to be a chain, each has all those behind it. What is not looked at is used.
    private static let mostSteps = 1 << 20

    /// The groups that can be used: what they start from is there, or earlier ones that can be used give it.
    func usable(_ groups: [UpdateFacts.Patch.Group]) -> [Int] {
        var given: Set<Int> = []
        return groups.indices.filter { number in
            let group = groups[number]
            guard group.isUsable, group.targets.allSatisfy(target.contents.indices.contains),
                group.needs.allSatisfy({ isThere($0) || given.contains($0) })
            else { return false }
            given.formUnion(group.targets)
            return true
        }
    }

    /// Without the groups that cost more than the blocks that would have to be fetched in their stead.
    /// - Parameter usable: in order.
    func worthwhile(_ usable: [Int], of groups: [UpdateFacts.Patch.Group]) -> [Int] {
        guard givesBlocks else { return usable }
        let given = givers(usable, of: groups)
        var (isNeeded, blocksOfGroup) = blocks(given)
        let followers = followers(usable, of: groups, given)
        var kept = Set(usable)
        var steps = 0
        // The largest first. Those from which others start come last and in turn: then it is known who still does.
        let alone = usable.filter { followers[$0] == nil }.sorted { groups[$0].range.count > groups[$1].range.count }
        for group in alone + usable.reversed().filter({ followers[$0] != nil }) {
            guard let all = reach(of: group, followers, within: kept, &steps) else { break }
            steps += all.reduce(0) { $0 + (blocksOfGroup[$1]?.count ?? 0) }
            guard steps <= Self.mostSteps else { break }
            let more = all.reduce(into: Set<Int>()) { $0.formUnion(blocksOfGroup[$1] ?? []) }.filter { !isNeeded[$0] }
            let instead = more.reduce(0) { $0 + offsets[$1 + 1] - offsets[$1] }
            guard instead <= all.reduce(0, { $0 + Int64(groups[$1].range.count) }) else { continue }
            for block in more { isNeeded[block] = true }
            kept.subtract(all)
        }
        return usable.filter(kept.contains)
    }

    /// Of each content the group that gives it.
    func givers(_ used: [Int], of groups: [UpdateFacts.Patch.Group]) -> [Int: Int] {
        var given: [Int: Int] = [:]
        for group in used {
            for content in groups[group].targets where given[content] == nil { given[content] = group }
        }
        return given
    }

    /// Whether nothing has to give a content: it was made already, or will be linked.
    private func isThere(_ content: Int) -> Bool {
        guard target.contents.indices.contains(content) else { return false }
        return facts.progress.complete.contains(content) || local.source(of: target.contents[content].digest) != nil
    }

    /// The blocks that no group spares, and those that each would.
    private func blocks(_ given: [Int: Int]) -> (isNeeded: [Bool], ofGroup: [Int: Set<Int>]) {
        var isNeeded = [Bool](repeating: false, count: target.archive.blockCount)
        var ofGroup: [Int: Set<Int>] = [:]
        var repeats = repeatedChunks()
        for content in target.contents.indices where !isThere(content) {
            for range in missingParts(of: content, &repeats) {
                for block in target.archive.blocks(holding: range) {
                    if let group = given[content] {
                        ofGroup[group, default: []].insert(block)
                    } else {
                        isNeeded[block] = true
                    }
                }
            }
        }
        return (isNeeded, ofGroup)
    }

    /// Of each group those that start from what it gives.
    private func followers(
        _ usable: [Int], of groups: [UpdateFacts.Patch.Group], _ given: [Int: Int]
    ) -> [Int: [Int]] {
        var followers: [Int: [Int]] = [:]
        for group in usable {
            let givers = Set(groups[group].needs.filter { !isThere($0) }.compactMap { given[$0] })
            for giver in givers where giver != group { followers[giver, default: []].append(group) }
        }
        return followers
    }

    /// The group and all that would go with it; nil when that takes too many steps.
    private func reach(
        of group: Int, _ followers: [Int: [Int]], within kept: Set<Int>, _ steps: inout Int
    ) -> Set<Int>? {
        var (all, rest) = (Set([group]), [group])
        while let next = rest.popLast() {
            steps += 1 + (followers[next]?.count ?? 0)
            guard steps <= Self.mostSteps else { return nil }
            for follower in followers[next] ?? [] where kept.contains(follower) && all.insert(follower).inserted {
                rest.append(follower)
            }
        }
        return all
    }
}
