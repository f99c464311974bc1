// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import Kit

/// Gives memory back after work, so that an idle service is small. It acts when told, never by the clock.
final class Housekeeper: Sendable {
    private let database: SQLiteDatabase
    private let space: SpaceKeeper
    private let ballast: Ballast
    private let work = Locked(Work())

    private struct Work: Sendable {
        /// Asked for and not begun.
        var isDue = false
        var isStopped = false
        var last: Task<Void, Never>?
    }

    init(database: SQLiteDatabase, space: SpaceKeeper, ballast: Ballast) {
        self.database = database
        self.space = space
        self.ballast = ballast
    }

    /// Asked for often, done once at a time.
    func tidy() {
        work.withLock { work in
            guard !work.isDue, !work.isStopped else { return }
            work.isDue = true
            let previous = work.last
            work.last = Task.detached { [self] in
                await previous?.value
                await carryOut()
            }
        }
    }

    private func carryOut() async {
        let isWanted = work.withLock { work in
            work.isDue = false
            return !work.isStopped
        }
        guard isWanted else { return }
        await space.relieve()
        await database.trim()
        try? await offload { [ballast] in
            ballast.restore()
            Memory.trim()
        }
    }

    /// Nothing is touched any more when this returns: the folder may be another service's.
    func stop() async {
        let last = work.withLock { work in
            work.isStopped = true
            return work.last
        }
        await last?.value
    }
}
