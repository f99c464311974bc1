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

    /// Holds and lets go of what comes by itself before an app's first launch.
    package mutating func setContent(_ new: ContentRule, now: Instant) -> [Action] {
        guard new != content else { return [] }
        // Launches alone change nothing while everything may come.
        let isIdle = content.allowsInAppContent && new.allowsInAppContent
        content = new
        if isIdle { return [] }
        var actions: [Action] = []
        for key in items.values.map(\.key).sorted() { actions += judge(key) }
        return actions + schedule()
    }

    /// Holds one transfer, or lets go of it, by the rules; one that runs goes back to where it can go on from.
    mutating func judge(_ key: TransferKey) -> [Action] {
        guard let item = items[key] else { return [] }
        var actions: [Action] = []
        var hold = content.reason(app: key.app, rankClass: item.rankClass)
        if hold == nil {
            // While the rule is not known, what it said last stands.
            hold = rule.map { $0.reason(app: key.app, rankClass: item.rankClass) } ?? item.hold
            if hold == .inAppContent { hold = nil }
        }
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
