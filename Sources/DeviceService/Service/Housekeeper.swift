// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import Kit

/// Gives memory back after work, so that an idle service is small. It acts when told, never by the clock.
final class Housekeeper: Sendable {
    private let database: SQLiteDatabase
    private let space: SpaceKeeper
    private let ballast: Ballast
    private let isBusy = Locked(false)

    init(database: SQLiteDatabase, space: SpaceKeeper, ballast: Ballast) {
        self.database = database
        self.space = space
        self.ballast = ballast
    }

    /// Asked for often, done once at a time.
    func tidy() {
        let isFirst = isBusy.withLock { busy in
            defer { busy = true }
            return !busy
        }
        guard isFirst else { return }
        Task.detached { [self] in
            isBusy.withLock { $0 = false }
            await space.relieve()
            await database.trim()
            try? await offload { [ballast] in
                ballast.restore()
                Memory.trim()
            }
        }
    }
}
