// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// Installing, updating, launching and removing apps: what the command line asks for.

/// Installs the app in a folder, or an archive of one. The stream ends when the app is there to the degree `until` names.
package struct InstallRequest: DeviceStreamRequest {
    package static let method = "install"
    package typealias Event = InstallEvent
    /// An absolute path of `Name.app` or of an `.aar` of it.
    package var path: String
    package var until: InstallGoal

    package init(path: String, until: InstallGoal = .launchable) {
        self.path = path
        self.until = until
    }
}

/// Replaces an installed app's base by the bundle in a folder (`subsequentUpdate`, C4).
package struct UpdateRequest: DeviceStreamRequest {
    package static let method = "update"
    package typealias Event = InstallEvent
    package var path: String
    package var until: InstallGoal

    package init(path: String, until: InstallGoal = .launchable) {
        self.path = path
        self.until = until
    }
}

/// Follows the install or update of an app that is going on; ends at once when there is none.
package struct WatchInstallRequest: DeviceStreamRequest {
    package static let method = "watchInstall"
    package typealias Event = InstallEvent
    package var app: String
    package var until: InstallGoal

    package init(app: String, until: InstallGoal = .launchable) {
        self.app = app
        self.until = until
    }
}

/// How far an install has to be before its stream ends.
package struct InstallGoal: RawRepresentable, Codable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    /// It is journaled and goes on by itself.
    package static let accepted = InstallGoal(rawValue: "accepted")
    /// The essential packs are there and the app may start.
    package static let launchable = InstallGoal(rawValue: "launchable")
    /// The prefetch packs are there, too.
    package static let complete = InstallGoal(rawValue: "complete")
}

/// Removes an app, its packs and everything the service knows of it.
package struct UninstallRequest: DeviceRequest {
    package static let method = "uninstall"
    package typealias Reply = EmptyReply
    package var app: String
    package init(app: String) { self.app = app }
}

/// Answers with what to execute once the app may start. The first launch lifts the restrictions of BA 2.1.
package struct LaunchRequest: DeviceRequest {
    package static let method = "launch"
    package var app: String
    /// Whoever asks only wants to know: nothing will be executed, so nothing is recorded and no restriction lifted.
    package var isDryRun: Bool?

    package init(app: String, isDryRun: Bool? = nil) {
        self.app = app
        self.isDryRun = isDryRun
    }

    package struct Reply: Codable, Hashable, Sendable {
        package var executable: String
        /// To be added to the environment of whoever executes it.
        package var environment: [String: String]
        /// Of a dry run: whether a launch would be the first.
        package var isFirstLaunch: Bool

        package init(executable: String, environment: [String: String], isFirstLaunch: Bool) {
            self.executable = executable
            self.environment = environment
            self.isFirstLaunch = isFirstLaunch
        }
    }
}

/// Pauses an install's downloads, or one pack's. Survives a restart.
package struct PauseRequest: DeviceRequest {
    package static let method = "pause"
    package typealias Reply = SteeringReply
    package var app: String
    package var pack: String?

    package init(app: String, pack: String? = nil) {
        self.app = app
        self.pack = pack
    }
}

/// Goes on after a pause.
package struct ResumeRequest: DeviceRequest {
    package static let method = "resume"
    package typealias Reply = SteeringReply
    package var app: String
    package var pack: String?

    package init(app: String, pack: String? = nil) {
        self.app = app
        self.pack = pack
    }
}

/// Cancels one pack's download or, without `pack`, the install or update that is going on, leaving what was there before.
package struct CancelRequest: DeviceRequest {
    package static let method = "cancel"
    package typealias Reply = SteeringReply
    package var app: String
    package var pack: String?

    package init(app: String, pack: String? = nil) {
        self.app = app
        self.pack = pack
    }
}

/// What a pause, resume or cancel applied to.
package struct SteeringReply: Codable, Hashable, Sendable {
    /// An install or update as a whole counts as one, and so does each download without one; 0 when nothing was under way.
    package var count: Int
    package init(count: Int) { self.count = count }
}

/// Asks the server now for what a periodic check would ask (C4).
package struct CheckRequest: DeviceRequest {
    package static let method = "check"
    /// nil: every installed app.
    package var app: String?
    package init(app: String? = nil) { self.app = app }

    package struct Reply: Codable, Hashable, Sendable {
        package var apps: [AppResult]
        package init(apps: [AppResult]) { self.apps = apps }
    }

    package struct AppResult: Codable, Hashable, Sendable {
        package var app: String
        package var updating: [String]
        /// Packs whose update was being fetched before; nil from a service that does not tell.
        package var underWay: [String]?
        package var removed: [String]
        package var error: DeviceError?

        package init(
            app: String, updating: [String], underWay: [String] = [], removed: [String], error: DeviceError? = nil
        ) {
            self.app = app
            self.updating = updating
            self.underWay = underWay
            self.removed = removed
            self.error = error
        }
    }
}
