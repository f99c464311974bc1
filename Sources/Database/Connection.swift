// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The open database inside a `read` or `write` closure.
package struct Connection: ~Copyable {
    private let session: any Session
    /// Whether only statements that change nothing are run.
    private let isReadOnly: Bool

    init(_ session: any Session, isReadOnly: Bool) {
        self.session = session
        self.isReadOnly = isReadOnly
    }

    /// How many rows the last statement inserted, changed or deleted.
    package var changes: Int { session.changes }

    /// Seconds since 1970 by the clock that all who use this database share.
    /// - Throws: `DatabaseError`
    package func seconds() throws -> Int64 { try first(session.clockQuery) { $0.int64(0) } ?? 0 }

    /// Runs one statement for its effect. `values` stand for its `?` in order.
    /// - Throws: `DatabaseError`
    package func execute(_ sql: String, _ values: [SQLValue] = []) throws {
        try session.run(sql, values, isReadOnly: isReadOnly) { _ in true }
    }

    /// All rows of a query, through `map`.
    /// - Throws: `DatabaseError`, and what `map` throws.
    package func rows<Result>(
        _ sql: String, _ values: [SQLValue] = [], _ map: (borrowing Row) throws -> Result
    ) throws -> [Result] {
        var results: [Result] = []
        try session.run(sql, values, isReadOnly: isReadOnly) { row in
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
        try session.run(sql, values, isReadOnly: isReadOnly) { row in
            result = try map(row)
            return false
        }
        return result
    }
}
