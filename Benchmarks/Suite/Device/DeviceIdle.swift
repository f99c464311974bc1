// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// What a service that has nothing to do costs: its memory, and its system calls in ten seconds as `strace` counts them.
/// It is left alone for the settle time first: connections stay open for a second in case more is to be fetched.
struct DeviceIdle: Benchmark {
    let name = "device-idle"
    let summary = "device-idle PID [SECONDS]: memory of an idle larderd, and its system calls"

    private static let settleTime: Duration = .seconds(3)
    private static let mebibyte = 1024.0

    func run(_ arguments: [String], _ report: Report) async throws {
        guard let processID = arguments.first.flatMap({ Int32($0) }) else { throw BenchmarkError(summary) }
        let seconds = arguments.count > 1 ? arguments[1] : "10"
        try await Task.sleep(for: Self.settleTime)
        let memory = try Self.memory(of: processID)
        let traced = try ChildProcess.run(
            executable: "timeout", arguments: ["-s", "INT", seconds, "strace", "-f", "-p", "\(processID)"])
        // A call is shown with its result once it returns, whenever it began; what waits all the time has none.
        let calls = traced.errorText.split(separator: "\n").filter { $0.contains(" = ") && !$0.hasPrefix("strace:") }
        report.bound("anonymous memory, MiB", memory.anonymous / Self.mebibyte, .atMost(8))
        report.bound("resident memory, MiB", memory.resident / Self.mebibyte, .atMost(24))
        report.bound(
            "system calls in \(seconds) s", Double(calls.count), .atMost(0),
            detail: "after \(Self.settleTime.components.seconds) s to settle")
        for call in calls.prefix(10) { report.note("  \(call)") }
    }

    /// In KiB, summed over the process's mappings.
    private static func memory(of processID: Int32) throws -> (anonymous: Double, resident: Double) {
        let rollup = try FileDescriptor.open(FilePath("/proc/\(processID)/smaps_rollup"), .readOnly)
        let text = String(decoding: try rollup.closeAfter { try rollup.readAll(limit: 1 << 20) }, as: UTF8.self)
        func value(_ key: String) throws -> Double {
            for line in text.split(separator: "\n") where line.hasPrefix(key + ":") {
                if let number = line.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) { return number }
            }
            throw BenchmarkError("smaps_rollup has no \(key)")
        }
        return (try value("Anonymous"), try value("Rss"))
    }
}
