// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc

/// Runs benchmarks by name: `larder-bench archive-pack DIR`. Exits with 1 when a bound is broken.
@main
enum LarderBench {
    static let benchmarks: [any Benchmark] = [
        ArchivePack(), ArchiveExtract(), ResourceBuild(), DeviceStart(), DeviceIdle(), DeviceInstall(), DevicePeak(),
        DeviceSchedule(), DeviceResources(), DeviceTransfers(), DeviceWake(), ContentsAt(), HostDownloads(),
        HostReads(),
        HostUpload(), Updates(),
    ]

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        let report = Report()
        guard let name = words.first, let benchmark = benchmarks.first(where: { $0.name == name }) else {
            report.note("usage: larder-bench NAME [ARGUMENT ...]")
            for benchmark in benchmarks { report.note("  \(benchmark.name): \(benchmark.summary)") }
            exit(words.first == "list" ? 0 : 2)
        }
        do {
            try await benchmark.run(Array(words.dropFirst()), report)
        } catch {
            report.note("\(name): \(error)")
            exit(1)
        }
        exit(report.failed.isEmpty ? 0 : 1)
    }
}
