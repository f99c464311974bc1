// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import Kit

extension HostAdministration {
    /// Sweeps the host's storage, whether the host runs or not.
    /// - Parameters:
    ///   - grace: how long an upload must have stood still, and an archive unneeded, in seconds.
    ///   - isDry: only says what would be done.
    /// - Throws: `HostingError` when the host has another storage; what database and store throw.
    package func sweep(_ configuration: HostConfiguration, grace: Int64, isDry: Bool) async throws -> SweepPlan {
        try await database.write { try $0.settle(configuration) }
        let sweeper = Sweeper(
            database: database, blobs: try await configuration.openBlobs(), grace: grace,
            now: { configuration.clock().seconds }, log: configuration.log)
        return isDry ? try await sweeper.plan() : try await sweeper.sweep()
    }
}
