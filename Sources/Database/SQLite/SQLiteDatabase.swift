// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CSQLite
package import Kit
package import System

/// One SQLite database, with a thread of its own: statements run there and never leave the closures given to it.
///
/// Every change is one transaction. The file is in WAL mode with `synchronous = NORMAL`: a killed process loses nothing; a
/// power cut may lose the last transactions since `flush` but never mixes them, and recovery reads the disk as well as the
/// tables.
package actor SQLiteDatabase: Database {
    private let executor: BlockingExecutor
    private let path: FilePath
    private var session: SQLiteSession?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// For tasks that do little beside reading and writing here: they stay on the database's thread.
    package nonisolated var taskExecutor: BlockingExecutor { executor }

    /// Opens the file, making it if need be, and brings its tables up to the last migration.
    /// - Parameter isAlone: nobody else has the file open. On a disk without room for the shared index of the write-ahead log
    ///   it is opened without, and can be read.
    /// - Throws: `DatabaseError`: `corrupt`, `newer` or `noSpace` among others; the file is left as it is then.
    package init(path: FilePath, migrations: [Migration], isAlone: Bool = false) async throws {
        executor = try BlockingExecutor(name: "larder-database")
        self.path = path
        do {
            try open(migrations)
        } catch let error as DatabaseError where error.code == .noSpace && isAlone {
            try open(migrations, settings: ["PRAGMA locking_mode = EXCLUSIVE"])
        }
    }

    /// - Parameter settings: pragmas that come before all others.
    private func open(_ migrations: [Migration], settings: [String] = []) throws {
        let session = try SQLiteSession(path: path)
        let connection = Connection(session, isReadOnly: false)
        for pragma in settings { try connection.execute(pragma) }
        for pragma in Self.settings { try connection.execute(pragma) }
        try Self.migrate(connection, migrations, path: path)
        session.forgetStatements()
        self.session = session
    }

    /// Runs `body` on a state that no write changes meanwhile.
    /// - Throws: `DatabaseError`, `readOnly` for a statement that writes; and what `body` throws.
    package func read<Result: Sendable>(
        _ body: @Sendable (borrowing Connection) throws -> Result
    ) throws -> Result {
        try body(try connection(isReadOnly: true))
    }

    /// Runs `body` in one transaction, which is undone when it throws.
    /// - Throws: `DatabaseError`, and what `body` throws.
    package func write<Result: Sendable>(
        _ body: @Sendable (borrowing Connection) throws -> Result
    ) throws -> Result {
        let connection = try connection(isReadOnly: false)
        try connection.execute("BEGIN IMMEDIATE")
        do {
            let result = try body(connection)
            try connection.execute("COMMIT")
            return result
        } catch {
            // After a full disk SQLite may have rolled back by itself; then there is nothing to undo.
            _ = try? connection.execute("ROLLBACK")
            throw error
        }
    }

    /// Writes a copy of the whole database as it is at one moment to a new file. Others may write meanwhile.
    /// - Throws: `DatabaseError`, also when there is something at `path`.
    package func copy(to path: FilePath) throws {
        try connection(isReadOnly: false).execute("VACUUM INTO ?", [.text(path.string)])
    }

    /// Has everything that was written so far survive a power cut; without it the last writes may be taken back by one, all from
    /// some point on. To be called before anything outside of the database is changed that only fits them.
    /// - Throws: `Errno`
    package func flush() throws {
        let log = FilePath(path.string + "-wal")
        do {
            let file = try OwnedDescriptor(log, .readOnly)
            try file.borrowed.synchronize()
        } catch Errno.noSuchFileOrDirectory {}
        guard !isNameFlushed else { return }
        let folder = try OwnedDescriptor(path.removingLastComponent(), .readOnly, options: .directory)
        try folder.borrowed.synchronize(dataOnly: false)
        isNameFlushed = true
    }

    /// Gives back the memory of its page cache and of prepared statements.
    package func trim() {
        guard let session else { return }
        session.forgetStatements()
        sqlite3_db_release_memory(session.raw)
    }

    /// Folds the write-ahead log into the file and closes it; later calls throw.
    package func close() { session = nil }

    private func connection(isReadOnly: Bool) throws -> Connection {
        guard let session else {
            throw DatabaseError(.closed, "The database \(path) was closed.")
        }
        return Connection(session, isReadOnly: isReadOnly)
    }

    private var isNameFlushed = false

    private static let settings = [
        "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA foreign_keys = ON",
        "PRAGMA temp_store = MEMORY", "PRAGMA cache_size = -512",
    ]

    private static func migrate(
        _ connection: borrowing Connection, _ migrations: [Migration], path: FilePath
    ) throws {
        let current = try connection.first("PRAGMA user_version") { $0.int64(0) } ?? 0
        let newest = migrations.map(\.version).max() ?? 0
        guard current <= newest else {
            throw DatabaseError(
                .newer,
                "\(path) has schema \(current), and this program knows up to \(newest): a newer larderd wrote it. "
                    + "Run that version, or move the file away to start afresh.")
        }
        for migration in migrations.sorted(by: { $0.version < $1.version }) where migration.version > current {
            try connection.execute("BEGIN IMMEDIATE")
            do {
                for statement in migration.statements { try connection.execute(statement) }
                try connection.execute("PRAGMA user_version = \(migration.version)")
                try connection.execute("COMMIT")
            } catch {
                _ = try? connection.execute("ROLLBACK")
                throw error
            }
        }
    }
}
