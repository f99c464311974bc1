// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A database whose every change is one transaction: `SQLiteDatabase` or `PostgresDatabase`.
///
/// Statements are in the part of SQL that both understand, with `?` for values and names between double quotes. They run
/// on a thread of the database's own, and never leave the closures given to it.
package protocol Database: Sendable {
    /// Runs `body` on a state that no write changes meanwhile.
    /// - Throws: `DatabaseError`, `readOnly` for a statement that writes; and what `body` throws.
    func read<Result: Sendable>(_ body: @Sendable (borrowing Connection) throws -> Result) async throws -> Result

    /// Runs `body` in one transaction, which is undone when it throws. Transactions are as if they came one after the other;
    /// where they run side by side, `body` may be run more than once for that, and only what its last run did is kept.
    /// - Throws: `DatabaseError`, and what `body` throws.
    func write<Result: Sendable>(_ body: @Sendable (borrowing Connection) throws -> Result) async throws -> Result

    /// Ends all connections; later calls throw.
    func close() async
}

/// One step of the schema. The database remembers which were taken.
package struct Migration: Sendable {
    package let version: Int64
    /// With SQLite's types and `INTEGER PRIMARY KEY AUTOINCREMENT`; PostgreSQL is given its own for them.
    package let statements: [String]

    package init(version: Int64, statements: [String]) {
        self.version = version
        self.statements = statements
    }
}
