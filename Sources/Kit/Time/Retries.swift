// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The attempts at one thing since something last came of them. What follows a failed one is for a `RetryPolicy` to say.
package struct Retries: Hashable, Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// Attempts in a row that brought nothing.
    package private(set) var fruitless = 0
    /// When something last came, or was first asked for.
    package private(set) var lastSign: Instant

    package init(now: Instant = .now) { lastSign = now }

    /// Something came: the count begins afresh.
    package mutating func reset(now: Instant = .now) { self = Retries(now: now) }

    /// An attempt failed.
    /// - Parameters:
    ///   - jitter: from 0 to 1, by chance.
    ///   - wish: how long the server asked to be left alone.
    ///   - isUnreachable: there was no network, or nobody at the address.
    ///   - began: when the attempt began, where merely having lasted is a sign of life: one that took the policy's longest
    ///     wait or more before it failed begins the count afresh.
    /// - Returns: the wait before the next; nil when patience has ended. The first failure of a server that was reached is
    ///   always followed by another attempt, since one silence may use up all patience.
    package mutating func next(
        _ policy: RetryPolicy, jitter: Double = .random(in: 0...1), wish: Duration? = nil, isUnreachable: Bool = false,
        began: Instant? = nil, now: Instant = .now
    ) -> Duration? {
        if let began, now - began >= policy.longest { reset(now: now) }
        let patience = isUnreachable ? policy.unreachablePatience : policy.patience
        guard now - lastSign < patience || (fruitless == 0 && !isUnreachable) else { return nil }
        fruitless += 1
        return policy.wait(attempt: fruitless, jitter: jitter, wish: wish)
    }
}
