// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// What a service that has nothing to do costs: its memory, and its system calls in ten seconds as `strace` counts them.
struct DeviceIdle: Benchmark {
    let name = "device-idle"
    let summary = "device-idle PID [SECONDS]: memory of an idle larderd, and its system calls"

    private static let mebibyte = 1024.0

    func run(_ arguments: [String], _ report: Report) async throws {
        guard let processID = arguments.first.flatMap({ Int32($0) }) else { throw BenchmarkError(summary) }
        let seconds = arguments.count > 1 ? arguments[1] : "10"
        let memory = try Self.memory(of: processID)
        let traced = try ChildProcess.run(
            executable: "timeout", arguments: ["-s", "INT", seconds, "strace", "-f", "-p", "\(processID)"])
        // What was going on when strace attached shows as unfinished or restarted; it is no call of these ten seconds.
        let calls = traced.errorText.split(separator: "\n").filter { line in
            line.contains("(") && !line.hasPrefix("strace:") && !line.contains("<unfinished")
                && !line.contains("restart_syscall") && !line.contains("resumed>") && !line.hasSuffix("<detached ...>")
        }
        report.bound("anonymous memory, MiB", memory.anonymous / Self.mebibyte, .atMost(8))
        report.bound("resident memory, MiB", memory.resident / Self.mebibyte, .atMost(24))
        report.bound("system calls in \(seconds) s", Double(calls.count), .atMost(0))
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
