// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How long a transfer that met transient trouble waits, and when it gives up.
///
/// The wait doubles with each attempt that brought no byte, up to a bound, and is shortened by a random part, so that
/// many devices that lost one server do not come back in step. Bytes that arrive start the count afresh.
package struct RetryPolicy: Hashable, Sendable {
    /// The wait after the first failure, before jitter.
    package var first: Duration
    /// No wait is longer, before a server's own wish is honoured.
    package var longest: Duration
    /// The transfer fails when no byte has come for so long.
    package var patience: Duration

    package init(first: Duration, longest: Duration, patience: Duration) {
        self.first = first
        self.longest = longest
        self.patience = patience
    }

    /// An install waits: seconds between attempts, for a minute.
    package static let essential = RetryPolicy(first: .milliseconds(500), longest: .seconds(8), patience: .seconds(60))
    /// The app waits, and has to say something to a person soon.
    package static let foreground = RetryPolicy(first: .milliseconds(500), longest: .seconds(4), patience: .seconds(15))
    /// Nobody waits: up to a quarter of an hour between attempts, for two days.
    package static let background = RetryPolicy(first: .seconds(2), longest: .seconds(900), patience: .seconds(172_800))

    /// The wait before the next attempt.
    /// - Parameters:
    ///   - attempt: how many attempts in a row brought no byte, this one included; from 1.
    ///   - jitter: from 0 to 1; a full 1 takes half of the wait away.
    ///   - wish: how long the server asked to be left alone; kept if it is the longer one, up to `longest`.
    package func wait(attempt: Int, jitter: Double, wish: Duration? = nil) -> Duration {
        var wait = first
        for _ in 1..<max(1, min(attempt, 64)) {
            wait *= 2
            if wait >= longest { break }
        }
        wait = min(wait, longest)
        wait -= wait * (min(max(jitter, 0), 1) / 2)
        return max(wait, min(wish ?? .zero, longest))
    }
}
