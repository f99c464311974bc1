// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// From starting `larderd` to its first answer, beside a program that only opens the same database. The two take turns.
struct DeviceStart: Benchmark {
    let name = "device-start"
    let summary = "device-start LARDERD OPENER [ROUNDS]: start to first answer, against only opening the database"

    func run(_ arguments: [String], _ report: Report) async throws {
        guard arguments.count >= 2 else { throw BenchmarkError(summary) }
        let rounds = arguments.count > 2 ? Int(arguments[2]) ?? 21 : 21
        let opener = FilePath(arguments[1])
        let home = try TemporaryDirectory(prefix: "larder-bench")
        let service = try ServiceLauncher(larderd: FilePath(arguments[0]), home: home.path)
        // The first start makes the database.
        _ = try service.timeToAnswer()
        var (ours, bare): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            ours.append(try service.timeToAnswer())
            bare.append(
                try Report.time {
                    let child = try ChildProcess.spawn(executable: opener, arguments: [service.paths.database.string])
                    guard try child.wait() == 0 else { throw BenchmarkError("\(opener) failed") }
                })
        }
        let (answer, open) = (Report.median(ours) * 1000, Report.median(bare) * 1000)
        report.ratio(
            "start to answer / opening the database", zip(ours, bare).map { $0 / $1 }, .atMost(3),
            detail: "\(Report.rounded(answer)) ms against \(Report.rounded(open)) ms")
    }
}
