// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// An open database as its engine sees it. Only the thread that it belongs to calls it.
protocol Session: AnyObject {
    /// How many rows the last statement inserted, changed or deleted.
    var changes: Int { get }

    /// A query of one row and column: the seconds since 1970 by the clock that all who use this database share.
    var clockQuery: String { get }

    /// Steps through a statement until `body` says no or the rows end.
    /// - Throws: `DatabaseError`; and what `body` throws.
    func run(
        _ sql: String, _ values: [SQLValue], isReadOnly: Bool, _ body: (borrowing Row) throws -> Bool
    ) throws
}
