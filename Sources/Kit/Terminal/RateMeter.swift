// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How fast something goes, over the last seconds.
package struct RateMeter: Sendable {
    private let window: Duration
    private var samples: [(time: ContinuousClock.Instant, completed: Int64)] = []

    package init(window: Duration = .seconds(5)) { self.window = window }

    /// Notes how far things are. Going back (a retry) starts the measurement anew.
    package mutating func record(_ completed: Int64, at time: ContinuousClock.Instant = .now) {
        if let last = samples.last {
            if completed < last.completed {
                samples.removeAll()
            } else if last.time.duration(to: time) < .milliseconds(100), samples.count > 1 {
                samples[samples.count - 1] = (time, completed)
                return
            }
        }
        samples.append((time, completed))
        // One sample older than the window stays, so that a slow transfer still has two.
        while samples.count > 2, samples[1].time.duration(to: time) > window { samples.removeFirst() }
    }

    /// Units per second; nil as long as there is nothing to measure.
    package var rate: Double? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let seconds = first.time.duration(to: last.time).inSeconds
        return seconds > 0.05 ? Double(last.completed - first.completed) / seconds : nil
    }

    /// How long `remaining` units take at this rate; nil when it cannot be told.
    package func timeLeft(_ remaining: Int64) -> Duration? {
        guard let rate, rate > 0, remaining >= 0 else { return nil }
        let seconds = Double(remaining) / rate
        return seconds < 360_000 ? .seconds(seconds) : nil
    }
}
