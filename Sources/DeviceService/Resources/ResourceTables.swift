// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import Kit

/// What is noted of apps' tags and their packs.
struct ResourceTables: Sendable {
    static let create = [
        """
        CREATE TABLE resource_tag (
            app TEXT NOT NULL, tag TEXT NOT NULL, priority REAL NOT NULL, PRIMARY KEY (app, tag)) STRICT
        """,
        """
        CREATE TABLE resource_pack (
            app TEXT NOT NULL, pack TEXT NOT NULL, used INTEGER, purged INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (app, pack)) STRICT
        """,
    ]
    /// Uses were noted in milliseconds, in which several may end.
    static let finerUses = ["UPDATE resource_pack SET used = used * 1000000"]
    static let names = ["resource_tag", "resource_pack"]

    struct Pack: Hashable, Sendable {
        /// When a request began or ended to use it last; nil when none ever did.
        var lastUse: Timestamp?
        /// It went to make room, and has not come back.
        var wasPurged: Bool
    }

    let database: SQLiteDatabase

    func priorities(_ app: String) async throws -> [String: Double] {
        let rows = try await database.read { connection in
            try connection.rows("SELECT tag, priority FROM resource_tag WHERE app = ?", [.text(app)]) {
                ($0.text(0), $0.double(1))
            }
        }
        return Dictionary(rows) { $1 }
    }

    func setPriority(_ app: String, _ tags: [String], _ priority: Double) async throws {
        try await database.write { connection in
            for tag in tags {
                try connection.execute(
                    "INSERT OR REPLACE INTO resource_tag VALUES (?, ?, ?)", [.text(app), .text(tag), .real(priority)])
            }
        }
    }

    func packs(_ app: String) async throws -> [String: Pack] {
        let rows = try await database.read { connection in
            try connection.rows("SELECT pack, used, purged FROM resource_pack WHERE app = ?", [.text(app)]) { row in
                (
                    row.text(0),
                    Pack(lastUse: row.int64IfPresent(1).map { Timestamp(sinceEpoch: $0) }, wasPurged: row.bool(2))
                )
            }
        }
        return Dictionary(rows) { $1 }
    }

    /// Who uses packs has them: what was purged has come back. A use that was before a known one changes nothing else.
    func noteUse(_ app: String, _ packs: some Sequence<String> & Sendable, at time: Timestamp) async throws {
        try await database.write { connection in
            for pack in packs {
                try connection.execute(
                    """
                    INSERT INTO resource_pack (app, pack, used) VALUES (?, ?, ?)
                    ON CONFLICT (app, pack) DO UPDATE
                    SET used = MAX(excluded.used, COALESCE(used, excluded.used)), purged = 0
                    """, [.text(app), .text(pack), .integer(time.sinceEpoch)])
            }
        }
    }

    func notePurge(_ app: String, _ pack: String) async throws {
        try await database.write {
            try $0.execute(
                """
                INSERT INTO resource_pack (app, pack, purged) VALUES (?, ?, 1)
                ON CONFLICT (app, pack) DO UPDATE SET purged = 1
                """, [.text(app), .text(pack)])
        }
    }
}

extension Timestamp {
    fileprivate init(sinceEpoch nanoseconds: Int64) {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(seconds: rest < 0 ? whole - 1 : whole, nanoseconds: Int32(rest < 0 ? rest + 1_000_000_000 : rest))
    }

    /// In nanoseconds.
    fileprivate var sinceEpoch: Int64 {
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : whole.addingClamped(Int64(nanoseconds))
    }
}
