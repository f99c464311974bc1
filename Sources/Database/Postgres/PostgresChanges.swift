// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Tells whether a PostgreSQL database was changed. The server is asked a few times a second which transactions it has seen, for
/// as long as somebody wants to know: two snapshots that are alike see the same. What it said is believed for a second, so that
/// a server that does not answer, or answers late, keeps nobody at what was.
package final class PostgresChanges: DatabaseChanges {
    /// How often the server is asked.
    private static let period = Duration.milliseconds(250)
    /// For how long its word counts, from when it was asked.
    package static let delay = Duration.seconds(1)

    private struct State {
        /// Of different words of the server so far.
        var number: Int64 = 0
        var word: String?
        /// When the server was asked for it.
        var asked: ContinuousClock.Instant?
        var isWanted = false
    }

    private let database: PostgresDatabase
    private let state: Locked<State>
    private let task: Task<Void, Never>

    // With the server's start: another server that comes in its place counts its transactions otherwise.
    private static let question = """
        SELECT CAST(pg_current_snapshot() AS TEXT) || ' ' || CAST(pg_postmaster_start_time() AS TEXT)
        """

    package init(_ database: PostgresDatabase) {
        self.database = database
        let state = Locked(State())
        self.state = state
        task = Task {
            repeat {
                guard state.withLock({ $0.isWanted }) else { continue }
                state.withLock { $0.isWanted = false }
                let asked = ContinuousClock.now
                let word = try? await database.read { try $0.first(Self.question) { $0.text(0) } }
                guard let word else { continue }
                state.withLock { state in
                    if state.word != word {
                        state.word = word
                        state.number += 1
                    }
                    state.asked = asked
                }
            } while (try? await Task.sleep(for: Self.period)) != nil
        }
    }

    deinit { close() }

    package func close() { task.cancel() }

    package var version: Int64? {
        state.withLock { state in
            state.isWanted = true
            guard let asked = state.asked, asked.duration(to: .now) < Self.delay else { return nil }
            // Both only ever grow, and are looked at together, so that their sum is another one when either is.
            return state.number &+ database.commits
        }
    }
}
