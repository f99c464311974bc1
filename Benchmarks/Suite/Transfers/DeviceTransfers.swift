// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import DeviceSupport
import Foundation
import FoundationNetworking
import Kit
import System
import TestSupport

/// Fetching files over loopback https with `larderd`, beside curl and aria2 from the same nginx: bytes a second, and processor time.
struct DeviceTransfers: Benchmark {
    let name = "device-transfers"
    let summary = "device-transfers LARDERD FOLDER disk|memory [ROUNDS]: 1, 4 and 32 files against curl and aria2"

    /// Bytes in all, however many files they are in.
    private static let total = 512 << 20

    func run(_ arguments: [String], _ report: Report) async throws {
        guard arguments.count >= 3 else { throw BenchmarkError(summary) }
        let folder = FilePath(arguments[1])
        // On a disk everyone's files are flushed: Larder's are when it says that they are there.
        let flushing = arguments[2] == "disk"
        let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 5 : 5
        let served = folder.appending("served")
        let counts = [1, 4, 32]
        for count in counts { try Self.write(count, in: served) }
        let server = try IndependentServer(serving: served)
        let device = try await AppDevice(
            larderd: FilePath(arguments[0]), home: folder.appending("home"), trusting: server.authorityFile)
        defer { device.stop() }
        device.listen()
        for count in counts {
            let urls = (0..<count).map { "\(server.url)/\(count)/file-\($0)" }
            try await offload {
                var costs = Costs()
                for round in 0...rounds {
                    let ours = try Self.fetch(urls, device, round: round)
                    var peers: [PeerProgram: FetchCost] = [:]
                    for peer in PeerProgram.allCases {
                        let place = folder.appending(peer.name)
                        try FileDescriptor.currentDirectory.makeDirectories(at: place)
                        peers[peer] = try peer.fetch(
                            urls, into: place, trusting: server.authorityFile, flushing: flushing)
                        try FileDescriptor.currentDirectory.removeTree(at: place)
                    }
                    if round > 0 { costs.add(ours, peers) }
                }
                costs.report("\(count) file\(count == 1 ? "" : "s"), \(arguments[2])", report, bytes: Self.total)
            }
        }
        try FileDescriptor.currentDirectory.removeTree(at: served)
    }

    /// Foreground downloads of an app; the clock runs until the app has heard that the last file is there.
    private static func fetch(_ urls: [String], _ device: AppDevice, round: Int) throws -> FetchCost {
        let downloads = try urls.enumerated().map { index, text in
            guard let url = URL(string: text) else { throw BenchmarkError("no URL: \(text)") }
            return BAURLDownload(
                identifier: "\(urls.count)-\(round)-\(index)", request: URLRequest(url: url), essential: false,
                fileSize: total / urls.count, applicationGroupIdentifier: AppDevice.group, priority: .default)
        }
        let processorStart = try ProcessUsage.processorSeconds(of: device.service.processID)
        let seconds = try Report.time {
            for download in downloads { try BADownloadManager.shared.startForegroundDownload(download) }
            try device.waitForFiles(downloads.count)
        }
        let processorEnd = try ProcessUsage.processorSeconds(of: device.service.processID)
        try device.removeFiles()
        return FetchCost(seconds: seconds, processorSeconds: processorEnd - processorStart)
    }

    private static func write(_ count: Int, in folder: FilePath) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let place = folder.appending("\(count)")
        try FileDescriptor.currentDirectory.makeDirectories(at: place)
        for index in 0..<count {
            let file = try OwnedDescriptor(
                place.appending("file-\(index)"), .writeOnly, options: [.create], permissions: .fileDefault)
            for _ in 0..<((total / count) >> 20) { try file.borrowed.writeAll(generator.bytes(1 << 20)) }
        }
    }
}

/// What each round took of whom.
private struct Costs {
    private var ours: [FetchCost] = []
    private var peers: [PeerProgram: [FetchCost]] = [:]

    mutating func add(_ own: FetchCost, _ others: [PeerProgram: FetchCost]) {
        ours.append(own)
        for (peer, cost) in others { peers[peer, default: []].append(cost) }
    }

    /// Judged against the peer that is faster, by its median.
    func report(_ what: String, _ report: Report, bytes: Int) {
        func median(_ costs: [FetchCost], _ value: (FetchCost) -> Double) -> Double { Report.median(costs.map(value)) }
        let ranked = peers.sorted { median($0.value, \.seconds) < median($1.value, \.seconds) }
        guard let (best, costs) = ranked.first else { return }
        report.ratio(
            "fetching \(what) / \(best.name)", zip(ours, costs).map { $1.seconds / $0.seconds }, .atLeast(1),
            detail: ([("larderd", ours)] + ranked.map { ($0.key.name, $0.value) }).map { name, costs in
                "\(name) \(Int(Double(bytes) / median(costs, \.seconds) / 1e6)) MB/s"
            }.joined(separator: ", "))
        report.ratio(
            "fetching \(what), processor time / \(best.name)",
            zip(ours, costs).map { $0.processorSeconds / $1.processorSeconds }, .atMost(1),
            detail: ([("larderd", ours)] + ranked.map { ($0.key.name, $0.value) }).map { name, costs in
                "\(name) \(Report.rounded(median(costs, \.processorSeconds))) s"
            }.joined(separator: ", "))
    }
}
