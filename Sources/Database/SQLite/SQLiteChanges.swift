// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CSQLite
import Kit
package import System

/// Tells whether a database file was changed, by whomever, at once. It takes no system call: every commit shows in the memory that
/// all connections to a database with a write-ahead log share.
package final class SQLiteChanges: DatabaseChanges {
    package static let delay = Duration.zero

    private struct Session {
        /// A connection of its own, which does nothing but keep that memory.
        let raw: OpaquePointer
        /// nil where the file has no such log.
        let index: UnsafeRawPointer?
    }

    private let session: Locked<Session?>

    /// - Parameter path: a database that is open elsewhere, too, for as long as this is used.
    /// - Throws: `DatabaseError`
    package init(path: FilePath) throws {
        var raw: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var result = path.withPlatformString { sqlite3_open_v2($0, &raw, flags, nil) }
        guard let raw else { throw DatabaseError(.failed, "There is no memory to open \(path).") }
        // Only a connection that has read something has opened the log.
        if result == SQLITE_OK { result = sqlite3_exec(raw, "SELECT 1 FROM sqlite_schema LIMIT 1", nil, nil, nil) }
        guard result == SQLITE_OK else {
            let error = DatabaseError(result: result, raw, path: path, doing: "open it")
            sqlite3_close_v2(raw)
            throw error
        }
        session = Locked(Session(raw: raw, index: larder_sqlite_log_index(raw).map { UnsafeRawPointer($0) }))
    }

    deinit { close() }

    package func close() {
        session.withLock { session in
            guard let open = session.take() else { return }
            sqlite3_close_v2(open.raw)
        }
    }

    /// nil also where there is no such log, and during a commit.
    package var version: Int64? {
        session.withLock { session in
            guard let index = session?.index else { return nil }
            return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 6) { head in
                guard larder_sqlite_log_head(index, head.baseAddress) else { return nil }
                // Counters, lengths and checksums of the log: as good as a digest of it.
                let mixed = head.reduce(into: UInt64(0)) { mixed, word in
                    mixed = (mixed ^ word) &* 0x9E37_79B9_7F4A_7C15
                    mixed ^= mixed >> 32
                }
                return Int64(bitPattern: mixed)
            }
        }
    }
}
