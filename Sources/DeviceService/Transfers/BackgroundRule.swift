// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Why a transfer that could go on waits (C11).
package enum HoldReason: String, Codable, Hashable, Sendable, CaseIterable {
    case backgroundRefresh, lowPower, metered, inAppContent

    /// What it waits for, as a person is told: "waits for …".
    package var waitsFor: String {
        switch self {
        case .backgroundRefresh: "the app to run, since its background refresh is off"
        case .lowPower: "the end of low-power mode"
        case .metered: "an unmetered network"
        case .inAppContent: "the app's first launch, since in-app content is off"
        }
    }
}

/// What transfers may do under the settings and conditions there are: a pure rule. Only those that nobody waits for are
/// held; the table is in docs/lifecycle.md.
package struct BackgroundRule: Hashable, Sendable {
    var settings = PersonSettings()
    var conditions = Conditions()
    /// Apps that are connected: they run, so that what they download is no background refresh.
    var running: Set<String> = []

    /// Why a transfer has to wait; nil when it may go on.
    func reason(app: String, rankClass: TransferRank.Class) -> HoldReason? {
        guard rankClass == .background else { return nil }
        if !running.contains(app), !settings.allowsBackgroundRefresh(app) { return .backgroundRefresh }
        return conditions.holdReason
    }
}

extension Conditions {
    /// Why work that nobody waits for has to wait, whichever app it is for. Metered use that is allowed is no condition.
    var holdReason: HoldReason? { isLowPower ? .lowPower : isMetered ? .metered : nil }
}
