// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What the machine and the person's settings say about work that nobody waits for.
struct Conditions: Hashable, Sendable {
    /// The battery runs low, or a person asked to spare it.
    var isLowPower = false
    /// The network costs by volume.
    var isMetered = false
}

extension Conditions {
    /// What the power supplies of the machine say; without a battery, nothing is low.
    struct Power: Hashable, Sendable {
        /// In percent, the fullest battery that is in use; nil without one.
        var charge: Int?
        var isDischarging = false
        /// The firmware's profile asks to spare power.
        var sparesPower = false
    }

    /// Charge below which a discharging battery counts as low, in percent.
    static let lowCharge = 20

    init(power: Power, isMetered: Bool, settings: PersonSettings) {
        switch settings.lowPower {
        case .on: isLowPower = true
        case .off: isLowPower = false
        case .auto:
            isLowPower = power.sparesPower || (power.isDischarging && (power.charge ?? 100) <= Self.lowCharge)
        }
        self.isMetered = isMetered
    }
}
