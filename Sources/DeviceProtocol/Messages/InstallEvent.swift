// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Where an install or update is: one figure over everything, and the packs it is made of (C3).
package struct InstallEvent: Codable, Hashable, Sendable {
    /// What is being done. Unknown names come from a newer service and mean no more than "still at work".
    package struct Phase: RawRepresentable, Codable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let checking = Phase(rawValue: "checking")
        package static let fetchingManifest = Phase(rawValue: "fetchingManifest")
        package static let askingExtension = Phase(rawValue: "askingExtension")
        package static let planning = Phase(rawValue: "planning")
        package static let copyingApp = Phase(rawValue: "copyingApp")
        package static let downloading = Phase(rawValue: "downloading")
        package static let finishing = Phase(rawValue: "finishing")
        /// What was made is taken away again, after a failure or a cancel.
        package static let undoing = Phase(rawValue: "undoing")
        /// The app may start; prefetch packs may still be on their way.
        package static let launchable = Phase(rawValue: "launchable")
        package static let complete = Phase(rawValue: "complete")
        package static let paused = Phase(rawValue: "paused")
        /// Ended without the app; `error` says why. Nothing is left behind.
        package static let failed = Phase(rawValue: "failed")
        package static let cancelled = Phase(rawValue: "cancelled")

        /// No event follows.
        package var isFinal: Bool { [.complete, .failed, .cancelled].contains(self) }
    }

    package var app: String
    package var displayName: String
    package var phase: Phase
    /// Bytes done and to do over base app, manifest and essential packs. `total` follows the allowance of BA 2.1 until
    /// real sizes are known.
    package var completed: Int64
    package var total: Int64
    package var bytesPerSecond: Double
    package var packs: [PackProgressItem]
    /// Things a person should know although the install goes on: a pack that comes later, and why.
    package var notes: [String]
    /// What went wrong with the app's extension: something may be missing that nobody will bring by itself.
    package var warnings: [String]
    package var error: DeviceError?

    package init(
        app: String, displayName: String, phase: Phase, completed: Int64 = 0, total: Int64 = 0,
        bytesPerSecond: Double = 0, packs: [PackProgressItem] = [], notes: [String] = [], warnings: [String] = [],
        error: DeviceError? = nil
    ) {
        self.app = app
        self.displayName = displayName
        self.phase = phase
        self.completed = completed
        self.total = total
        self.bytesPerSecond = bytesPerSecond
        self.packs = packs
        self.notes = notes
        self.warnings = warnings
        self.error = error
    }
}

/// One pack inside an install.
package struct PackProgressItem: Codable, Hashable, Sendable {
    package var id: String
    package var version: Int
    package var policy: PackPolicy
    package var state: PackState
    /// Bytes of the archive.
    package var completed: Int64
    package var total: Int64
    package var error: DeviceError?
    /// Why this essential pack was not there when the app became launchable. It is fetched again behind, and `state` says
    /// how that goes.
    package var essentialError: DeviceError?

    package init(
        id: String, version: Int, policy: PackPolicy, state: PackState, completed: Int64, total: Int64,
        error: DeviceError? = nil, essentialError: DeviceError? = nil
    ) {
        self.id = id
        self.version = version
        self.policy = policy
        self.state = state
        self.completed = completed
        self.total = total
        self.error = error
        self.essentialError = essentialError
    }
}

/// Where a pack stands on the device. Unknown names are kept.
package struct PackState: RawRepresentable, Codable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    /// The manifest has it; nothing of it is here.
    package static let available = PackState(rawValue: "available")
    package static let queued = PackState(rawValue: "queued")
    package static let downloading = PackState(rawValue: "downloading")
    package static let paused = PackState(rawValue: "paused")
    /// Trouble that is being waited out; the download goes on by itself.
    package static let waiting = PackState(rawValue: "waiting")
    package static let local = PackState(rawValue: "local")
    package static let failed = PackState(rawValue: "failed")
    /// The extension or a restriction decided against it.
    package static let declined = PackState(rawValue: "declined")
    /// Local, but the manifest no longer has it.
    package static let obsolete = PackState(rawValue: "obsolete")
}
