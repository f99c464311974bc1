// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The queue's transfers by what they do, so that thousands which wait cost little: those that wait for a turn in lanes,
/// one for each app and host, each in order; those that hold a place; and those that wait for a time.
struct TransferLanes: Sendable {
    /// Whose limits a transfer counts against.
    struct Lane: Hashable, Sendable {
        let app: String
        let host: String
    }

    /// A transfer that waits for its turn.
    struct Entry: Sendable {
        let rank: TransferRank
        let key: TransferKey
    }

    /// Highest rank first.
    private(set) var queued: [Lane: [Entry]] = [:]
    /// Those whose turn a rule keeps from coming.
    private(set) var held: Set<TransferKey> = []
    private(set) var holding: Set<TransferKey> = []
    private(set) var waiting: [TransferKey: TransferQueue.Instant] = [:]

    mutating func insert(_ item: TransferQueue.Item) {
        switch item.state {
        case .queued where item.hold != nil: held.insert(item.key)
        case .queued:
            let entry = Entry(rank: item.rank, key: item.key)
            queued[item.lane, default: []].insert(entry, at: place(of: item.rank, in: item.lane))
        case .running, .stopping: holding.insert(item.key)
        case .waiting(let until): waiting[item.key] = until
        case .challenged, .paused: break
        }
    }

    mutating func remove(_ item: TransferQueue.Item) {
        switch item.state {
        case .queued where item.hold != nil: held.remove(item.key)
        case .queued:
            let index = place(of: item.rank, in: item.lane)
            guard let entries = queued[item.lane], index < entries.count, entries[index].key == item.key else { return }
            queued[item.lane]?.remove(at: index)
            if entries.count == 1 { queued[item.lane] = nil }
        case .running, .stopping: holding.remove(item.key)
        case .waiting: waiting[item.key] = nil
        case .challenged, .paused: break
        }
    }

    /// Where the rank is, or would be: ranks are different, since ages are.
    private func place(of rank: TransferRank, in lane: Lane) -> Int {
        guard let entries = queued[lane] else { return 0 }
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].rank > rank { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension TransferQueue.Item {
    var lane: TransferLanes.Lane { TransferLanes.Lane(app: key.app, host: host) }
}
