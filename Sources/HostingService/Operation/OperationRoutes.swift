// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit
internal import System

/// What those who run the host ask: is it well, and how much does it do.
struct OperationRoutes: Sendable {
    let context: HostContext

    func addRoutes(to router: inout Router) {
        router.add("GET", "/healthz", .open) { _ in await health() }
        router.add("GET", "/metrics", .open) { try await metrics($0.http) }
    }

    // MARK: Health

    /// 200 when the host can do its work, else 503 with a line for each thing that is wrong.
    private func health() async -> HTTPServerResponse {
        var problems: [String] = []
        do {
            _ = try await context.database.read { try $0.first("SELECT COUNT(*) FROM \"apps\"") { $0.int64(0) } }
        } catch {
            problems.append("The database cannot be read.")
            context.log.error("The database cannot be read.", ["error": "\(error)"])
        }
        do {
            try await context.blobs.probe()
        } catch {
            problems.append("The storage cannot be used.")
            context.log.error("The storage cannot be used.", ["error": "\(error)"])
        }
        do {
            let free = try await offload { [data = context.data] in try FileSystemSpace(at: data).available }
            if free < context.limits.freeSpace {
                problems.append("The disk is nearly full: \(free) bytes are free.")
            }
        } catch {
            problems.append("The data folder cannot be looked at.")
            context.log.error("The data folder cannot be looked at.", ["error": "\(error)"])
        }
        var response = HTTPServerResponse.text(
            problems.isEmpty ? 200 : 503, problems.isEmpty ? "ok" : problems.joined(separator: "\n"))
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    // MARK: Metrics

    private func metrics(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        // Behind a proxy everybody comes from this machine; such a request says for whom it is.
        let isLocal = NetworkAddress(request.client)?.isLoopback ?? false
        guard isLocal, request.headers["X-Forwarded-For"] == nil, request.headers["Forwarded"] == nil else {
            throw APIError.noSuchPath
        }
        var text = MetricsText()
        text.begin("larder_host_info", "gauge", "The version of the program.")
        text.add(1, ["version": LarderVersion.current])
        text.begin("larder_host_uptime_seconds", "gauge", "Seconds since the start.")
        text.add(context.metrics.started.duration(to: .now).inSeconds)
        context.metrics.write(to: &text)
        try await writeStored(to: &text)
        var response = HTTPServerResponse.text(200, String(text.text.dropLast()))
        response.headers["Content-Type"] = "text/plain; version=0.0.4; charset=utf-8"
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    /// What the database and the disk tell.
    private func writeStored(to text: inout MetricsText) async throws {
        let (versions, jobs, apps, files) = try await context.database.read { store in
            (
                try store.rows(
                    #"SELECT "state", COUNT(*) FROM "backgroundAssetVersions" GROUP BY "state" ORDER BY "state""#
                ) { ($0.text(0), $0.int64(1)) },
                try store.rows(
                    #"SELECT "kind", COUNT(*) FROM "jobs" GROUP BY "kind" ORDER BY "kind""#
                ) { ($0.text(0), $0.int64(1)) },
                try store.first(#"SELECT COUNT(*) FROM "apps""#) { $0.int64(0) } ?? 0,
                try store.rows(
                    """
                    SELECT CASE "base" WHEN '' THEN 'index' ELSE 'patch' END, "state", COUNT(*), SUM("size" + "listSize")
                    FROM "updateFiles" GROUP BY 1, 2 ORDER BY 1, 2
                    """
                ) { (kind: $0.text(0), state: $0.text(1).lowercased(), count: $0.int64(2), bytes: $0.int64(3)) }
            )
        }
        text.begin("larder_host_apps", "gauge", "Apps.")
        text.add(apps)
        text.begin("larder_host_versions", "gauge", "Versions of packs, by state.")
        for (state, count) in versions { text.add(count, ["state": state]) }
        text.begin("larder_host_jobs_waiting", "gauge", "What is to be done yet, or just being done, by kind.")
        for (kind, count) in jobs { text.add(count, ["kind": kind]) }
        text.begin("larder_host_update_files", "gauge", "Indexes and patches, by what became of them.")
        for file in files { text.add(file.count, ["kind": file.kind, "state": file.state]) }
        text.begin("larder_host_update_bytes", "gauge", "Bytes that indexes, and patches with their lists, take.")
        for file in files where file.bytes > 0 { text.add(file.bytes, ["kind": file.kind, "state": file.state]) }
        let space = try await offload { [data = context.data] in try FileSystemSpace(at: data) }
        text.begin("larder_host_disk_free_bytes", "gauge", "Bytes that are free where the data is.")
        text.add(space.available)
    }
}
