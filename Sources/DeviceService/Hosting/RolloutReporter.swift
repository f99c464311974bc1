// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Database
import DeviceProtocol
import HTTP
import Kit

/// Tells hosting services whether versions that are being rolled out came well, when the person agreed to that (`updateReports`).
/// Each report is one small request; of each rollout there is one, and another only when a failure was mended or the reverse.
actor RolloutReporter {
    /// How often a report is tried before it is dropped.
    private static let attemptLimit: Int64 = 5
    /// Reports in an hour, of all apps.
    private static let hourlyLimit = 30
    /// Reports that are remembered.
    private static let rowLimit = 500
    private static let timeLimit = Duration.seconds(20)
    private static let answerLimit = 64 << 10

    private let registry: AppRegistry
    private let settings: SettingsFile
    private let clients: any HTTPClientSource
    private let log: Logger
    private var sentAt: [ContinuousClock.Instant] = []
    private var task: Task<Void, Never>?

    init(registry: AppRegistry, settings: SettingsFile, clients: any HTTPClientSource, log: Logger) {
        self.registry = registry
        self.settings = settings
        self.clients = clients
        self.log = log
    }

    /// Listens until the events end, and first sends what an earlier service left.
    func start(_ events: AsyncStream<PackEvent>) {
        task = Task { [weak self] in
            await self?.sendAll()
            for await event in events {
                guard let failed = RolloutReporter.verdict(event.change), let rollout = event.pack.rollout else {
                    continue
                }
                await self?.note(app: event.app, rollout: rollout, failed: failed)
            }
        }
    }

    func stop() async {
        task?.cancel()
        await task?.value
    }

    /// Whether the version failed; nil for what says nothing about the version: a network that is away, a full disk, a person
    /// who cancelled.
    static func verdict(_ change: PackEvent.Change) -> Bool? {
        switch change {
        case .finished: false
        case .failed(let error): [.badArchive, .wrongDigest, .wrongSize, .server].contains(error.code) ? true : nil
        case .began, .paused, .progress, .waiting, .held: nil
        }
    }

    private func note(app: String, rollout: String, failed: Bool) async {
        guard settings.current.allowsUpdateReports else { return }
        do {
            guard try await registry.origin(app) != nil,
                try await registry.noteReport(app, rollout, failed: failed, limit: Self.rowLimit)
            else { return }
        } catch {
            return log.warning("A report could not be noted.", ["app": app, "error": "\(error)"])
        }
        await sendAll()
    }

    private func sendAll() async {
        do {
            guard settings.current.allowsUpdateReports else { return try await registry.dropReports() }
            for report in try await registry.dueReports(attempts: Self.attemptLimit) {
                let now = ContinuousClock.now
                sentAt.removeAll { now - $0 > .seconds(3600) }
                guard sentAt.count < Self.hourlyLimit, !Task.isCancelled else { return }
                sentAt.append(now)
                try await registry.note(report, wasSent: await send(report))
            }
        } catch {
            log.warning("Reports could not be sent.", ["error": "\(error)"])
        }
    }

    /// False when it may be tried again.
    private func send(_ report: RolloutReport) async -> Bool {
        do {
            guard let origin = try await registry.origin(report.app) else { return true }
            let body: JSONValue = [
                "device": .string(try await registry.identity(report.app, host: origin.host)),
                "rollout": .string(report.rollout), "outcome": report.hasFailed ? "FAILED" : "SUCCEEDED",
            ]
            var request = HTTPRequest(
                url: origin.path(of: "reports", app: report.app), method: .post,
                headers: [("Content-Type", "application/json")] + origin.headers, timeLimit: Self.timeLimit)
            request.body = HTTPRequestBody(Array(body.serialized().utf8))
            request.takesEveryStatus = true
            let (answer, _) = try await clients.client().data(for: request, limit: Self.answerLimit)
            // What the host does not want now it does not want later, unless it says so.
            return answer.status < 500 && answer.status != 429
        } catch {
            log.info("A report was not taken.", ["app": report.app, "error": "\(error)"])
            return false
        }
    }
}

/// What is to be told of one rollout.
struct RolloutReport: Hashable, Sendable {
    var app: String
    var rollout: String
    var hasFailed: Bool
}

extension AppRegistry {
    /// False when that was noted before.
    fileprivate func noteReport(_ app: String, _ rollout: String, failed: Bool, limit: Int) async throws -> Bool {
        try await database.write { connection in
            let known = try connection.first(
                "SELECT failed FROM rollout_report WHERE app = ? AND rollout = ?", [.text(app), .text(rollout)]
            ) { $0.bool(0) }
            guard known != failed else { return false }
            try connection.execute(
                "INSERT OR REPLACE INTO rollout_report VALUES (?, ?, ?, 0, 0)",
                [.text(app), .text(rollout), .bool(failed)])
            try connection.execute(
                """
                DELETE FROM rollout_report WHERE rowid NOT IN (
                    SELECT rowid FROM rollout_report ORDER BY rowid DESC LIMIT ?)
                """, [.integer(Int64(limit))])
            return true
        }
    }

    fileprivate func dueReports(attempts: Int64) async throws -> [RolloutReport] {
        try await database.read { connection in
            try connection.rows(
                "SELECT app, rollout, failed FROM rollout_report WHERE sent = 0 AND attempts < ? ORDER BY rowid",
                [.integer(attempts)]
            ) { RolloutReport(app: $0.text(0), rollout: $0.text(1), hasFailed: $0.bool(2)) }
        }
    }

    fileprivate func note(_ report: RolloutReport, wasSent: Bool) async throws {
        try await database.write {
            try $0.execute(
                """
                UPDATE rollout_report SET attempts = attempts + 1, sent = ?
                WHERE app = ? AND rollout = ? AND failed = ?
                """,
                [.bool(wasSent), .text(report.app), .text(report.rollout), .bool(report.hasFailed)])
        }
    }

    /// Nothing is told any more, and nothing is kept to be told.
    fileprivate func dropReports() async throws {
        try await database.write { try $0.execute("DELETE FROM rollout_report") }
    }
}
