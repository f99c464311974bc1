// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import Kit

/// The rows of how apps are used: launches, and their extensions' run time.
struct UsageStore: Sendable {
    static let tables = [
        """
        CREATE TABLE usage (
            app TEXT PRIMARY KEY, score REAL NOT NULL DEFAULT 0, scored INTEGER NOT NULL DEFAULT 0, launched INTEGER,
            day INTEGER NOT NULL DEFAULT 0, milliseconds INTEGER NOT NULL DEFAULT 0, checked INTEGER,
            closed INTEGER NOT NULL DEFAULT 0) STRICT
        """
    ]

    /// One app's row.
    struct Usage: Hashable, Sendable {
        var history = LaunchHistory()
        var budget = RuntimeBudget()
        /// When the last periodic request was made, in seconds since 1970.
        var lastCheck: Int64?
        /// The person closed the app for good; its next launch takes that back.
        var isClosed = false
    }

    let database: SQLiteDatabase

    func usage(_ app: String) async throws -> Usage {
        try await database.read { try Self.usage(app, $0) }
    }

    /// Changes one app's row and returns what it became.
    @discardableResult
    func change(_ app: String, _ body: @escaping @Sendable (inout Usage) -> Void) async throws -> Usage {
        try await database.write { connection in
            var usage = try Self.usage(app, connection)
            body(&usage)
            let (day, used) = usage.budget.kept
            try connection.execute(
                "INSERT OR REPLACE INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    .text(app), .real(usage.history.score), .integer(usage.history.time),
                    .integer(orNull: usage.history.lastLaunch), .integer(day), .integer(used.inMilliseconds),
                    .integer(orNull: usage.lastCheck), .bool(usage.isClosed),
                ])
            return usage
        }
    }

    func forget(_ app: String) async throws {
        try await database.write { try $0.execute("DELETE FROM usage WHERE app = ?", [.text(app)]) }
    }

    private static func usage(_ app: String, _ connection: borrowing Connection) throws -> Usage {
        let row = try connection.first(
            "SELECT score, scored, launched, day, milliseconds, checked, closed FROM usage WHERE app = ?", [.text(app)]
        ) { row in
            Usage(
                history: LaunchHistory(score: row.double(0), time: row.int64(1), lastLaunch: row.int64IfPresent(2)),
                budget: RuntimeBudget(day: row.int64(3), used: .milliseconds(row.int64(4))),
                lastCheck: row.int64IfPresent(5), isClosed: row.bool(6))
        }
        return row ?? Usage()
    }
}

extension Duration {
    fileprivate var inMilliseconds: Int64 { Int64(inSeconds * 1000) }
}
