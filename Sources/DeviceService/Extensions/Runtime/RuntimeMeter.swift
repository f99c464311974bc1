// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Counts one extension's run time against what it may use: a value that is told what happens and when.
///
/// Time counts while a request is being answered, once when several are. Exclusive control is had only within an answer, so the
/// time it is held or waited for is counted with it.
struct RuntimeMeter: Hashable, Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What is to be done, and when the meter is to be asked again.
    enum Step: Hashable, Sendable {
        /// Nothing counts: nothing is due before something happens.
        case idle
        case wait(until: Instant)
        /// Tell the extension that its end is near.
        case warn
        case end
    }

    /// What the extension may use.
    let limit: Duration
    /// How long before the end the extension is told, if the limit is at least twice as long.
    let notice: Duration
    private var counted: Duration = .zero
    private var since: Instant?
    private var reasons = 0
    private var hasWarned = false

    init(limit: Duration, notice: Duration) {
        self.limit = max(.zero, limit)
        self.notice = min(notice, self.limit / 2)
    }

    /// A request went out.
    mutating func begin(_ now: Instant) {
        if reasons == 0 { since = now }
        reasons += 1
    }

    /// The answer came.
    mutating func end(_ now: Instant) {
        guard reasons > 0 else { return }
        reasons -= 1
        guard reasons == 0 else { return }
        counted = spent(now)
        since = nil
    }

    func spent(_ now: Instant) -> Duration { counted + (since.map { max(.zero, $0.duration(to: now)) } ?? .zero) }

    /// Asked at any time; a warning is given once.
    mutating func step(_ now: Instant) -> Step {
        guard since != nil else { return .idle }
        let rest = limit - spent(now)
        if rest <= .zero { return .end }
        if hasWarned { return .wait(until: now + rest) }
        guard rest <= notice else { return .wait(until: now + (rest - notice)) }
        hasWarned = true
        return .warn
    }
}
