// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// What running a program, or one after the other, took.
struct RunCost {
    var seconds = 0.0
    /// Of all processes that it started, in their own code and in the kernel.
    var processorSeconds = 0.0
    /// The most memory that one process had in use.
    var peakBytes: Int64 = 0

    static func + (first: RunCost, second: RunCost) -> RunCost {
        RunCost(
            seconds: first.seconds + second.seconds,
            processorSeconds: first.processorSeconds + second.processorSeconds,
            peakBytes: max(first.peakBytes, second.peakBytes))
    }

    /// Each figure's median over the rounds.
    static func median(_ rounds: [RunCost]) -> RunCost {
        RunCost(
            seconds: Report.median(rounds.map(\.seconds)),
            processorSeconds: Report.median(rounds.map(\.processorSeconds)),
            peakBytes: Int64(Report.median(rounds.map { Double($0.peakBytes) })))
    }

    /// Once; and twice more when it was short.
    static func rounds(_ body: () throws -> RunCost) rethrows -> [RunCost] {
        var rounds = [try body()]
        while rounds[0].seconds < 5, rounds.count < 3 { rounds.append(try body()) }
        return rounds
    }

    /// Runs a program to its end.
    ///
    /// Its memory is counted by `time`: what this process has in use itself would be the least that the kernel tells of a
    /// child that it starts.
    /// - Throws: `BenchmarkError` with what the program said, when it fails.
    static func of(_ words: [String], in folder: FilePath) throws -> (cost: RunCost, output: String) {
        let scratch = try TemporaryDirectory(prefix: "larder-bench")
        let figures = scratch.path.appending("time")
        var environment = Environment.current
        environment["LC_ALL"] = "C"
        let begin = ContinuousClock.now
        let result = try ChildProcess.run(
            executable: "/usr/bin/time", arguments: ["-o", figures.string, "-f", "%U %S %M"] + words,
            environment: environment, workingDirectory: folder)
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        guard result.exitCode == 0 else {
            throw BenchmarkError("\(words[0]) ended with \(result.exitCode): \(result.errorText.suffix(300))")
        }
        let text = String(decoding: try File.read(figures, limit: 4096), as: UTF8.self)
        let numbers = text.split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
        guard numbers.count == 3 else { throw BenchmarkError("time says: \(text)") }
        return (
            RunCost(
                seconds: seconds, processorSeconds: numbers[0] + numbers[1], peakBytes: Int64(numbers[2]) * 1024),
            result.outputText
        )
    }
}
