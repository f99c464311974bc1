// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import Kit

/// Gives memory back after work, so that an idle service is small. It acts when told, never by the clock.
final class Housekeeper: Sendable {
    private let database: Database
    private let relieve: @Sendable () async -> Void
    private let isBusy = Locked(false)

    /// - Parameter relieve: makes room when the disk is nearly full.
    init(database: Database, relieve: @escaping @Sendable () async -> Void) {
        self.database = database
        self.relieve = relieve
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
            await relieve()
            await database.trim()
            try? await offload { Memory.trim() }
        }
    }
}
