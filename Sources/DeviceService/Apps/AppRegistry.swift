// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Database
import DeviceProtocol
import Kit

/// The rows of apps, their manifests, and the journal of installs.
struct AppRegistry: Sendable {
    static let tables = [
        """
        CREATE TABLE app (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, bundle INTEGER NOT NULL, folder TEXT NOT NULL,
            executable TEXT NOT NULL, launched INTEGER NOT NULL, size INTEGER NOT NULL, allocated INTEGER NOT NULL) STRICT
        """,
        // The last manifest that was fetched, as the server sent it.
        "CREATE TABLE manifest (app TEXT PRIMARY KEY, body BLOB NOT NULL, source TEXT NOT NULL) STRICT",
        // One row per install or update that is not over: the machine as JSON.
        "CREATE TABLE install (app TEXT PRIMARY KEY, machine BLOB NOT NULL) STRICT",
        // Packs that an event should have brought and did not: declined, deferred or failed, and why.
        """
        CREATE TABLE pack_note (
            app TEXT NOT NULL, pack TEXT NOT NULL, state TEXT NOT NULL, message TEXT, PRIMARY KEY (app, pack)) STRICT
        """,
        // Apps that are being removed; the folder goes after the row, and a restart goes on from here.
        "CREATE TABLE removal (app TEXT PRIMARY KEY) STRICT",
    ]

    let database: SQLiteDatabase

    private static let columns = "id, name, version, bundle, folder, executable, launched, size, allocated"

    func app(_ id: String) async throws -> AppRecord? {
        try await database.read {
            try $0.first("SELECT \(Self.columns) FROM app WHERE id = ?", [.text(id)], Self.record)
        }
    }

    /// - Throws: `DeviceError` with code `appNotFound`.
    func existing(_ id: String) async throws -> AppRecord {
        if let record = try await app(id) { return record }
        throw DeviceError(
            .appNotFound, "No app with the bundle id \(id) is installed. `larder apps` lists those that are.")
    }

    func apps() async throws -> [AppRecord] {
        try await database.read { try $0.rows("SELECT \(Self.columns) FROM app ORDER BY id", [], Self.record) }
    }

    /// Has all rows survive a power cut: before files go that only older ones name.
    func flush() async throws { try await database.flush() }

    /// Puts the row down and ends the journal's claim on what the row now says, in one step, for good.
    func save(_ app: AppRecord) async throws {
        try await database.write { connection in
            try connection.execute(
                "INSERT OR REPLACE INTO app (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    .text(app.id), .text(app.displayName), .text(app.version), .integer(app.bundle), .text(app.folder),
                    .text(app.executable), .bool(app.wasLaunched), .integer(app.baseSize),
                    .integer(app.baseAllocatedSize),
                ])
        }
        try await flush()
    }

    func markLaunched(_ id: String) async throws {
        try await database.write { try $0.execute("UPDATE app SET launched = 1 WHERE id = ?", [.text(id)]) }
    }

    private static func record(_ row: borrowing Row) -> AppRecord {
        AppRecord(
            id: row.text(0), displayName: row.text(1), version: row.text(2), bundle: Int(clamping: row.int64(3)),
            folder: row.text(4), executable: row.text(5), wasLaunched: row.bool(6), baseSize: row.int64(7),
            baseAllocatedSize: row.int64(8))
    }

    // MARK: - Journal of installs

    func journal(_ machine: InstallMachine) async throws {
        let body = try JSONCoder.encode(machine)
        let app = machine.plan.app
        try await database.write {
            try $0.execute("INSERT OR REPLACE INTO install VALUES (?, ?)", [.text(app), .blob(body)])
        }
    }

    func endJournal(_ app: String) async throws {
        try await database.write { try $0.execute("DELETE FROM install WHERE app = ?", [.text(app)]) }
    }

    /// The app's install that is under way; nil when there is none that can be read.
    func journaled(_ app: String) async throws -> InstallMachine? {
        let body = try await database.read { connection in
            try connection.first("SELECT machine FROM install WHERE app = ?", [.text(app)]) { $0.blob(0) }
        }
        return body.flatMap { try? JSONCoder.decode(InstallMachine.self, from: $0) }
    }

    /// Installs that were under way; rows that cannot be read are named by their app.
    func journaled() async throws -> [(app: String, machine: InstallMachine?)] {
        let rows = try await database.read { connection in
            try connection.rows("SELECT app, machine FROM install ORDER BY app") { ($0.text(0), $0.blob(1)) }
        }
        return rows.map { app, body in (app, try? JSONCoder.decode(InstallMachine.self, from: body)) }
    }

    // MARK: - Removal

    /// The app is gone from every list, for good; its folder is still to be deleted.
    func beginRemoval(_ app: String) async throws {
        try await database.write { connection in
            try connection.execute("INSERT OR REPLACE INTO removal VALUES (?)", [.text(app)])
            try connection.execute("DELETE FROM app WHERE id = ?", [.text(app)])
            for table in [
                "manifest", "manifest_trust", "install", "pack_note", "asked_pack", "language_change", "app_origin",
                "host_identity",
                "rollout_report",
            ] + ResourceTables.names {
                try connection.execute("DELETE FROM \(table) WHERE app = ?", [.text(app)])
            }
        }
        try await flush()
    }

    func endRemoval(_ app: String) async throws {
        try await database.write { try $0.execute("DELETE FROM removal WHERE app = ?", [.text(app)]) }
    }

    func removals() async throws -> [String] {
        try await database.read { try $0.rows("SELECT app FROM removal ORDER BY app") { $0.text(0) } }
    }
}
