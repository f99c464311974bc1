// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// The most disk that an install takes, beyond what it leaves installed; and the idle service afterwards.
struct DevicePeak: Benchmark {
    let name = "device-peak"
    let summary =
        "device-peak LARDERD TREE HOME: peak of disk over the installed size; HOME on a file system of its own"

    private static let mebibyte = 1_048_576.0

    func run(_ arguments: [String], _ report: Report) async throws {
        guard arguments.count >= 3 else { throw BenchmarkError(summary) }
        let folder = try TemporaryDirectory(prefix: "larder-bench")
        let bench = try InstallBench(
            tree: FilePath(arguments[1]), larderd: FilePath(arguments[0]), folder: folder.path, compression: .lzfse)
        defer { bench.stop() }
        let home = FilePath(arguments[2])
        let before = try FileSystemSpace(at: home).available
        let (launcher, service, app) = try await bench.device(home.appending("home"))
        defer { _ = try? service.stop(grace: .seconds(5)) }
        let sampler = try DiskSampler(home)
        do {
            try await bench.install(app, launcher)
        } catch {
            _ = sampler.stop()
            throw error
        }
        let lowest = sampler.stop()
        let after = try FileSystemSpace(at: home).available
        let (peak, left) = (Double(before - lowest), Double(before - after))
        report.bound(
            "peak disk over installed size, MiB", (peak - Double(bench.installedSize)) / Self.mebibyte, .atMost(64),
            detail: "peak \(ByteCount.formatted(before - lowest)), left \(ByteCount.formatted(Int64(left))), "
                + "files \(ByteCount.formatted(bench.installedSize))")
        // The same service, now with nothing to do.
        try await DeviceIdle().run(["\(service.processID)"], report)
    }
}
