// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Holds one transfer to a rate. libcurl can do that too, but holds a limit that comes late against all that came before.
struct TokenBucket {
    /// Bytes a second.
    private let rate: Double
    /// What may still be taken; less than 0 after a piece that was larger than that.
    private var tokens: Double
    private var last: SuspendingClock.Instant

    init(rate: Int64, now: SuspendingClock.Instant) {
        self.rate = Double(max(1, rate))
        tokens = self.rate * Self.burst
        last = now
    }

    /// What may be saved up, in seconds.
    private static let burst = 0.1

    /// When the next piece may be taken; nil for now.
    mutating func nextPiece(at now: SuspendingClock.Instant) -> SuspendingClock.Instant? {
        tokens = min(rate * Self.burst, tokens + (now - last) / .seconds(1) * rate)
        last = now
        return tokens > 0 ? nil : now + .seconds(-tokens / rate + 0.001)
    }

    mutating func take(_ count: Int) { tokens -= Double(count) }
}
