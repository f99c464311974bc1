// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import Kit

/// Holds all running transfers, of packs and others, to the bandwidth that a person allows. It acts when a transfer comes, goes
/// or reports, never by the clock.
package final class BandwidthGovernor: Sendable {
    private struct Member {
        let download: HTTPDownload
        let key: TransferKey
        var transfer: BandwidthPlan.Transfer
        var meter = RateMeter()
        let since = ContinuousClock.now
        var rate: Int64?
    }

    private struct State {
        var limits = BandwidthLimits()
        var members: [ObjectIdentifier: Member] = [:]
        var planned = ContinuousClock.now
    }

    /// Between two looks at who takes less than its share.
    private static let interval = Duration.seconds(1)

    private let state = Locked(State())

    package init() {}

    /// Counts from now on, also for what runs.
    package func setLimits(_ limits: BandwidthLimits) {
        state.withLock { state in
            guard state.limits != limits else { return }
            state.limits = limits
            Self.plan(&state)
        }
    }

    func enter(_ download: HTTPDownload, _ key: TransferKey, host: String, _ rankClass: TransferRank.Class) {
        state.withLock { state in
            state.members[ObjectIdentifier(download)] = Member(
                download: download, key: key,
                transfer: BandwidthPlan.Transfer(app: key.app, host: host, rankClass: rankClass))
            Self.plan(&state)
        }
    }

    func leave(_ download: HTTPDownload) {
        state.withLock { state in
            state.members[ObjectIdentifier(download)] = nil
            Self.plan(&state)
        }
    }

    /// A transfer's class changed while it runs.
    func rank(_ key: TransferKey, _ rankClass: TransferRank.Class) {
        state.withLock { state in
            for (id, member) in state.members where member.key == key {
                state.members[id]?.transfer.rankClass = rankClass
            }
            Self.plan(&state)
        }
    }

    /// A transfer has so many bytes now.
    func note(_ download: HTTPDownload, total: Int64) {
        let now = ContinuousClock.now
        state.withLock { state in
            guard !state.limits.areNone else { return }
            state.members[ObjectIdentifier(download)]?.meter.add(total: total, at: now)
            if now - state.planned >= Self.interval { Self.plan(&state) }
        }
    }

    private static func plan(_ state: inout State) {
        let now = ContinuousClock.now
        state.planned = now
        guard !state.limits.areNone || state.members.values.contains(where: { $0.rate != nil }) else { return }
        let ids = Array(state.members.keys)
        let facts = ids.compactMap { id in
            state.members[id].map { member in
                var transfer = member.transfer
                transfer.demand = demand(member, now)
                return transfer
            }
        }
        for (id, rate) in zip(ids, BandwidthPlan(state.limits).rates(facts)) {
            guard state.members[id]?.rate != rate else { continue }
            state.members[id]?.rate = rate
            state.members[id]?.download.setRateLimit(rate)
        }
    }

    /// Who takes clearly less than it may leaves the rest to others, and keeps room to become faster again.
    private static func demand(_ member: Member, _ now: ContinuousClock.Instant) -> Int64? {
        guard let rate = member.rate, now - member.since > interval * 3,
            member.meter.bytesPerSecond < 0.7 * Double(rate)
        else { return nil }
        return Int64(member.meter.bytesPerSecond * 1.5) + (16 << 10)
    }
}
