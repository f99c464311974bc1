// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

extension SpaceKeeper {
    /// Reckons what something takes, and makes room when that helps.
    /// - Parameter plan: asked again after something was deleted.
    /// - Returns: the last plan; it fits, or cannot be made to, and then nothing was deleted for it.
    func plan(
        for name: String, app: String, _ plan: @Sendable () async throws -> SpacePlan
    ) async throws -> SpacePlan {
        let last = Locked(SpacePlan(toFetch: 0, toWrite: 0, peak: 0, free: 0))
        let room = try await makeRoom(for: name, app: app) {
            let figures = try await plan()
            last.withLock { $0 = figures }
            return PurgePlan.Missing(wanted: figures.missing, needed: figures.missing)
        }
        var figures = last.withLock { $0 }
        figures.note = room.note
        return figures
    }
}
