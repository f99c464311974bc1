// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// What only a developer asks of a device (BA 3.6).

/// Whether this device lets itself be debugged; switches it too.
package struct DeveloperModeRequest: DeviceRequest {
    package static let method = "developerMode"
    /// nil only asks.
    package var isOn: Bool?
    package init(isOn: Bool? = nil) { self.isOn = isOn }

    package struct Reply: Codable, Hashable, Sendable {
        package var isOn: Bool
        package init(isOn: Bool) { self.isOn = isOn }
    }
}

/// Sends an installed app an event that otherwise comes by itself. The extension has its run time of the day again, and
/// neither metered networks nor low power nor background refresh keep the event back, or what it brings; in-app content
/// being off before the first launch does. The answer comes when it is known what the event brings, which may still come.
package struct SimulateRequest: DeviceRequest {
    package static let method = "simulate"
    package var app: String
    /// The name of the content request: `install`, `update`, `periodic` or `languageChange`.
    package var event: String

    package init(app: String, event: String) {
        self.app = app
        self.event = event
    }

    package struct Reply: Codable, Hashable, Sendable {
        package var app: String
        package var event: String
        /// Packs that are fetched or downloads that were scheduled, by identifier.
        package var updating: [String]
        /// Packs that went at once; what an update leaves without an offer goes at its end.
        package var removed: [String]
        /// What was held back, and what went wrong with the extension; nil when nothing did.
        package var notes: [String]?

        package init(app: String, event: String, updating: [String], removed: [String]) {
            self.app = app
            self.event = event
            self.updating = updating
            self.removed = removed
        }
    }
}

extension DeviceError.Code {
    /// Only a device in developer mode does that.
    package static let developerModeOff = Self(rawValue: "developer.modeOff")
}
