// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A version that goes to a share of a channel's devices first (G3).
package struct Rollout: Hashable, Sendable {
    /// Hundredths of a percent.
    private static let buckets: UInt64 = 10_000
    private static let countLimit = 1 << 40

    package var id: String
    package var state: RolloutState
    /// Of all devices, from 0 to 100.
    package var percentage: Int
    /// The share of reports, in percent, above which failures stop it; nil: never by itself.
    package var failureThreshold: Int?
    /// How many devices must have reported before that is looked at.
    package var minimumReports: Int
    package var successes = 0
    package var failures = 0

    package init(
        id: String, state: RolloutState, percentage: Int, failureThreshold: Int? = nil, minimumReports: Int = 20,
        successes: Int = 0, failures: Int = 0
    ) {
        self.id = id
        self.state = state
        self.percentage = percentage
        self.failureThreshold = failureThreshold
        self.minimumReports = minimumReports
        self.successes = successes
        self.failures = failures
    }

    /// A stored one; nil when there is something in it that this program does not know.
    package init?(_ record: ResourceRecord) {
        guard let state = record.state(RolloutState.self) else { return nil }
        func number(_ name: String) -> Int { Int(clamping: record.integer(name) ?? 0) }
        self.init(
            id: record.id, state: state, percentage: number("percentage"),
            failureThreshold: record.integer("failureThreshold").map { Int(clamping: $0) },
            minimumReports: number("minimumReports"), successes: number("successes"), failures: number("failures"))
    }

    /// Whether a device gets the version. One that is in stays in while the share grows, and other releases draw anew.
    /// - Parameters:
    ///   - device: nil for one that does not say which it is; it comes last.
    ///   - wasGiven: whether it got the version before.
    package func admits(_ device: String?, wasGiven: Bool) -> Bool {
        switch state {
        case .complete: true
        case .rolledBack: false
        case .halted: wasGiven
        case .active: percentage >= 100 || device.map { wasGiven || covers($0) } ?? false
        }
    }

    /// Whether a device belongs to the share, whatever became of the rollout.
    package func covers(_ device: String) -> Bool {
        percentage >= 100 || Self.bucket(device, id) < UInt64(max(0, percentage)) * 100
    }

    /// Where a device is among all, for one rollout.
    static func bucket(_ device: String, _ rollout: String) -> UInt64 {
        // FNV-1a, with its bits mixed at the end so that all of them depend on all.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in Array(rollout.utf8) + [0] + Array(device.utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return (hash ^ (hash >> 31)) % buckets
    }

    /// Whether what was reported stops it.
    package var hasFailed: Bool {
        guard state == .active, let failureThreshold else { return false }
        // As many as this are never counted; the sums below have room for them.
        let (good, bad) = (min(max(0, successes), Self.countLimit), min(max(0, failures), Self.countLimit))
        return good + bad >= max(1, minimumReports) && bad * 100 > min(failureThreshold, 100) * (good + bad)
    }
}

package enum RolloutState: String, StateMachine {
    /// The share of devices gets the version.
    case active = "ACTIVE"
    /// Who has the version keeps it; nobody else gets it.
    case halted = "HALTED"
    /// Nobody gets the version any more; who has it goes back.
    case rolledBack = "ROLLED_BACK"
    /// All devices get it.
    case complete = "COMPLETE"

    package enum Event: CaseIterable, Hashable, Sendable {
        case halted, resumed, rolledBack, completed
    }

    package static let initial = RolloutState.active

    package func next(_ event: Event) -> RolloutState? {
        switch (self, event) {
        case (.active, .halted): .halted
        case (.halted, .resumed), (.rolledBack, .resumed): .active
        case (.active, .rolledBack), (.halted, .rolledBack), (.complete, .rolledBack): .rolledBack
        case (.active, .completed), (.halted, .completed): .complete
        default: nil
        }
    }
}
