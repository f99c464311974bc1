// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension TransferQueue {
    /// Whether the rule matters to any transfer now: those in the background that run or wait for their turn.
    package var hasBackgroundWork: Bool { items.hasBackgroundWork }

    /// Holds and lets go of background transfers as the rule says; nil when it is not known (any more), which begins none.
    package mutating func setRule(_ new: BackgroundRule?, now: Instant) -> [Action] {
        guard new != rule else { return [] }
        rule = new
        guard new != nil else { return [] }
        var actions: [Action] = []
        for key in items.values.map(\.key).sorted() { actions += judge(key) }
        return actions + schedule()
    }

    /// Holds one transfer, or lets go of it, by the rule; one that runs goes back to where it can go on from.
    mutating func judge(_ key: TransferKey) -> [Action] {
        guard let rule, let item = items[key] else { return [] }
        var actions: [Action] = []
        let hold = rule.reason(app: key.app, rankClass: item.rankClass)
        if hold != nil, item.state == .running {
            items[key]?.state = .stopping(then: .queued)
            actions.append(.stop(key))
        }
        if hold != item.hold {
            items[key]?.hold = hold
            actions.append(.tellHold(key, hold))
        }
        return actions
    }
}
