// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import HostingModel
import Kit
import System

/// Uploading a large pack over loopback, beside copying the file and taking its digest; and what memory that takes the host.
struct HostUpload: Benchmark {
    let name = "host-upload"
    let summary = "LARDER LARDER-HOST FOLDER [ROUNDS]: a 2 GB pack against cp and sha256sum; the host's memory"

    private static let large = 2_000_000_000
    /// As many parts as are on their way at once, and some more.
    private static let small = 64 << 20

    func run(_ arguments: [String], _ report: Report) async throws {
        guard arguments.count >= 3 else { throw BenchmarkError(summary) }
        let (tool, program, folder) = (FilePath(arguments[0]), FilePath(arguments[1]), FilePath(arguments[2]))
        let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 3 : 3
        let here = FileDescriptor.currentDirectory
        try here.makeDirectories(at: folder)
        let identity = try await BenchHost.Identity(folder: folder)
        let small = try await offload { try BenchPack.make("Small", size: Self.small, in: folder) }
        let large = try await offload { try BenchPack.make("Large", size: Self.large, in: folder) }
        let size = Double(try here.status(at: large).size)

        let first = try BenchHost(program, identity)
        try await first.publish(small)
        let smallPeak = try first.peakResidentBytes()
        first.stop()

        let host = try BenchHost(program, identity)
        defer { host.stop() }
        let publisher = Publisher(tool: tool, identity: identity, url: host.url, archive: large)
        var (uploads, copies, checks): ([Double], [Double], [Double]) = ([], [], [])
        for round in 0...rounds {
            let (upload, version) = try await offload { try publisher.upload() }
            let start = ContinuousClock.now
            try await host.waitUntilChecked(version)
            let check = (ContinuousClock.now - start) / .seconds(1)
            let copy = try await offload { try Self.copy(large, to: folder.appending("copy")) }
            guard round > 0 else { continue }
            uploads.append(upload)
            copies.append(copy)
            checks.append(check)
        }
        func rate(_ seconds: [Double]) -> String { "\(Int(size / Report.median(seconds) / 1e6)) MB/s" }
        report.ratio(
            "upload of 2 GB / cp and sha256sum", zip(copies, uploads).map { $0 / $1 }, .atLeast(0.7),
            detail: "\(rate(uploads)) against \(rate(copies))")
        report.ratio(
            "checking 2 GB after the upload, seconds", checks, .none)
        let peak = try host.peakResidentBytes()
        report.bound(
            "memory of the host for 2 GB over that for 64 MB, MiB", Double(peak - smallPeak) / 1_048_576, .atMost(8),
            detail: "\(peak >> 20) MiB against \(smallPeak >> 20) MiB at the peak")
    }

    /// Seconds.
    private static func copy(_ file: FilePath, to target: FilePath) throws -> Double {
        try Report.time {
            for (program, arguments) in [("cp", [file.string, target.string]), ("sha256sum", [target.string])] {
                let result = try ChildProcess.run(
                    executable: FilePath(program), arguments: arguments, atMost: .seconds(120))
                guard result.exitCode == 0 else { throw BenchmarkError("\(program): \(result.errorText)") }
            }
        }
    }
}

/// Runs `larder upload`.
private struct Publisher: Sendable {
    let tool: FilePath
    let identity: BenchHost.Identity
    let url: String
    let archive: FilePath

    /// How many seconds until the host has every part and was told so, and the version.
    func upload() throws -> (seconds: Double, version: String) {
        var version: String?
        let seconds = try Report.time {
            let result = try ChildProcess.run(
                executable: tool,
                arguments: [
                    "upload", archive.string, "--app", BenchHost.bundleID, "--host", url, "--json",
                    "--key", identity.keyFile.string, "--key-id", identity.keyID, "--issuer", identity.issuer,
                ], atMost: .seconds(120))
            guard result.exitCode == 0 else { throw BenchmarkError("larder upload: \(result.errorText)") }
            for line in result.outputText.split(separator: "\n") {
                let event = try JSONParser.parse(String(line)).value
                if event["event"] == "uploaded" { version = event["versionID"]?.stringValue }
            }
        }
        guard let version else { throw BenchmarkError("larder upload names no version") }
        return (seconds, version)
    }
}
