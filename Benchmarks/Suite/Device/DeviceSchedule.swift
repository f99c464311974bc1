// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import Foundation
import FoundationNetworking
import Kit
import System

/// What `BADownloadManager.scheduleDownload` costs, from the call in the app to its return, against one durable insert of the same row
/// into SQLite on the same file system; and what 10,000 scheduled ones take of memory. The downloads wait, for low-power mode is on.
struct DeviceSchedule: Benchmark {
    let name = "device-schedule"
    let summary = "device-schedule LARDERD FOLDER: scheduling downloads against durable inserts"

    private static let rounds = 9
    private static let callsPerRound = 200
    private static let count = 10_000

    func run(_ arguments: [String], _ report: Report) async throws {
        guard arguments.count == 2 else { throw BenchmarkError(summary) }
        let folder = FilePath(arguments[1]).appending("schedule")
        try FileDescriptor.currentDirectory.makeDirectories(at: folder)
        let device = try await AppDevice(
            larderd: FilePath(arguments[0]), home: folder.appending("home"), settings: ["lowPowerMode": "on"])
        defer { device.stop() }
        try await offload { try Self.measure(folder, device.service, report) }
    }

    /// Blocks, as an app's calls do.
    private static func measure(_ folder: FilePath, _ service: ChildProcess, _ report: Report) throws {
        let before = try ProcessUsage.residentBytes(of: service.processID)
        let durable = try InsertReference(folder.appending("durable.sqlite"), synchronous: "FULL")
        let loose = try InsertReference(folder.appending("loose.sqlite"), synchronous: "NORMAL")
        var number = 0
        func next() throws -> BAURLDownload {
            defer { number += 1 }
            guard let url = URL(string: "https://films.example.org/film-\(number).film") else {
                throw BenchmarkError("no URL")
            }
            return BAURLDownload(
                identifier: "film-\(number)", request: URLRequest(url: url), essential: false, fileSize: 1 << 30,
                applicationGroupIdentifier: AppDevice.group, priority: .default)
        }
        func schedule() throws -> Double {
            let download = try next()
            return try timed { try BADownloadManager.shared.scheduleDownload(download) }
        }
        var (ratios, looseRatios, medians): ([Double], [Double], [Double]) = ([], [], [])
        for round in 0...rounds {
            var (calls, inserts, looseInserts): ([Double], [Double], [Double]) = ([], [], [])
            for _ in 0..<callsPerRound {
                let row = try JSONCoder.encode(try next().content)
                calls.append(try schedule())
                inserts.append(try timed { try durable.insert(app: AppDevice.app, identifier: "film-\(number)", row) })
                looseInserts.append(
                    try timed { try loose.insert(app: AppDevice.app, identifier: "film-\(number)", row) })
            }
            guard round > 0 else { continue }
            medians.append(Report.median(calls))
            ratios.append(Report.median(calls) / Report.median(inserts))
            looseRatios.append(Report.median(calls) / Report.median(looseInserts))
        }
        let scheduled = number / 2
        let processorStart = try ProcessUsage.processorSeconds(of: service.processID)
        for _ in scheduled..<count { _ = try schedule() }
        let processor = try ProcessUsage.processorSeconds(of: service.processID) - processorStart
        let last = try (0..<callsPerRound).map { _ in try schedule() }
        report.ratio(
            "schedule call against a durable insert", ratios, .atMost(2),
            detail: "\(Report.rounded(Report.median(medians) * 1e6)) µs a call, "
                + "\(Report.rounded(processor / Double(count - scheduled) * 1e6)) µs of the service's processor time")
        report.ratio("schedule call against an insert that is flushed later", looseRatios, .none)
        report.ratio(
            "schedule call with \(count) scheduled against one with few",
            [Report.median(last) / Report.median(medians)], .none)
        let mebibytes = Double(try ProcessUsage.residentBytes(of: service.processID)) / Double(1 << 20)
        report.bound(
            "resident memory with \(count) scheduled downloads, MiB", mebibytes, .atMost(64),
            detail: "\(before >> 20) MiB before")
    }

    /// Seconds, taken with nothing but the clock.
    private static func timed(_ body: () throws -> Void) rethrows -> Double {
        let begin = ContinuousClock.now
        try body()
        return (ContinuousClock.now - begin) / .seconds(1)
    }
}
