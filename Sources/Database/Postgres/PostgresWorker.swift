// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// A connection with a thread of its own, which connects anew when it broke.
actor PostgresWorker {
    private let executor: BlockingExecutor
    private let database: PostgresAddress
    private let limits: PostgresLimits
    private var session: PostgresSession?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Throws: `Errno` when the system has no room for a thread.
    init(_ database: PostgresAddress, _ limits: PostgresLimits) throws {
        executor = try BlockingExecutor(name: "larder-postgres")
        self.database = database
        self.limits = limits
    }

    /// Runs one transaction.
    /// - Throws: `TransactionFailure` when nothing of it was kept and it may be tried again; `DatabaseError`, and what `body`
    ///   throws.
    func transact<Result: Sendable>(
        isReadOnly: Bool, _ body: @Sendable (borrowing Connection) throws -> Result
    ) throws -> Result {
        let session = try open()
        let result: Result
        do {
            try session.begin(isReadOnly: isReadOnly)
            result = try body(Connection(session, isReadOnly: isReadOnly))
            // An error that `body` made nothing of: the server would undo all, and say so to nobody.
            if let failure = session.failure { throw failure }
        } catch {
            let failure = Self.retriable(session.failure, isLost: session.isLost)
            session.rollBack()
            dropIfLost()
            throw failure ?? error
        }
        do {
            try session.commit()
            return result
        } catch {
            dropIfLost()
            // A connection that broke here leaves open what became of the transaction: nobody may just run it again.
            if let error = error as? DatabaseError, error.code == .conflict {
                throw TransactionFailure(failure: .conflict, error: error)
            }
            throw error
        }
    }

    /// Brings the tables up to the last migration, one host after the other.
    func migrate(_ migrations: [Migration]) throws {
        let session = try open()
        do {
            try session.migrate(migrations)
        } catch {
            self.session = nil
            throw Self.retriable(error as? DatabaseError, isLost: session.isLost) ?? error
        }
        // Its statements had more time than others may have.
        self.session = nil
    }

    func close() { session = nil }

    private func open() throws -> PostgresSession {
        if let session { return session }
        do {
            let new = try PostgresSession(database, limits)
            session = new
            return new
        } catch let error as DatabaseError {
            throw TransactionFailure(failure: .unreachable, error: error)
        }
    }

    private func dropIfLost() {
        if session?.isLost == true { session = nil }
    }

    private static func retriable(_ error: DatabaseError?, isLost: Bool) -> TransactionFailure? {
        guard let error else { return nil }
        if isLost { return TransactionFailure(failure: .lost, error: error) }
        return switch error.code {
        case .conflict: TransactionFailure(failure: .conflict, error: error)
        case .constraint: TransactionFailure(failure: .constraint, error: error)
        default: nil
        }
    }
}
