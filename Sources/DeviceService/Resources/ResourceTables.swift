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
                    Pack(lastUse: row.int64IfPresent(1).map { Timestamp(milliseconds: $0) }, wasPurged: row.bool(2))
                )
            }
        }
        return Dictionary(rows) { $1 }
    }

    /// Who uses packs has them: what was purged has come back.
    func noteUse(_ app: String, _ packs: some Sequence<String> & Sendable, at time: Timestamp) async throws {
        try await database.write { connection in
            for pack in packs {
                try connection.execute(
                    """
                    INSERT INTO resource_pack (app, pack, used) VALUES (?, ?, ?)
                    ON CONFLICT (app, pack) DO UPDATE SET used = excluded.used, purged = 0
                    """, [.text(app), .text(pack), .integer(time.milliseconds)])
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
    fileprivate init(milliseconds: Int64) {
        let rest = ((milliseconds % 1000) + 1000) % 1000
        self.init(seconds: (milliseconds - rest) / 1000, nanoseconds: Int32(rest) * 1_000_000)
    }

    fileprivate var milliseconds: Int64 {
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? .max : whole.addingClamped(Int64(nanoseconds / 1_000_000))
    }
}
