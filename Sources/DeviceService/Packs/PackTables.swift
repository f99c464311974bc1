// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Database
import DeviceProtocol
import Kit

/// The store's tables: which packs are wanted, and which are local.
package enum PackTables {
    /// How local packs came.
    package static let addArrivals = ["ALTER TABLE packs ADD COLUMN arrival TEXT"]

    /// Which local version a repair is to replace.
    package static let addRepairs = ["ALTER TABLE transfers ADD COLUMN replaces TEXT"]

    /// Statements of the first migration.
    package static let create = [
        """
        CREATE TABLE transfers (
            app TEXT NOT NULL, pack TEXT NOT NULL, version INTEGER NOT NULL, kind TEXT NOT NULL,
            foreground INTEGER NOT NULL, paused INTEGER NOT NULL DEFAULT 0, failed TEXT, manifest TEXT NOT NULL,
            PRIMARY KEY (app, pack))
        """,
        """
        CREATE TABLE packs (
            app TEXT NOT NULL, pack TEXT NOT NULL, version INTEGER NOT NULL, manifest TEXT NOT NULL,
            PRIMARY KEY (app, pack))
        """,
    ]
}

/// A row of `transfers`: a download that is wanted, and will be after the next start.
struct TransferRow: Sendable {
    var request: PackRequest
    var paused: Bool
    /// Why it failed; it is fetched when it is requested again.
    var failed: String?
    /// The folder of the version that this one is to replace although it has the same number; nil when it is no repair.
    var replaces: String?
}

extension Connection {
    func transferRows() throws -> [TransferRow] {
        let sql = "SELECT app, kind, foreground, paused, failed, manifest, replaces FROM transfers ORDER BY rowid"
        return try rows(sql) { row -> TransferRow? in
            // A row of an older format that cannot be read is as good as none: the app asks again.
            guard let pack = try? Self.decode(row.text(5)), let kind = FetchKind(rawValue: row.text(1)) else {
                return nil
            }
            let request = PackRequest(app: row.text(0), pack: pack, kind: kind, foreground: row.bool(2))
            return TransferRow(
                request: request, paused: row.bool(3), failed: row.textIfPresent(4), replaces: row.textIfPresent(6))
        }.compactMap { $0 }
    }

    /// - Parameter replaced: the folder of the local version that a repair is to replace.
    func insert(_ request: PackRequest, replacing replaced: String? = nil) throws {
        try execute(
            """
            INSERT INTO transfers (app, pack, version, kind, foreground, manifest, replaces) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (app, pack) DO UPDATE SET version = excluded.version, kind = excluded.kind,
                foreground = excluded.foreground, manifest = excluded.manifest, replaces = excluded.replaces, paused = 0,
                failed = NULL
            """,
            [
                .text(request.app), .text(request.pack.id), .integer(Int64(request.pack.version)),
                .text(request.kind.rawValue), .integer(request.foreground ? 1 : 0),
                .text(try Self.encode(request.pack)), replaced.map { .text($0) } ?? .null,
            ])
    }

    /// Another address for what is wanted already.
    func renew(_ request: PackRequest) throws {
        try execute(
            "UPDATE transfers SET manifest = ? WHERE app = ? AND pack = ? AND version = ?",
            [
                .text(try Self.encode(request.pack)), .text(request.app), .text(request.pack.id),
                .integer(Int64(request.pack.version)),
            ])
    }

    func setPaused(_ paused: Bool, _ key: TransferKey) throws {
        try execute(
            "UPDATE transfers SET paused = ? WHERE app = ? AND pack = ?",
            [.integer(paused ? 1 : 0), .text(key.app), .text(key.pack)])
    }

    func setFailed(_ why: String, _ key: TransferKey) throws {
        try execute(
            "UPDATE transfers SET failed = ? WHERE app = ? AND pack = ?", [.text(why), .text(key.app), .text(key.pack)])
    }

    func deleteTransfer(_ key: TransferKey) throws {
        try execute("DELETE FROM transfers WHERE app = ? AND pack = ?", [.text(key.app), .text(key.pack)])
    }

    /// The pack became local: its download is done.
    func recordLocal(_ request: PackRequest, _ tally: PackArrival? = nil) throws {
        try deleteTransfer(TransferKey(app: request.app, pack: request.pack.id))
        try execute(
            "INSERT OR REPLACE INTO packs (app, pack, version, manifest, arrival) VALUES (?, ?, ?, ?, ?)",
            [
                .text(request.app), .text(request.pack.id), .integer(Int64(request.pack.version)),
                .text(try Self.encode(request.pack)),
                tally.map { .text(String(decoding: (try? JSONCoder.encode($0)) ?? [], as: UTF8.self)) } ?? .null,
            ])
    }

    /// The entry of the manifest by which a local pack came; nil when there is none, or it cannot be read.
    func localManifest(_ key: TransferKey) throws -> DownloadManifestPack? {
        try rows(
            "SELECT manifest FROM packs WHERE app = ? AND pack = ?", [.text(key.app), .text(key.pack)]
        ) { row in try? Self.decode(row.text(0)) }.first ?? nil
    }

    /// How the app's local packs came, as far as that was recorded.
    func arrivals(app: String) throws -> [String: PackArrival] {
        let rows = try rows("SELECT pack, arrival FROM packs WHERE app = ?", [.text(app)]) { row in
            (row.text(0), row.textIfPresent(1).flatMap { try? JSONCoder.decode(PackArrival.self, from: $0.utf8) })
        }
        return Dictionary(rows.compactMap { row in row.1.map { (row.0, $0) } }) { $1 }
    }

    func deletePack(_ key: TransferKey) throws {
        try execute("DELETE FROM packs WHERE app = ? AND pack = ?", [.text(key.app), .text(key.pack)])
    }

    /// Keeps only the rows of packs that are on disk.
    func keepPacks(app: String, _ ids: Set<String>) throws {
        for pack in try rows("SELECT pack FROM packs WHERE app = ?", [.text(app)], { $0.text(0) })
        where !ids.contains(pack) { try deletePack(TransferKey(app: app, pack: pack)) }
    }

    func deleteEverything(app: String) throws {
        try execute("DELETE FROM transfers WHERE app = ?", [.text(app)])
        try execute("DELETE FROM packs WHERE app = ?", [.text(app)])
    }

    private static func encode(_ pack: DownloadManifestPack) throws -> String { pack.json.serialized() }

    private static func decode(_ text: String) throws -> DownloadManifestPack {
        try JSONCoder.decode(DownloadManifestPack.self, from: text.utf8)
    }
}
