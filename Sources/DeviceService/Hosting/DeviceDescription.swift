// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// What a hosting service is told when it is asked which versions are for this device.
struct DeviceDescription: Hashable, Sendable {
    private static let takenLimit = 64

    /// See `HostIdentities`.
    var id: String
    var appVersion: String?
    /// Rollouts whose versions the device has.
    var taken: [String] = []

    /// Behind the arguments that an address has already.
    var arguments: String {
        var text = "&device=" + PercentEncoding.encode(id)
        if let appVersion { text += "&appVersion=" + PercentEncoding.encode(appVersion) }
        if !taken.isEmpty {
            text += "&taken=" + PercentEncoding.encode(taken.prefix(Self.takenLimit).joined(separator: ","))
        }
        return text
    }
}
