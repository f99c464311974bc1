// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How long whoever met transient trouble waits before trying again, and when to give up.
///
/// The wait doubles with each attempt that brought nothing, up to a bound, and is shortened by a random part, so that
/// many that lost one server do not come back in step. Something that comes starts the count afresh.
package struct RetryPolicy: Hashable, Sendable {
    /// The wait after the first failure, before jitter.
    package var first: Duration
    /// No wait is longer, before a server's own wish is honoured.
    package var longest: Duration
    /// How long nothing may come before one gives up.
    package var patience: Duration
    /// The same while there is no network, or nobody at the address; never more than `patience`.
    package var unreachablePatience: Duration

    /// - Parameter unreachablePatience: nil for `patience`.
    package init(first: Duration, longest: Duration, patience: Duration, unreachablePatience: Duration? = nil) {
        self.first = first
        self.longest = longest
        self.patience = patience
        self.unreachablePatience = min(unreachablePatience ?? patience, patience)
    }

    /// An install waits: seconds between attempts, for a minute.
    package static let essential = RetryPolicy(first: .milliseconds(500), longest: .seconds(8), patience: .seconds(60))
    /// The app waits, and has to say something to a person soon: sooner still when there is no network.
    package static let foreground = RetryPolicy(
        first: .milliseconds(500), longest: .seconds(4), patience: .seconds(15), unreachablePatience: .seconds(2))
    /// Nobody waits: up to a quarter of an hour between attempts, for two days.
    package static let background = RetryPolicy(first: .seconds(2), longest: .seconds(900), patience: .seconds(172_800))

    /// For the device service itself, which another client or the next attempt starts anew.
    package static let service = RetryPolicy(first: .milliseconds(100), longest: .seconds(5), patience: .seconds(15))

    /// The same waits, without ever giving up.
    package var forever: RetryPolicy { RetryPolicy(first: first, longest: longest, patience: .seconds(1 << 40)) }

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
