// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport

/// What it costs to schedule an unmanaged download, from the call over the socket to its answer, against one durable insert into
/// SQLite on the same file system; and what 10,000 scheduled ones take of memory. The downloads wait, for low-power mode is on.
struct DeviceSchedule: Benchmark {
    let name = "device-schedule"
    let summary = "device-schedule LARDERD FOLDER: scheduling downloads against durable inserts"

    private static let rounds = 5
    private static let callsPerRound = 200
    private static let count = 10_000
    private static let app = "org.example.Scheduler"

    func run(_ arguments: [String], _ report: Report) async throws {
        guard arguments.count == 2 else { throw BenchmarkError(summary) }
        let folder = FilePath(arguments[1]).appending("schedule")
        try FileDescriptor.currentDirectory.makeDirectories(at: folder)
        let launcher = try ServiceLauncher(larderd: FilePath(arguments[0]), home: folder.appending("home"))
        let service = try launcher.start()
        defer { _ = try? service.stop(grace: .seconds(10)) }
        try launcher.waitForAnswer(of: service)
        let connection = try await DeviceConnection.connect(
            paths: launcher.paths, client: "bench", startIfNeeded: false)
        _ = try await connection.send(SettingsSetRequest(name: "lowPowerMode", app: nil, value: "on"))
        try await install(folder, connection)
        let before = try Self.residentBytes(of: service.processID)
        let (durable, loose) = (
            try InsertReference(folder.appending("durable.sqlite"), synchronous: "FULL"),
            try InsertReference(folder.appending("loose.sqlite"), synchronous: "NORMAL")
        )
        var number = 0
        func schedule() async throws -> Double {
            let download = DownloadDescription(
                identifier: "film-\(number)", uniqueIdentifier: "unique-\(number)",
                url: "https://films.example.org/film-\(number).film", priority: 0, isEssential: false,
                fileSize: 1 << 30, appGroup: "group.org.example.Scheduler")
            number += 1
            let start = ContinuousClock.now
            _ = try await connection.send(ScheduleDownloadRequest(app: Self.app, download: download))
            return (ContinuousClock.now - start) / .seconds(1)
        }
        var ratios: [Double] = []
        var looseRatios: [Double] = []
        var medians: [Double] = []
        for round in 0...Self.rounds {
            var (calls, inserts, looseInserts): ([Double], [Double], [Double]) = ([], [], [])
            for _ in 0..<Self.callsPerRound {
                calls.append(try await schedule())
                inserts.append(try durable.insert())
                looseInserts.append(try loose.insert())
            }
            guard round > 0 else { continue }
            medians.append(Report.median(calls))
            ratios.append(Report.median(calls) / Report.median(inserts))
            looseRatios.append(Report.median(calls) / Report.median(looseInserts))
        }
        while number < Self.count { _ = try await schedule() }
        let last = try await (0..<Self.callsPerRound).asyncMap { _ in try await schedule() }
        report.ratio(
            "schedule call against a durable insert", ratios, .atMost(2),
            detail: "\(Report.rounded(Report.median(medians) * 1e6)) µs a call")
        report.ratio("schedule call against an insert that the service's own setting flushes later", looseRatios, .none)
        report.ratio(
            "schedule call with \(Self.count) scheduled against one with few",
            [Report.median(last) / Report.median(medians)], .none)
        let mebibytes = Double(try Self.residentBytes(of: service.processID)) / Double(1 << 20)
        report.bound(
            "resident memory with \(Self.count) scheduled downloads, MiB", mebibytes, .atMost(64),
            detail: "\(before >> 20) MiB before")
    }

    private func install(_ folder: FilePath, _ connection: DeviceConnection) async throws {
        var app = AppFixture()
        app.identifier = Self.app
        app.keys = ["BAAppGroupID": "<string>group.org.example.Scheduler</string>"]
        app.hasExtension = false
        let place = folder.appending("app")
        try FileDescriptor.currentDirectory.makeDirectories(at: place)
        for try await event in connection.stream(InstallRequest(path: try app.write(in: place).string)) {
            if let error = event.error { throw error }
        }
        _ = try await connection.send(LaunchRequest(app: Self.app))
    }

    private static func residentBytes(of processID: Int32) throws -> Int {
        let text = String(decoding: try File.read(FilePath("/proc/\(processID)/statm"), limit: 4096), as: UTF8.self)
        guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw BenchmarkError("statm cannot be read")
        }
        return pages * 4096
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
