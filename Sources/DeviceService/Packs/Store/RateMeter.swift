// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How fast bytes come: a mean in which the last few seconds count most.
struct RateMeter: Sendable {
    private(set) var bytesPerSecond = 0.0
    private var last: (total: Int64, time: ContinuousClock.Instant)?

    /// How long a change takes to show, in seconds.
    private static let memory = 3.0

    mutating func add(total: Int64, at time: ContinuousClock.Instant) {
        defer { last = (total, time) }
        guard let last, total >= last.total else { return }
        let seconds = (time - last.time) / .seconds(1)
        guard seconds > 0 else { return }
        let rate = Double(total - last.total) / seconds
        let weight = bytesPerSecond == 0 ? 1 : min(1, seconds / Self.memory)
        bytesPerSecond += (rate - bytesPerSecond) * weight
    }

}
