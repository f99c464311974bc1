// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Decides when an app gets its next periodic request (C5): facts in, a time out. Times are seconds since 1970.
enum PeriodicPlanner {
    /// What the decision about one app rests on.
    struct Facts: Hashable, Sendable {
        var history: LaunchHistory
        /// The last periodic request; nil when there was none yet.
        var lastCheck: Int64?
        /// The person closed the app for good, and did not launch it since.
        var isClosed: Bool
        /// Global and the app's own.
        var allowsBackgroundRefresh: Bool
        /// From 0 to 1, the same for the same app and check: spreads apps and devices over time.
        var jitter: Double
    }

    enum Decision: Hashable, Sendable {
        /// Not before something changes.
        case never
        case at(Int64)
        case now
    }

    static let shortest: Int64 = 2 * 3600
    static let longest: Int64 = 14 * 86_400
    /// Between two requests of an app that is launched once a day.
    static let daily = 12.0 * 3600
    /// What jitter adds at most, as a share of the interval.
    static let spread = 0.1
    /// How long a request that is due waits when conditions forbid it.
    static let postponement: Int64 = 3600

    /// Between two requests: in inverse proportion to launches a day, from two hours to two weeks.
    static func interval(_ history: LaunchHistory, at now: Int64) -> Int64 {
        let rate = history.launchesPerDay(at: now)
        guard rate > daily / Double(longest) else { return longest }
        return min(longest, max(shortest, Int64(daily / rate)))
    }

    static func decide(_ facts: Facts, _ conditions: Conditions, at now: Int64) -> Decision {
        guard let due = due(facts, at: now) else { return .never }
        if due > now { return .at(due) }
        return conditions.holdReason == nil ? .now : .at(now + postponement)
    }

    /// When the next request is due, whatever the conditions; nil: not at all.
    static func due(_ facts: Facts, at now: Int64) -> Int64? {
        guard facts.allowsBackgroundRefresh, !facts.isClosed else { return nil }
        let interval = interval(facts.history, at: now)
        let whole = interval + Int64(Double(interval) * spread * min(1, max(0, facts.jitter)))
        // Without a last request the app was just installed; a clock that was set back begins anew.
        let last = min(facts.lastCheck ?? now, now)
        return last + whole
    }

    /// The same number for the same words, from 0 to 1 (FNV-1a).
    static func jitter(_ app: String, _ lastCheck: Int64?) -> Double {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(app) \(lastCheck ?? 0)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Double(hash >> 11) / Double(UInt64(1) << 53)
    }
}
