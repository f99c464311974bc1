// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Whether an answer gets on: again and again as many bytes have to come within a window as the least rate makes of it. A server
/// that sends a byte now and then is never silent, and would hold whoever waits for its file forever.
struct Pace {
    typealias Instant = SuspendingClock.Instant

    /// Bytes that have to come in each window.
    let least: Int64
    private let window: Duration
    private var since: Instant
    private var came: Int64 = 0

    /// - Parameter rate: bytes in a second.
    init(rate: Int64, window: Duration, now: Instant) {
        least = max(1, Int64(min(Double(rate) * (window / .seconds(1)), 1e15)))
        self.window = window
        since = now
    }

    /// Bytes came.
    mutating func note(_ count: Int, at now: Instant) {
        came += Int64(count)
        if came >= least { begin(at: now) }
    }

    /// The window begins anew: what was before does not count.
    mutating func begin(at now: Instant) { (since, came) = (now, 0) }

    /// When the answer is given up, unless enough bytes come before.
    var deadline: Instant { since.advanced(by: window) }
}
