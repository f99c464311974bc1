// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CSQLite
import Kit
package import System

/// Tells whether a database file was changed, by whomever, at once. It takes microseconds.
package final class SQLiteChanges: DatabaseChanges {
    package static let delay = Duration.zero

    /// A connection of its own: SQLite tells a connection of what others have committed.
    private struct Session {
        let raw: OpaquePointer
        let statement: OpaquePointer
    }

    private let session: Locked<Session?>

    /// - Parameter path: a database that is open elsewhere, too, for as long as this is used.
    /// - Throws: `DatabaseError`
    package init(path: FilePath) throws {
        var raw: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = path.withPlatformString { sqlite3_open_v2($0, &raw, flags, nil) }
        guard let raw else { throw DatabaseError(.failed, "There is no memory to open \(path).") }
        var statement: OpaquePointer?
        let question = "PRAGMA data_version"
        let prepared = result == SQLITE_OK ? sqlite3_prepare_v2(raw, question, -1, &statement, nil) : result
        guard prepared == SQLITE_OK, let statement else {
            let error = DatabaseError(result: prepared, raw, path: path, doing: "open it")
            sqlite3_close_v2(raw)
            throw error
        }
        session = Locked(Session(raw: raw, statement: statement))
    }

    deinit { close() }

    package func close() {
        session.withLock { session in
            guard let open = session.take() else { return }
            sqlite3_finalize(open.statement)
            sqlite3_close_v2(open.raw)
        }
    }

    package var version: Int64? {
        session.withLock { session in
            guard let session else { return nil }
            defer { sqlite3_reset(session.statement) }
            guard sqlite3_step(session.statement) == SQLITE_ROW else { return nil }
            return sqlite3_column_int64(session.statement, 0)
        }
    }
}
