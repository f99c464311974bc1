// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The transfers of a queue, with what is asked of all of them at hand: thousands may wait, and few run.
package struct TransferTable: Sendable {
    private var items: [TransferKey: TransferQueue.Item] = [:]
    /// The same, by what they do.
    private(set) var lanes = TransferLanes()

    package subscript(key: TransferKey) -> TransferQueue.Item? {
        get { items[key] }
        set {
            if let old = items[key] { lanes.remove(old) }
            items[key] = newValue
            if let newValue { lanes.insert(newValue) }
        }
    }

    package var values: some Collection<TransferQueue.Item> { items.values }
    package var isEmpty: Bool { items.isEmpty }

    /// Whether any of the lowest class runs or waits for its turn.
    var hasBackgroundWork: Bool {
        lanes.held.contains { items[$0]?.rankClass == .background }
            || lanes.queued.values.contains { $0.last?.rank.rankClass == .background }
            || lanes.holding.contains { items[$0]?.rankClass == .background }
    }
}
