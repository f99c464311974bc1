// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a progress bar shows at one moment, as text of a given width.
package struct ProgressLine: Hashable, Sendable {
    /// What is going on: `Downloading tutorial`.
    package var phase: String
    package var completed: Int64
    /// nil or 0 while it is not known.
    package var total: Int64?
    /// Bytes per second.
    package var rate: Double?
    package var timeLeft: Duration?

    package init(
        phase: String, completed: Int64, total: Int64? = nil, rate: Double? = nil, timeLeft: Duration? = nil
    ) {
        self.phase = phase
        self.completed = completed
        self.total = total
        self.rate = rate
        self.timeLeft = timeLeft
    }

    /// 0 ... 1
    package var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, max(0, Double(completed) / Double(total)))
    }

    /// `Downloading tutorial  [=====>    ]  46%  8.2 MB of 17.9 MB  3.1 MB/s  3 s left`, what is least needed dropped
    /// first when the width is small.
    package func rendered(width: Int, withBar: Bool = true) -> String {
        var tail: [String] = []
        if let fraction { tail.append(Self.pad(String(Int(fraction * 100)), 3) + "%") }
        if let total, total > 0 {
            tail.append("\(ByteCount.formatted(completed)) of \(ByteCount.formatted(total))")
        } else if completed > 0 {
            tail.append(ByteCount.formatted(completed))
        }
        if let rate, rate > 0 { tail.append(ByteCount.formatted(perSecond: rate)) }
        if let timeLeft { tail.append("\(timeLeft.formatted) left") }
        let limit = max(10, width - 1)
        while tail.count > 1, phase.count + 2 + tail.joined(separator: "  ").count > limit { tail.removeLast() }
        let text = tail.joined(separator: "  ")
        let room = limit - phase.count - text.count - 6
        var line = phase
        if withBar, let fraction, room >= 10 { line += "  " + Self.bar(fraction, min(room, 30)) }
        if !text.isEmpty { line += "  " + text }
        return String(line.prefix(limit))
    }

    private static func bar(_ fraction: Double, _ cells: Int) -> String {
        let done = Int(fraction * Double(cells))
        let head = done < cells && done > 0 ? ">" : ""
        let filled = String(repeating: "=", count: head.isEmpty ? done : done - 1) + head
        return "[" + filled + String(repeating: " ", count: cells - filled.count) + "]"
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
