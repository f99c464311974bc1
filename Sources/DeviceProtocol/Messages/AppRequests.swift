// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// What an app asks about its own packs. `app` is its bundle id; the service checks the peer's user.

/// The catalogue of packs the app may download (BA 1.11 `manifest`, `allAssetPacks`).
package struct ManifestRequest: DeviceRequest {
    package static let method = "app.manifest"
    package var app: String
    /// Whether the server must be asked even when a manifest is at hand.
    package var refresh: Bool

    package init(app: String, refresh: Bool) {
        self.app = app
        self.refresh = refresh
    }

    package struct Reply: Codable, Hashable, Sendable {
        package var packs: [PackDescription]
        /// The language that others fall back to, when the publisher named one.
        package var primaryLanguage: String?
        /// The language whose localised packs are kept local; nil when there is none for the person.
        package var resolvedLanguage: String?
        /// True when the server could not be reached and the last known manifest stands in.
        package var isStale: Bool

        package init(
            packs: [PackDescription], primaryLanguage: String? = nil, resolvedLanguage: String? = nil,
            isStale: Bool = false
        ) {
            self.packs = packs
            self.primaryLanguage = primaryLanguage
            self.resolvedLanguage = resolvedLanguage
            self.isStale = isStale
        }
    }
}

/// The status of one pack (BA 1.11 `status(...)`, `localStatus(...)`); starts nothing.
package struct PackStatusRequest: DeviceRequest {
    package static let method = "app.packStatus"
    package var app: String
    package var pack: String
    /// Compare with this version, which the app holds in its hands (`status(relativeTo:)`); nil: with the newest known.
    package var relativeToVersion: Int?
    /// Whether the server may be asked. Without it an unknown id has the empty status instead of an error.
    package var mayContactServer: Bool

    package init(app: String, pack: String, relativeToVersion: Int? = nil, mayContactServer: Bool) {
        self.app = app
        self.pack = pack
        self.relativeToVersion = relativeToVersion
        self.mayContactServer = mayContactServer
    }

    package struct Reply: Codable, Hashable, Sendable {
        package var status: PackStatus
        package init(status: PackStatus) { self.status = status }
    }
}

/// Schedules what is not local and answers when all of it is, or has failed (BA 1.11 `ensureLocalAvailability`).
package struct EnsureLocalAvailabilityRequest: DeviceRequest {
    package static let method = "app.ensureLocalAvailability"
    package var app: String
    package var packs: [String]
    /// Wait for an available update of what is already local, too.
    package var requireLatestVersions: Bool

    package init(app: String, packs: [String], requireLatestVersions: Bool = false) {
        self.app = app
        self.packs = packs
        self.requireLatestVersions = requireLatestVersions
    }

    package struct Reply: Codable, Hashable, Sendable {
        package var successes: [PackDescription]
        package var failures: [Failure]

        package init(successes: [PackDescription], failures: [Failure]) {
            self.successes = successes
            self.failures = failures
        }
    }

    package struct Failure: Codable, Hashable, Sendable {
        package var id: String
        /// nil when the manifest has no such pack.
        package var pack: PackDescription?
        package var error: DeviceError

        package init(id: String, pack: PackDescription?, error: DeviceError) {
            self.id = id
            self.pack = pack
            self.error = error
        }
    }
}

/// Fetches the newest manifest, schedules updates of outdated packs, removes obsolete ones (BA 1.11 `checkForUpdates`).
package struct CheckForUpdatesRequest: DeviceRequest {
    package static let method = "app.checkForUpdates"
    package var app: String
    package init(app: String) { self.app = app }

    package struct Reply: Codable, Hashable, Sendable {
        /// Packs whose update this call registered; they are not there yet.
        package var updating: [String]
        /// Packs whose update was registered before and is not there yet; nil from a service that does not tell.
        package var underWay: [String]?
        package var removed: [String]

        package init(updating: [String], underWay: [String] = [], removed: [String]) {
            self.updating = updating
            self.underWay = underWay
            self.removed = removed
        }
    }
}

/// Removes a local pack. What a reader has open stays whole until it lets go.
package struct RemovePackRequest: DeviceRequest {
    package static let method = "app.removePack"
    package typealias Reply = EmptyReply
    package var app: String
    package var pack: String

    package init(app: String, pack: String) {
        self.app = app
        self.pack = pack
    }
}

/// Ends a download and deletes what it staged; it may be asked for again at any time.
package struct CancelDownloadRequest: DeviceRequest {
    package static let method = "app.cancelDownload"
    package typealias Reply = EmptyReply
    package var app: String
    package var pack: String

    package init(app: String, pack: String) {
        self.app = app
        self.pack = pack
    }
}

/// Download events of the app's packs, from now on. For one pack the stream ends after `finished` or `failed`; for a pack
/// that is local already it tells so at once.
package struct StatusUpdatesRequest: DeviceStreamRequest {
    package static let method = "app.statusUpdates"
    package typealias Event = DownloadEvent
    package var app: String
    package var pack: String?

    package init(app: String, pack: String? = nil) {
        self.app = app
        self.pack = pack
    }
}

/// One step in a pack's download (BA 1.11 `DownloadStatusUpdate`).
package struct DownloadEvent: Codable, Hashable, Sendable {
    package struct Change: RawRepresentable, Codable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        /// Began or went on after a pause.
        package static let began = Change(rawValue: "began")
        package static let paused = Change(rawValue: "paused")
        package static let downloading = Change(rawValue: "downloading")
        package static let finished = Change(rawValue: "finished")
        package static let failed = Change(rawValue: "failed")
    }

    package var change: Change
    package var pack: PackDescription
    /// Bytes of the archive that are here, and that there will be.
    package var completed: Int64
    package var total: Int64
    /// With `failed`: why. With `downloading`: the trouble that is being waited out, if there is one.
    package var error: DeviceError?

    package init(
        _ change: Change, pack: PackDescription, completed: Int64 = 0, total: Int64 = 0, error: DeviceError? = nil
    ) {
        self.change = change
        self.pack = pack
        self.completed = completed
        self.total = total
        self.error = error
    }
}
