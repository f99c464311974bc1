// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// When what an update has written so far is worth a checkpoint. Pure.
struct CheckpointPace {
    /// Bytes between two checkpoints.
    static let interval: Int64 = 4 << 20
    /// As long as that in any case: what comes faster is soon there again, and each takes a millisecond.
    static let shortestPause = Duration.milliseconds(50)
    /// After this, fewer bytes will do: over a slow connection they took long to come.
    static let longestPause = Duration.seconds(1)

    /// Bytes that were written up to the last checkpoint.
    private(set) var written: Int64 = 0
    private var time: ContinuousClock.Instant

    init(since time: ContinuousClock.Instant) { self.time = time }

    /// - Parameters:
    ///   - size: of what a checkpoint writes for links, in bytes: where they are many, it comes less often.
    ///   - now: is asked when it matters.
    func isDue(written: Int64, size: Int64, now: () -> ContinuousClock.Instant) -> Bool {
        guard written > self.written else { return false }
        let scale = max(1, Double(size) / Double(Self.interval))
        let isMuch = Double(written - self.written) >= scale * Double(Self.interval)
        return time.duration(to: now()) >= (isMuch ? Self.shortestPause : Self.longestPause * scale)
    }

    mutating func taken(written: Int64, at now: ContinuousClock.Instant) { (self.written, time) = (written, now) }
}
