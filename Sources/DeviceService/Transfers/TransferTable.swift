// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The transfers of a queue, with what is asked of all of them at hand: thousands may wait, and few run.
package struct TransferTable: Sendable {
    private var items: [TransferKey: TransferQueue.Item] = [:]
    /// Those that take a place.
    private(set) var holders: Set<TransferKey> = []
    /// Those that wait for a time.
    private(set) var timed: Set<TransferKey> = []
    /// How many wait for their turn, by class.
    private var queued: [TransferRank.Class: Int] = [:]

    package subscript(key: TransferKey) -> TransferQueue.Item? {
        get { items[key] }
        set {
            if let old = items[key] { count(old, -1) }
            items[key] = newValue
            if let newValue { count(newValue, 1) }
        }
    }

    package var values: some Collection<TransferQueue.Item> { items.values }
    package var isEmpty: Bool { items.isEmpty }

    /// The highest class in which a transfer waits for its turn.
    var highestQueued: TransferRank.Class? { queued.filter { $0.value > 0 }.keys.max() }

    /// Whether any of the lowest class runs or waits for its turn.
    var hasBackgroundWork: Bool {
        queued[.background, default: 0] > 0 || holders.contains { items[$0]?.rankClass == .background }
    }

    private mutating func count(_ item: TransferQueue.Item, _ step: Int) {
        if step > 0, item.holdsPlace { holders.insert(item.key) } else { holders.remove(item.key) }
        if step > 0, case .waiting = item.state { timed.insert(item.key) } else { timed.remove(item.key) }
        if item.state == .queued { queued[item.rankClass, default: 0] += step }
    }
}
