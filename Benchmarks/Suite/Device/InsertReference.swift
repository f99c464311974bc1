// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CSQLite
import Kit
import System

/// A database with one table, into which rows like the service's are inserted, each by itself.
final class InsertReference {
    private let database: OpaquePointer
    private let statement: OpaquePointer

    /// - Parameter synchronous: SQLite's word for when a transaction is flushed to the disk.
    init(_ path: FilePath, synchronous: String) throws {
        var opened: OpaquePointer?
        guard sqlite3_open(path.string, &opened) == SQLITE_OK, let database = opened else {
            throw BenchmarkError("\(path) cannot be opened")
        }
        for sql in [
            "PRAGMA journal_mode = WAL", "PRAGMA synchronous = \(synchronous)",
            "CREATE TABLE download (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, description TEXT) STRICT",
        ] where sqlite3_exec(database, sql, nil, nil, nil) != SQLITE_OK {
            throw BenchmarkError("\(path): \(String(cString: sqlite3_errmsg(database)))")
        }
        let text = String(repeating: "x", count: 250)
        let sql = "INSERT INTO download (name, description) VALUES (hex(randomblob(8)), '\(text)')"
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &prepared, nil) == SQLITE_OK, let statement = prepared else {
            throw BenchmarkError("\(path): \(String(cString: sqlite3_errmsg(database)))")
        }
        self.database = database
        self.statement = statement
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(database)
    }

    /// Seconds that one takes.
    func insert() throws -> Double {
        let start = ContinuousClock.now
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw BenchmarkError(String(cString: sqlite3_errmsg(database)))
        }
        sqlite3_reset(statement)
        return (ContinuousClock.now - start) / .seconds(1)
    }
}
