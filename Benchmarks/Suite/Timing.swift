// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc

/// How long something took, round by round: by the clock, and in processor time of all threads and ended children. On a
/// machine that others use too, the second says what the first cannot.
struct Timing {
    private(set) var seconds: [Double] = []
    private(set) var processorSeconds: [Double] = []

    mutating func add(_ other: Timing) {
        seconds += other.seconds
        processorSeconds += other.processorSeconds
    }

    /// One round of `body`.
    static func measure(_ body: () throws -> Void) rethrows -> Timing {
        let start = ContinuousClock.now
        let processorStart = processorTime
        try body()
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        var result = Timing()
        result.seconds = [Double(seconds) + Double(attoseconds) / 1e18]
        result.processorSeconds = [processorTime - processorStart]
        return result
    }

    /// Times two ways of doing one thing in turns, after one round of each that does not count.
    /// - Parameter preparing: called before each, outside the measured time.
    static func compare(
        rounds: Int, preparing: () throws -> Void = {}, _ ours: () throws -> Void, _ reference: () throws -> Void
    ) throws -> (ours: Timing, reference: Timing) {
        var result = (ours: Timing(), reference: Timing())
        for round in 0...rounds {
            try preparing()
            let first = try measure(ours)
            try preparing()
            let second = try measure(reference)
            guard round > 0 else { continue }
            result.ours.add(first)
            result.reference.add(second)
        }
        return result
    }

    /// This timing over another, round by round.
    func ratios(to other: Timing) -> [Double] { zip(seconds, other.seconds).map { $0 / $1 } }

    /// The medians beside another's, for the end of a line.
    func text(beside other: Timing) -> String {
        func pair(_ first: [Double], _ second: [Double]) -> String {
            "\(Report.rounded(Report.median(first))) s against \(Report.rounded(Report.median(second))) s"
        }
        return "\(pair(seconds, other.seconds)); processor \(pair(processorSeconds, other.processorSeconds))"
    }

    private static var processorTime: Double {
        [RUSAGE_SELF.rawValue, RUSAGE_CHILDREN.rawValue].reduce(0) { sum, who in
            var usage = rusage()
            getrusage(CInt(who), &usage)
            return [usage.ru_utime, usage.ru_stime].reduce(sum) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        }
    }
}
