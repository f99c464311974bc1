// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingService
import Kit

extension HostFixture {
    /// What is swept on a host whose clock is ahead.
    /// - Parameters:
    ///   - days: from now on.
    ///   - configuration: another than the host's own.
    ///   - grace: in seconds; nil for that of the configuration.
    func sweep(
        after days: Int64, with configuration: HostConfiguration? = nil, grace: Int64? = nil, isDry: Bool = false
    ) async throws -> SweepPlan {
        var configuration = configuration ?? self.configuration
        configuration.clock = { Timestamp(seconds: Timestamp.now.seconds + days * 24 * 3600) }
        let administration = try await HostAdministration(configuration)
        let plan: SweepPlan
        do {
            plan = try await administration.sweep(
                configuration, grace: grace ?? configuration.limits.sweepGrace, isDry: isDry)
        } catch {
            await administration.close()
            throw error
        }
        await administration.close()
        return plan
    }
}
