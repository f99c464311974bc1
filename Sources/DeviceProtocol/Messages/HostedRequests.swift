// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// Apps that come from a hosting service and follow one of its channels.

/// Where an app comes from.
package struct AppOrigin: Codable, Hashable, Sendable {
    /// The hosting service's address, such as `https://packs.example.com`.
    package var host: String
    /// `internalBeta`, `externalBeta` or `appStore`.
    package var channel: String
    /// What lets this device into a beta channel; nil for channels that are open to all.
    package var token: String?

    package init(host: String, channel: String, token: String? = nil) {
        self.host = host
        self.channel = channel
        self.token = token
    }
}

/// Installs an app from a hosting service, or, without an origin, brings one that came from there up to date. The stream ends
/// without an event when the device has the channel's build; packs are then looked after as by `check`.
package struct HostedInstallRequest: DeviceStreamRequest {
    package static let method = "hostedInstall"
    package typealias Event = InstallEvent
    package var app: String
    package var origin: AppOrigin?
    package var until: InstallGoal

    package init(app: String, origin: AppOrigin?, until: InstallGoal = .launchable) {
        self.app = app
        self.origin = origin
        self.until = until
    }
}

/// The apps that come from hosting services.
package struct OriginsRequest: DeviceRequest {
    package static let method = "origins"
    package init() {}

    package struct Reply: Codable, Hashable, Sendable {
        /// By bundle id; tokens are left out.
        package var origins: [String: AppOrigin]
        package init(origins: [String: AppOrigin]) { self.origins = origins }
    }
}
