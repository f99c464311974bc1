// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CSQLite
import Kit
import System

/// A database with one table like the service's, into which its rows are inserted, each by itself.
final class InsertReference {
    private let database: OpaquePointer
    private let statement: OpaquePointer

    /// - Parameter synchronous: SQLite's word for when a transaction is flushed to the disk.
    init(_ path: FilePath, synchronous: String) throws {
        var opened: OpaquePointer?
        guard sqlite3_open(path.string, &opened) == SQLITE_OK, let database = opened else {
            throw BenchmarkError("\(path) cannot be opened")
        }
        let table = """
            CREATE TABLE download (
                number INTEGER PRIMARY KEY AUTOINCREMENT, app TEXT NOT NULL, identifier TEXT NOT NULL, state TEXT NOT NULL,
                foreground INTEGER NOT NULL, size INTEGER NOT NULL, description TEXT NOT NULL, error TEXT,
                UNIQUE (app, identifier)) STRICT
            """
        for sql in ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = \(synchronous)", table]
        where sqlite3_exec(database, sql, nil, nil, nil) != SQLITE_OK {
            throw BenchmarkError("\(path): \(String(cString: sqlite3_errmsg(database)))")
        }
        let sql = """
            INSERT INTO download (app, identifier, state, foreground, size, description)
            VALUES (?, ?, 'waiting', 0, 0, ?)
            """
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

    /// One row in one transaction.
    func insert(app: String, identifier: String, _ description: [UInt8]) throws {
        let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_text(statement, 1, app, -1, copy)
        sqlite3_bind_text(statement, 2, identifier, -1, copy)
        _ = description.withUnsafeBytes {
            sqlite3_bind_text64(
                statement, 3, $0.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64($0.count), copy,
                UInt8(SQLITE_UTF8))
        }
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw BenchmarkError(String(cString: sqlite3_errmsg(database)))
        }
        sqlite3_reset(statement)
    }
}
