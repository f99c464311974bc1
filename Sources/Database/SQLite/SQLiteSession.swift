// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CSQLite
import Kit
import System

/// Owns the open database and the statements that were prepared for it; its end closes them.
final class SQLiteSession: Session {
    let raw: OpaquePointer
    private let path: FilePath
    /// Those that nobody steps through, by their text: preparing one takes longer than most take to run.
    private var statements: [String: OpaquePointer] = [:]
    /// More than the service has.
    private static let statementLimit = 128

    init(path: FilePath) throws {
        var raw: OpaquePointer?
        // No mutex inside SQLite: the actor's executor is the only thread that calls.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = path.withPlatformString { sqlite3_open_v2($0, &raw, flags, nil) }
        guard let raw else { throw DatabaseError(.failed, "There is no memory to open \(path).") }
        guard result == SQLITE_OK else {
            let error = DatabaseError(result: result, raw, path: path, doing: "open it")
            sqlite3_close_v2(raw)
            throw error
        }
        sqlite3_busy_timeout(raw, 5000)
        self.raw = raw
        self.path = path
    }

    deinit {
        forgetStatements()
        sqlite3_close_v2(raw)
    }

    /// A statement that nobody else steps through; nil when the text has none. It comes back through `keep`.
    /// - Throws: `DatabaseError`
    private func statement(_ sql: String) throws -> OpaquePointer? {
        if let kept = statements.removeValue(forKey: sql) { return kept }
        var prepared: OpaquePointer?
        try check(sqlite3_prepare_v2(raw, sql, -1, &prepared, nil), sql)
        return prepared
    }

    /// Takes a statement back. It holds no values and no lock any more.
    private func keep(_ statement: OpaquePointer, _ sql: String) {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        // A pragma does part of its work while it is prepared.
        guard statements[sql] == nil, statements.count < Self.statementLimit, !sql.hasPrefix("PRAGMA") else {
            sqlite3_finalize(statement)
            return
        }
        statements[sql] = statement
    }

    func forgetStatements() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
    }

    // MARK: Session

    var changes: Int { Int(sqlite3_changes(raw)) }

    let clockQuery = "SELECT CAST(strftime('%s', 'now') AS INTEGER)"

    func run(
        _ sql: String, _ values: [SQLValue], isReadOnly: Bool, _ body: (borrowing Row) throws -> Bool
    ) throws {
        guard let statement = try statement(sql) else { return }
        defer { keep(statement, sql) }
        // A pragma that moves the log into the file changes files, not contents.
        if isReadOnly, sqlite3_stmt_readonly(statement) == 0, !sql.hasPrefix("PRAGMA wal_checkpoint") {
            throw DatabaseError(.readOnly, "A statement that changes the database stands where it is only read: \(sql)")
        }
        let places = Int(sqlite3_bind_parameter_count(statement))
        guard places == values.count else {
            throw DatabaseError(.failed, "A statement has \(places) places for \(values.count) values: \(sql)")
        }
        for (index, value) in values.enumerated() {
            try check(value.bind(to: statement, at: CInt(index + 1)), sql)
        }
        while true {
            let result = sqlite3_step(statement)
            guard result != SQLITE_DONE else { return }
            guard result == SQLITE_ROW else { return try check(result, sql) }
            guard try body(Row(statement)) else { return }
        }
    }

    private func check(_ result: CInt, _ sql: String) throws {
        guard result == SQLITE_OK else {
            throw DatabaseError(result: result, raw, path: path, doing: "run \"\(sql)\"")
        }
    }
}
