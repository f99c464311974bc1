// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// A PostgreSQL database, which many programs may use at once.
///
/// Transactions are serializable: each is as if it were alone, and one that met another is run again. A server that comes back
/// is found again; a transaction is run again only when nothing of it can have been kept.
package final class PostgresDatabase: Database {
    private let pool: PostgresPool
    private let written = Locked<Int64>(0)

    /// How many transactions that write have ended, kept or not.
    var commits: Int64 { written.withLock { $0 } }

    /// Connects, and brings the tables up to the last migration.
    /// - Throws: `DatabaseError`: `cannotOpen` or `newer` among others.
    package init(
        _ address: PostgresAddress, migrations: [Migration], limits: PostgresLimits = PostgresLimits()
    ) async throws {
        pool = PostgresPool(address, limits)
        // Who starts is told at once what is wrong.
        try await persistently(patience: .zero) { try await $0.migrate(migrations) }
    }

    package func read<Result: Sendable>(
        _ body: @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result {
        try await persistently { try await $0.transact(isReadOnly: true, body) }
    }

    package func write<Result: Sendable>(
        _ body: @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result {
        // Also when it failed: it may have been kept.
        defer { written.withLock { $0 += 1 } }
        return try await persistently { try await $0.transact(isReadOnly: false, body) }
    }

    package func close() async { await pool.close() }

    private func persistently<Result>(
        patience: Duration = TransactionRetries().patience, _ body: (PostgresWorker) async throws -> Result
    ) async throws -> Result {
        let start = ContinuousClock.now
        var retries = TransactionRetries(patience: patience)
        while true {
            do {
                return try await pool.lend(body)
            } catch let failed as TransactionFailure {
                let elapsed = start.duration(to: .now)
                let pause = retries.pause(after: failed.failure, elapsed: elapsed, jitter: .random(in: 0...1))
                guard let pause else { throw failed.error }
                do { try await Task.sleep(for: pause) } catch { throw failed.error }
            }
        }
    }
}
