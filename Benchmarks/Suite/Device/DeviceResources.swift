// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import OnDemandResources
import System
import TestSupport

/// What `conditionallyBeginAccessingResources` costs for tags that are local, against one exchange on the service's socket.
struct DeviceResources: Benchmark {
    let name = "device-resources"
    let summary = "device-resources LARDERD FOLDER: access to local tags against a round trip to the service"

    private static let rounds = 9
    private static let callsPerRound = 300
    private static let tags = (0..<24).map { "tag-\($0)" }

    func run(_ arguments: [String], _ report: Report) async throws {
        guard arguments.count == 2 else { throw BenchmarkError(summary) }
        let (larderd, folder) = (FilePath(arguments[0]), FilePath(arguments[1]).appending("resources"))
        try FileDescriptor.currentDirectory.makeDirectories(at: folder)
        try await Scratch.with { scratch in
            let app = TaggedApp(
                Self.tags.map { TaggedApp.Part([$0], ["\($0)/file": Array(repeating: 7, count: 20_000)]) })
            let server = try AssetServer(scratch)
            server.publish(try app.packs(in: scratch))
            let launcher = try ServiceLauncher(larderd: larderd, home: folder.appending("home"))
            let service = try launcher.start()
            defer { _ = try? service.stop(grace: .seconds(10)) }
            try launcher.waitForAnswer(of: service)
            let connection = try await DeviceConnection.connect(
                paths: launcher.paths, client: "bench", startIfNeeded: false)
            let pem = String(decoding: try File.read(server.authority, limit: 1 << 20), as: UTF8.self)
            _ = try await connection.send(TrustAddRequest(name: "bench", pem: pem))
            let bundle = try app.write(into: scratch, manifestURL: server.manifestURL) {
                ($0.program, $0.extensionProgram) = (nil, nil)
            }
            for try await event in connection.stream(InstallRequest(path: bundle.string)) {
                if let error = event.error { throw error }
            }
            _ = try await connection.send(LaunchRequest(app: SampleApp.bundleID))
            launcher.becomeApp(SampleApp.bundleID)
            try await NSBundleResourceRequest(tags: Set(Self.tags)).beginAccessingResources()
            try await measure(connection, report)
        }
    }

    private func measure(_ connection: DeviceConnection, _ report: Report) async throws {
        var (ratios, medians): ([Double], [Double]) = ([], [])
        for round in 0...Self.rounds {
            var (calls, trips): ([Double], [Double]) = ([], [])
            for number in 0..<Self.callsPerRound {
                let request = NSBundleResourceRequest(tags: [Self.tags[number % Self.tags.count]])
                let begin = ContinuousClock.now
                let isThere = await request.conditionallyBeginAccessingResources()
                calls.append((ContinuousClock.now - begin) / .seconds(1))
                guard isThere else { throw BenchmarkError("a local tag is not there") }
                request.endAccessingResources()
                let start = ContinuousClock.now
                // The least there is to answer: a request that is over.
                _ = try await connection.send(
                    SteerResourcesRequest(app: SampleApp.bundleID, request: "none", steering: ResourcesSteering()))
                trips.append((ContinuousClock.now - start) / .seconds(1))
            }
            guard round > 0 else { continue }
            ratios.append(Report.median(calls) / Report.median(trips))
            medians.append(Report.median(calls))
        }
        report.ratio(
            "conditional access to a local tag against a round trip", ratios, .atMost(2),
            detail: "\(Report.rounded(Report.median(medians) * 1e6)) µs a call")
    }
}
