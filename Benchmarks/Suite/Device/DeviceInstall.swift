// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// Installing a tree over loopback https, beside `curl | bsdtar -x` of the same tree from the same server.
struct DeviceInstall: Benchmark {
    let name = "device-install"
    let summary = "device-install LARDERD TREE [CODEC] [ROUNDS]: install over https against curl | bsdtar -x"

    func run(_ arguments: [String], _ report: Report) async throws {
        guard arguments.count >= 2 else { throw BenchmarkError(summary) }
        guard let codec = Compression(rawValue: arguments.count > 2 ? arguments[2] : "lzfse") else {
            throw BenchmarkError("no codec \(arguments[2])")
        }
        let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 5 : 5
        let folder = try TemporaryDirectory(prefix: "larder-bench")
        let bench = try InstallBench(
            tree: FilePath(arguments[1]), larderd: FilePath(arguments[0]), folder: folder.path, compression: codec)
        defer { bench.stop() }
        var (ours, theirs): ([Double], [Double]) = ([], [])
        // The first round of each warms the caches and does not count.
        for round in 0...rounds {
            let mine = try await install(bench, folder.path.appending("home"))
            let other = folder.path.appending("tar")
            let reference = try Report.time { try bench.fetchTar(into: other) }
            try FileDescriptor.currentDirectory.removeTree(at: other)
            guard round > 0 else { continue }
            ours.append(mine)
            theirs.append(reference)
        }
        report.ratio(
            "install (\(codec.rawValue)) / curl | bsdtar -x (gzip)", zip(ours, theirs).map { $0 / $1 }, .atMost(1.3),
            detail: "\(Report.rounded(Report.median(ours))) s against \(Report.rounded(Report.median(theirs))) s for "
                + ByteCount.formatted(bench.installedSize))
    }

    private func install(_ bench: InstallBench, _ home: FilePath) async throws -> Double {
        let (launcher, service, app) = try await bench.device(home)
        let begin = ContinuousClock.now
        do {
            try await bench.install(app, launcher)
        } catch {
            _ = try? service.stop(grace: .seconds(5))
            throw error
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        try service.stop(grace: .seconds(5))
        try FileDescriptor.currentDirectory.removeTree(at: home)
        return seconds
    }
}
