// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What an app's extension may run in a day, and what of it is used: a value.
///
/// Days are those of UTC. Times are seconds since 1970.
struct RuntimeBudget: Hashable, Sendable {
    /// For an app that is launched once a day or more, and for one that was just installed.
    static let most = Duration.seconds(600)
    /// For an app that nobody uses.
    static let least = Duration.seconds(120)

    private var day: Int64
    private var used: Duration

    init(day: Int64 = 0, used: Duration = .zero) {
        self.day = day
        self.used = max(.zero, used)
    }

    /// The row to be kept.
    var kept: (day: Int64, used: Duration) { (day, used) }

    /// What a day has: two minutes, and eight more in proportion to launches, up to one a day.
    static func allowance(_ history: LaunchHistory, at now: Int64) -> Duration {
        guard history.lastLaunch != nil else { return most }
        let share = min(1, max(0, history.launchesPerDay(at: now)))
        return least + (most - least) * share
    }

    func remaining(_ history: LaunchHistory, at now: Int64) -> Duration {
        let spent = Self.day(now) == day ? used : .zero
        return max(.zero, Self.allowance(history, at: now) - spent)
    }

    mutating func spend(_ time: Duration, at now: Int64) {
        let today = Self.day(now)
        if today != day {
            day = today
            used = .zero
        }
        used += max(.zero, time)
    }

    /// A run that was counted whole beforehand has ended: what it did not use is given back.
    mutating func settle(reserved: Duration, spent: Duration, at start: Int64) {
        // Another day, or one that was given back meanwhile, knows nothing of the run.
        guard Self.day(start) == day else { return }
        used = max(.zero, used - max(.zero, reserved - spent))
    }

    /// After an event that a developer simulated.
    mutating func reset() { used = .zero }

    private static func day(_ seconds: Int64) -> Int64 { seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0) }
}
