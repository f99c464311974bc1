// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Collects what benchmarks measure, prints it, and knows whether every bound was kept.
final class Report: Sendable {
    /// The bound a ratio must keep.
    enum Bound: Sendable {
        case atLeast(Double)
        case atMost(Double)
        /// Told, not judged.
        case none

        func holds(_ ratio: Double) -> Bool {
            switch self {
            case .atLeast(let limit): ratio >= limit
            case .atMost(let limit): ratio <= limit
            case .none: true
            }
        }

        var text: String {
            switch self {
            case .atLeast(let limit): "at least \(Report.rounded(limit))"
            case .atMost(let limit): "at most \(Report.rounded(limit))"
            case .none: "no bound"
            }
        }
    }

    private let failures = Locked<[String]>([])

    /// The names of the ratios that broke their bound.
    var failed: [String] { failures.withLock { $0 } }

    /// Prints one ratio for each round as median and spread, beside its bound.
    func ratio(_ name: String, _ values: [Double], _ bound: Bound, detail: String = "") {
        let sorted = values.sorted()
        guard let low = sorted.first, let high = sorted.last else { return }
        let median = Self.median(values)
        let verdict =
            switch bound {
            case .none: ""
            default: bound.holds(median) ? ": holds" : ": BROKEN"
            }
        if !bound.holds(median) { failures.withLock { $0.append(name) } }
        let spread = values.count > 1 ? " (\(Self.rounded(low))-\(Self.rounded(high)), \(values.count) rounds)" : ""
        let figures = "\(Self.rounded(median))\(spread)"
        note("\(name): \(figures), \(bound.text)\(verdict)\(detail.isEmpty ? "" : "; \(detail)")")
    }

    /// Prints one figure beside its bound.
    func bound(_ name: String, _ value: Double, _ bound: Bound, detail: String = "") {
        ratio(name, [value], bound, detail: detail)
    }

    /// Prints a line.
    func note(_ text: String) {
        _ = try? FileDescriptor.standardOutput.writeAll((text + "\n").utf8)
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Three decimals, or as many digits as a small number needs.
    static func rounded(_ value: Double) -> String {
        let scaled = (value * 1000).rounded() / 1000
        return "\(scaled)"
    }

    /// Seconds that `body` takes.
    static func time(_ body: () throws -> Void) rethrows -> Double { median(try Timing.measure(body).seconds) }

    /// Times two ways of doing one thing in turns, by the clock, after one round of each that does not count.
    static func compare(
        rounds: Int, _ ours: () throws -> Void, _ reference: () throws -> Void
    ) throws -> (ours: [Double], reference: [Double]) {
        let times = try Timing.compare(rounds: rounds, ours, reference)
        return (times.ours.seconds, times.reference.seconds)
    }
}
