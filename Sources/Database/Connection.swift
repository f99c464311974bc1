// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CSQLite
import Kit
import System

/// The open database inside a `read` or `write` closure.
package struct Connection: ~Copyable {
    private let handle: Handle
    /// Whether only statements that change nothing are run.
    private let isReadOnly: Bool

    init(_ handle: Handle, isReadOnly: Bool) {
        self.handle = handle
        self.isReadOnly = isReadOnly
    }

    /// How many rows the last statement inserted, changed or deleted.
    package var changes: Int { Int(sqlite3_changes(handle.raw)) }

    /// The number of the row that was inserted last.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle.raw) }

    /// Runs one statement for its effect. `values` stand for its `?` in order.
    /// - Throws: `DatabaseError`
    package func execute(_ sql: String, _ values: [SQLValue] = []) throws {
        try run(sql, values) { _ in true }
    }

    /// All rows of a query, through `map`.
    /// - Throws: `DatabaseError`, and what `map` throws.
    package func rows<Result>(
        _ sql: String, _ values: [SQLValue] = [], _ map: (borrowing Row) throws -> Result
    ) throws -> [Result] {
        var results: [Result] = []
        try run(sql, values) { row in
            results.append(try map(row))
            return true
        }
        return results
    }

    /// The first row of a query, through `map`; nil when there is none.
    /// - Throws: `DatabaseError`, and what `map` throws.
    package func first<Result>(
        _ sql: String, _ values: [SQLValue] = [], _ map: (borrowing Row) throws -> Result
    ) throws -> Result? {
        var result: Result?
        try run(sql, values) { row in
            result = try map(row)
            return false
        }
        return result
    }

    /// Steps through a statement until `body` says no or the rows end.
    private func run(_ sql: String, _ values: [SQLValue], _ body: (borrowing Row) throws -> Bool) throws {
        guard let statement = try handle.statement(sql) else { return }
        defer { handle.keep(statement, sql) }
        // A pragma that moves the log into the file changes files, not contents.
        if isReadOnly, sqlite3_stmt_readonly(statement) == 0, !sql.hasPrefix("PRAGMA wal_checkpoint") {
            throw DatabaseError(.readOnly, "A statement that changes the database stands where it is only read: \(sql)")
        }
        guard sqlite3_bind_parameter_count(statement) == values.count else {
            throw DatabaseError(
                .failed,
                "A statement has \(sqlite3_bind_parameter_count(statement)) places for \(values.count) values: \(sql)")
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

    private func check(_ result: CInt, _ sql: String) throws { try handle.check(result, sql) }
}
