// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit

/// How much an app is used, in two numbers: a count of launches in which each fades by half in a week, and when it was taken.
///
/// Times are seconds since 1970. A clock that was set back counts as no time passed.
struct LaunchHistory: Hashable, Sendable, Codable {
    /// In this time a launch comes to count half, in seconds.
    static let halfLife = 7.0 * 86_400
    /// Launches that follow each other faster count as one, in seconds.
    static let merging: Int64 = 3600

    /// Launches, faded, at `time`.
    private(set) var score = 0.0
    private(set) var time: Int64 = 0
    /// nil before the first launch.
    private(set) var lastLaunch: Int64?

    init() {}

    init(score: Double, time: Int64, lastLaunch: Int64?) {
        self.score = score.isFinite ? min(max(0, score), 1e6) : 0
        self.time = time
        self.lastLaunch = lastLaunch
    }

    mutating func launched(at now: Int64) {
        if let last = lastLaunch, now >= last, now - last < Self.merging { return }
        score = score(at: now) + 1
        time = max(time, now)
        lastLaunch = now
    }

    private func score(at now: Int64) -> Double {
        score * exp2(-max(0, Double(now) - Double(time)) / Self.halfLife)
    }

    /// Launches a day, as they go on if the app is used as before: k launches a day bring the faded count to k · 7 / ln 2.
    func launchesPerDay(at now: Int64) -> Double { score(at: now) * M_LN2 / 7 }
}
