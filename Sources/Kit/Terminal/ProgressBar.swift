// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// One bar on the last line of a terminal; where there is no terminal, plain lines: one per phase and one per tenth of it.
///
/// May be updated from any thread, as often as one likes: it draws at most ten times a second.
package final class ProgressBar: Sendable {
    private struct State {
        var line: ProgressLine?
        var meter = RateMeter()
        /// When the first bytes were seen.
        var moving: ContinuousClock.Instant?
        var drawn: ContinuousClock.Instant?
        var drawnPhase: String?
        var drawnTenth = 0
        var isOnScreen = false
    }

    private let sink: any TextSink
    private let isTerminal: Bool
    private let width: @Sendable () -> Int
    private let state = Locked(State())

    /// - Parameter width: asked at each drawing, since a window may be resized.
    package init(sink: any TextSink, isTerminal: Bool, width: @escaping @Sendable () -> Int = { Terminal.width() }) {
        self.sink = sink
        self.isTerminal = isTerminal
        self.width = width
    }

    /// A bar as the context wants it: on standard error.
    package convenience init(_ context: CommandContext) {
        self.init(sink: context.standardError, isTerminal: context.isTerminal && !context.json)
    }

    /// Shows how far things are. The rate and the time left are measured here unless `rate` is given.
    package func update(
        phase: String, completed: Int64, total: Int64? = nil, rate: Double? = nil,
        at time: ContinuousClock.Instant = .now
    ) {
        state.withLock { state in
            state.meter.record(completed, at: time)
            if state.moving == nil, completed > 0 { state.moving = time }
            let speed = rate ?? state.meter.rate
            let left = timeLeft(total.map { $0 - completed }, speed, since: state.moving, at: time)
            state.line = ProgressLine(
                phase: phase, completed: completed, total: total, rate: speed, timeLeft: left)
            draw(&state, at: time)
        }
    }

    /// nil when nothing is left, or while it is too early to tell: first rates are far off.
    private func timeLeft(
        _ remaining: Int64?, _ speed: Double?, since start: ContinuousClock.Instant?, at time: ContinuousClock.Instant
    ) -> Duration? {
        guard let remaining, remaining > 0, let speed, speed > 0, let start, start.duration(to: time) >= .seconds(1)
        else { return nil }
        let seconds = Double(remaining) / speed
        return seconds < 360_000 ? .seconds(seconds) : nil
    }

    private func draw(_ state: inout State, at time: ContinuousClock.Instant) {
        guard let line = state.line else { return }
        let isNewPhase = line.phase != state.drawnPhase
        if !isTerminal {
            let tenth = line.fraction.map { Int($0 * 10) } ?? 0
            if isNewPhase {
                sink.write(line.phase + "\n")
                state.drawnTenth = 0
            }
            if tenth > state.drawnTenth {
                sink.write(line.rendered(width: 70 + line.phase.count, withBar: false) + "\n")
                state.drawnTenth = tenth
            }
            state.drawnPhase = line.phase
            return
        }
        if !isNewPhase, let drawn = state.drawn, drawn.duration(to: time) < .milliseconds(100) { return }
        state.drawn = time
        state.drawnPhase = line.phase
        state.isOnScreen = true
        // Carriage return, the line, then erase to the end: no flicker from clearing first.
        sink.write("\r" + line.rendered(width: width()) + "\u{1B}[K")
    }

    /// Writes a line above the bar.
    package func note(_ text: String) {
        state.withLock { state in
            if state.isOnScreen { sink.write("\r\u{1B}[K") }
            sink.write(text + "\n")
            state.drawn = nil
            if isTerminal { draw(&state, at: .now) }
        }
    }

    /// Takes the bar off the screen. An update brings it back.
    package func clear() {
        state.withLock { state in
            if state.isOnScreen { sink.write("\r\u{1B}[K") }
            state.isOnScreen = false
            state.drawn = nil
        }
    }
}
