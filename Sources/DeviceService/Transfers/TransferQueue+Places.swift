// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension TransferQueue {
    /// Gives free places to the highest ranks, and takes places from lower classes for higher ones.
    mutating func schedule() -> [Action] {
        var actions: [Action] = []
        var promises = Promises()
        // How many of a lane have such a promise. The next one stands for the lane: where it finds no place, those behind
        // it find none either.
        var served = items.lanes.queued.mapValues { _ in 0 }
        while let (lane, entry) = nextInTurn(served) {
            let full = fullLimits(lane, promises)
            if full.isEmpty {
                items[entry.key]?.state = .running
                actions.append(.start(entry.key))
            } else if let leaving = rivals(of: entry.rank.rankClass, full, promises) {
                promises.leaving.formUnion(leaving)
                promises.lanes.append(lane)
                served[lane, default: 0] += 1
                for key in leaving.sorted() {
                    guard items[key]?.state == .running else { continue }
                    items[key]?.state = .stopping(then: .queued)
                    actions.append(.stop(key))
                }
            } else {
                served[lane] = nil
            }
        }
        return actions
    }

    /// Who goes next of the lanes in `served`. Within an app the rank says so. Between apps the class does, then who has
    /// fewer places, then age: an app's priorities are its own.
    private func nextInTurn(
        _ served: [TransferLanes.Lane: Int]
    ) -> (lane: TransferLanes.Lane, entry: TransferLanes.Entry)? {
        var best: [String: (lane: TransferLanes.Lane, entry: TransferLanes.Entry)] = [:]
        for (lane, count) in served {
            guard let entries = items.lanes.queued[lane], count < entries.count else { continue }
            // Without a rule nothing begins in the background, which is the last in each lane.
            if rule == nil, entries[count].rank.rankClass == .background { continue }
            if let other = best[lane.app], other.entry.rank > entries[count].rank { continue }
            best[lane.app] = (lane, entries[count])
        }
        guard best.count > 1 else { return best.values.first }
        var places: [String: Int] = [:]
        for key in items.lanes.holding { places[key.app, default: 0] += 1 }
        return best.values.max { left, right in
            let (leftRank, rightRank) = (left.entry.rank, right.entry.rank)
            if leftRank.rankClass != rightRank.rankClass { return leftRank.rankClass < rightRank.rankClass }
            let (leftPlaces, rightPlaces) = (places[left.lane.app] ?? 0, places[right.lane.app] ?? 0)
            return (leftPlaces, leftRank.sequence) > (rightPlaces, rightRank.sequence)
        }
    }

    /// Places that are about to be free, and for whom. Nobody else may take one that has been left already while
    /// the others have not.
    private struct Promises {
        var leaving: Set<TransferKey> = []
        var lanes: [TransferLanes.Lane] = []
    }

    /// Limits that leave no place, by which holders count against them; the narrowest first.
    private func fullLimits(_ lane: TransferLanes.Lane, _ promises: Promises) -> [@Sendable (Item) -> Bool] {
        let holders = items.lanes.holding.compactMap { items[$0] }
        func isFull(_ limit: Int, _ counts: (TransferLanes.Lane) -> Bool) -> Bool {
            let held = holders.filter { counts($0.lane) }
            let kept = held.count { !promises.leaving.contains($0.key) } + promises.lanes.count(where: counts)
            return max(held.count, kept) >= limit
        }
        var full: [@Sendable (Item) -> Bool] = []
        if isFull(limits.perHost, { $0.host == lane.host }) { full.append { $0.host == lane.host } }
        if isFull(limits.perApp, { $0.app == lane.app }) { full.append { $0.key.app == lane.app } }
        if isFull(limits.total, { _ in true }) { full.append { _ in true } }
        return full
    }

    /// Holders that must leave to make room under all of `full`: those that leave anyway, and running ones of a lower class.
    /// nil when there are not enough.
    private func rivals(
        of rankClass: TransferRank.Class, _ full: [@Sendable (Item) -> Bool], _ promises: Promises
    ) -> Set<TransferKey>? {
        let holders = items.lanes.holding.compactMap { items[$0] }.filter { !promises.leaving.contains($0.key) }
        var leaving: [Item] = []
        for counts in full where !leaving.contains(where: counts) {
            let pool = holders.filter(counts)
            if let gone = pool.first(where: { $0.state != .running }) {
                leaving.append(gone)
                continue
            }
            // Best is one that makes room under several limits at once.
            let weakest = pool.filter { $0.rankClass < rankClass }.min { left, right in
                let (leftCount, rightCount) = (full.count { $0(left) }, full.count { $0(right) })
                return leftCount == rightCount ? left.rank < right.rank : leftCount > rightCount
            }
            guard let weakest else { return nil }
            leaving.append(weakest)
        }
        return Set(leaving.map(\.key))
    }
}
