// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import HostingModel
import Kit
import System

/// How even the answers to publishers are when the database is large and many ask at once.
struct HostReads: Benchmark {
    let name = "host-reads"
    let summary = "LARDER-HOST FOLDER [ROUNDS]: latencies of API reads among 10,000 versions, 64 connections"

    private static let versions = 10_000
    private static let packs = 50

    func run(_ arguments: [String], _ report: Report) async throws {
        guard arguments.count >= 2 else { throw BenchmarkError(summary) }
        let (program, folder) = (FilePath(arguments[0]), FilePath(arguments[1]))
        let rounds = arguments.count > 2 ? Int(arguments[2]) ?? 5 : 5
        try FileDescriptor.currentDirectory.makeDirectories(at: folder)
        let identity = try await BenchHost.Identity(folder: folder)
        let (app, packs) = try await fill(program, identity, folder)
        let host = try BenchHost(program, identity)
        defer { host.stop() }
        let headers = ["Authorization": "Bearer \(try host.credentials.token())"]
        let generator = try LoadGenerator(folder: folder.appending("load"), threads: 1)
        let kinds: [(String, [String])] = [
            ("one version", try await versions(of: packs, host).map { "/v1/backgroundAssetVersions/\($0)" }),
            ("the packs of an app", ["/v1/apps/\(app)/backgroundAssets?limit=50"]),
            (
                "50 versions of a pack",
                packs.map { "/v1/backgroundAssets/\($0)/versions?limit=50&sort=-version&include=internalBetaRelease" }
            ),
        ]
        for (kind, paths) in kinds {
            let load = Load(paths: paths, headers: headers)
            let results = try await offload {
                try (0...rounds).map { _ in try generator.run(load, at: host.url, seconds: 3) }.dropFirst()
            }
            report.ratio(
                "reading \(kind) among \(Self.versions), 99th percentile / median",
                results.map { $0.percentile99 / $0.median }, .atMost(3),
                detail: "\(Report.rounded(Report.median(results.map(\.percentile99)))) ms against "
                    + "\(Report.rounded(Report.median(results.map(\.median)))) ms, "
                    + "\(Int(Report.median(results.map(\.requestsPerSecond)))) requests/s")
        }
    }

    /// Publishes one version of each pack, and copies their rows.
    private func fill(
        _ program: FilePath, _ identity: BenchHost.Identity, _ folder: FilePath
    ) async throws -> (app: String, packs: [String]) {
        let host = try BenchHost(program, identity)
        var (app, packs) = ("", [String]())
        for number in 1...Self.packs {
            let version = try await host.publish(BenchPack.make("Pack\(number)", size: 1000, in: folder))
            app = version.app
            packs.append(version.pack)
        }
        host.stop()
        try await offload { try Self.copyVersions(in: identity.data.appending("host.sqlite")) }
        return (app, packs)
    }

    /// Every pack's first version is there as often as it takes, with a number and an identifier of its own.
    private static func copyVersions(in database: FilePath) throws {
        let columns = try sqlite(
            database, "SELECT name FROM pragma_table_info('backgroundAssetVersions') WHERE name <> 'sequence'"
        ).split(separator: "\n").map { "\"\($0)\"" }
        let values = columns.map { column in
            switch column {
            case #""id""#: "id || '-' || number"
            case #""version""#: "number"
            default: column
            }
        }
        _ = try sqlite(
            database,
            """
            WITH RECURSIVE numbers(number) AS (
                SELECT 2 UNION ALL SELECT number + 1 FROM numbers WHERE number < \(versions / packs))
            INSERT INTO "backgroundAssetVersions" (\(columns.joined(separator: ", ")))
            SELECT \(values.joined(separator: ", ")) FROM "backgroundAssetVersions", numbers WHERE "version" = 1
            """)
    }

    private static func sqlite(_ database: FilePath, _ statement: String) throws -> String {
        let result = try ChildProcess.run(
            executable: "sqlite3", arguments: [database.string, statement], atMost: .seconds(60))
        guard result.exitCode == 0 else { throw BenchmarkError("sqlite3: \(result.errorText)") }
        return result.outputText
    }

    private func versions(of packs: [String], _ host: BenchHost) async throws -> [String] {
        var found: [String] = []
        for pack in packs {
            let data = try await host.client.get("/v1/backgroundAssets/\(pack)/versions", ["limit": "20"])["data"]
            found += (data?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
        }
        return found
    }
}
