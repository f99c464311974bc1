// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How the sending of a body goes wrong on purpose. Offsets count the body's bytes, from 0.
package struct BodyBehaviour: Sendable, Hashable {
    package enum Break: Sendable, Hashable {
        /// Nothing more is sent, and the connection stays open.
        case stall
        /// The connection is closed in good order, too early.
        case cut
        /// The connection is broken with a TCP reset.
        case reset
    }

    /// The most bytes that are sent in a second.
    package var bytesPerSecond: Int64?
    package var breaks: Break?
    /// How many bytes are sent before the break.
    package var breakOffset: Int64 = 0
    /// The byte whose bits are turned over.
    package var wrongByte: Int64?
    /// Zeroes follow the body without end, and no length is told.
    package var isEndless = false

    package init() {}

    static let usual = BodyBehaviour()

    /// How many bytes may be sent by now: an eighth of a second's worth at once, then the rate.
    func allowance(elapsed: Duration) -> Int64 {
        // Faster than anything here can send: no limit, and no number below can overflow.
        guard let rate = bytesPerSecond, rate < 1 << 31 else { return .max }
        let (seconds, attoseconds) = elapsed.components
        let whole = min(seconds, 1 << 30) * rate
        let micros = attoseconds / 1_000_000_000_000
        return burst + whole + Int64(Double(rate) * Double(micros) / 1_000_000)
    }

    /// The smallest piece worth waking up for.
    var burst: Int64 { max(1, (bytesPerSecond ?? 0) / 8) }

    /// How long after the start `count` bytes may have been sent.
    func elapsed(for count: Int64) -> Duration {
        guard let rate = bytesPerSecond else { return .zero }
        return .seconds(Double(max(0, count - burst)) / Double(max(1, rate)))
    }
}
