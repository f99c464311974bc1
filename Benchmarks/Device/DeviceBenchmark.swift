// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// What `scripts/bench` cannot measure from a shell:
///
///     bench-device start LARDERD OPENER HOME RUNS    start to first answer, against OPENER on the same database
///     bench-device peak FOLDER COMMAND ...           the most that COMMAND takes of FOLDER's file system
@main
enum DeviceBenchmark {
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            switch arguments.first {
            case "start" where arguments.count == 5:
                try StartBenchmark(
                    service: FilePath(arguments[1]), opener: FilePath(arguments[2]), home: FilePath(arguments[3]),
                    runs: Int(arguments[4]) ?? 15
                ).run()
            case "peak" where arguments.count > 2:
                exit(try PeakDisk.measure(FilePath(arguments[1]), command: Array(arguments[2...])))
            default:
                try FileDescriptor.standardError.writeAll("usage: bench-device start|peak ...\n".utf8)
                exit(2)
            }
        } catch {
            _ = try? FileDescriptor.standardError.writeAll("bench-device: \(error)\n".utf8)
            exit(1)
        }
    }
}
