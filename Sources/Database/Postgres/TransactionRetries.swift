// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Whether a transaction that failed is run once more, and after how long.
struct TransactionRetries: Hashable, Sendable {
    enum Failure: Hashable, Sendable {
        /// Nobody took the connection.
        case unreachable
        /// The connection broke before the transaction was to be kept: nothing of it was.
        case lost
        /// Another transaction was there first.
        case conflict
        /// A row was there already. What looked for it may have looked a moment before another wrote it, so it looks again.
        case constraint
    }

    /// How long a server that is gone is waited for: one that is started anew is there again by then.
    let patience: Duration
    static let conflictLimit = 20

    init(patience: Duration = .seconds(5)) { self.patience = patience }

    private var conflicts = 0
    private var constraints = 0
    private var interruptions = 0

    /// - Parameters:
    ///   - elapsed: since the transaction was first tried.
    ///   - jitter: from 0 to 1, so that those who met do not meet again.
    /// - Returns: nil when it is given up.
    mutating func pause(after failure: Failure, elapsed: Duration, jitter: Double) -> Duration? {
        switch failure {
        case .constraint:
            constraints += 1
            return constraints > 1 ? nil : .zero
        case .conflict:
            conflicts += 1
            guard conflicts <= Self.conflictLimit else { return nil }
            return .milliseconds(1 << min(conflicts, 8)) * jitter
        case .lost, .unreachable:
            guard elapsed < patience else { return nil }
            interruptions += 1
            // Connections of the pool that broke with the server are met one after the other.
            return failure == .lost ? .zero : .milliseconds(min(50 * interruptions, 500))
        }
    }
}

/// A transaction that failed and of which nothing was kept.
struct TransactionFailure: Error {
    let failure: TransactionRetries.Failure
    let error: DatabaseError
}
