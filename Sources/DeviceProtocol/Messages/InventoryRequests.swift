// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// What is installed, what is going on, and what it takes.

/// The installed apps, and those being installed.
package struct AppsRequest: DeviceRequest {
    package static let method = "apps"
    /// Whether files are looked at for what they take on the disk, which takes time; nil for that they are. Otherwise it is told
    /// as it was recorded, with what several packs have counted in each.
    package var measures: Bool?

    package init(measures: Bool? = nil) { self.measures = measures }

    package struct Reply: Codable, Hashable, Sendable {
        package var apps: [AppSummary]
        package init(apps: [AppSummary]) { self.apps = apps }
    }
}

package struct AppSummary: Codable, Hashable, Sendable {
    package var app: String
    package var displayName: String
    package var version: String
    /// `installing`, `updating`, `ready`, `paused` or `failed`; others may come.
    package var state: String
    package var wasLaunched: Bool
    package var localPacks: Int
    /// Bytes in files and on the disk: base app and packs. What several of them have is on the disk once.
    package var size: Int64
    package var allocatedSize: Int64
    package var note: String?

    package init(
        app: String, displayName: String, version: String, state: String, wasLaunched: Bool, localPacks: Int,
        size: Int64, allocatedSize: Int64, note: String? = nil
    ) {
        self.app = app
        self.displayName = displayName
        self.version = version
        self.state = state
        self.wasLaunched = wasLaunched
        self.localPacks = localPacks
        self.size = size
        self.allocatedSize = allocatedSize
        self.note = note
    }
}

/// The packs of one app: local, on their way, and available.
package struct PacksRequest: DeviceRequest {
    package static let method = "packs"
    package var app: String
    package init(app: String) { self.app = app }

    package struct Reply: Codable, Hashable, Sendable {
        package var packs: [PackListing]
        /// Paths that more than one local pack holds, at most 100 of them.
        package var collisions: [CollisionListing]
        package var collisionCount: Int

        package init(packs: [PackListing], collisions: [CollisionListing], collisionCount: Int) {
            self.packs = packs
            self.collisions = collisions
            self.collisionCount = collisionCount
        }
    }
}

package struct PackListing: Codable, Hashable, Sendable {
    package var id: String
    package var policy: PackPolicy
    package var state: PackState
    /// nil while not local.
    package var localVersion: Int?
    /// nil once the manifest no longer has the pack.
    package var availableVersion: Int?
    package var language: String?
    package var downloadSize: Int64
    package var downloaded: Int64
    /// Bytes in files and on the disk; 0 while not local.
    package var size: Int64
    package var allocatedSize: Int64
    /// Of that, what nothing else has, where it was measured.
    package var uniqueSize: Int64?
    package var error: String?
    /// What holds it back, as the end of "waits for …"; nil when nothing does.
    package var waitsFor: String?
    /// How it came; nil when that is not known.
    package var arrival: PackArrival?

    package init(
        id: String, policy: PackPolicy, state: PackState, localVersion: Int?, availableVersion: Int?,
        language: String? = nil, downloadSize: Int64, downloaded: Int64 = 0, size: Int64 = 0,
        allocatedSize: Int64 = 0, error: String? = nil, waitsFor: String? = nil
    ) {
        self.id = id
        self.policy = policy
        self.state = state
        self.localVersion = localVersion
        self.availableVersion = availableVersion
        self.language = language
        self.downloadSize = downloadSize
        self.downloaded = downloaded
        self.size = size
        self.allocatedSize = allocatedSize
        self.error = error
        self.waitsFor = waitsFor
    }
}

/// What it took to make a pack's local version, in bytes.
package struct PackArrival: Codable, Hashable, Sendable {
    /// That came over the network.
    package var moved: Int64 = 0
    package var requests = 0
    /// That were written to the disk.
    package var written: Int64 = 0
    /// Of files that were linked to local ones.
    package var linked: Int64 = 0
    /// Taken from local files and written again.
    package var copied: Int64 = 0
    /// Made with a patch.
    package var patched: Int64 = 0
    /// Whether the archive was fetched whole.
    package var isWhole = false
    /// Why something else was not used, in words.
    package var notes: [String] = []

    package init() {}
}

/// A path in several packs: readers see the winner's file unless they name a pack (A5).
package struct CollisionListing: Codable, Hashable, Sendable {
    package var path: String
    package var winner: String
    package var losers: [String]

    package init(path: String, winner: String, losers: [String]) {
        self.path = path
        self.winner = winner
        self.losers = losers
    }
}

/// The service itself and all that is going on.
package struct StatusRequest: DeviceRequest {
    package static let method = "status"
    package init() {}

    package struct Reply: Codable, Hashable, Sendable {
        package var version: String
        package var processID: Int32
        package var stateFolder: String
        package var installs: [InstallEvent]
        package var transfers: [TransferListing]
        /// What went wrong lately and was lived with: crashed extensions, unreachable servers.
        package var notes: [StatusNote]
        /// What keeps the service from doing its work, and what to do; nil when nothing does.
        package var degraded: String?

        package init(
            version: String, processID: Int32, stateFolder: String, installs: [InstallEvent],
            transfers: [TransferListing], notes: [StatusNote], degraded: String? = nil
        ) {
            self.version = version
            self.processID = processID
            self.stateFolder = stateFolder
            self.installs = installs
            self.transfers = transfers
            self.notes = notes
            self.degraded = degraded
        }
    }
}

package struct TransferListing: Codable, Hashable, Sendable {
    package var app: String
    package var pack: String
    package var version: Int
    package var state: PackState
    package var completed: Int64
    package var total: Int64
    package var bytesPerSecond: Double
    package var error: String?
    /// What holds it back, as the end of "waits for …"; nil when nothing does.
    package var waitsFor: String?

    package init(
        app: String, pack: String, version: Int, state: PackState, completed: Int64, total: Int64,
        bytesPerSecond: Double, error: String? = nil, waitsFor: String? = nil
    ) {
        self.app = app
        self.pack = pack
        self.version = version
        self.state = state
        self.completed = completed
        self.total = total
        self.bytesPerSecond = bytesPerSecond
        self.error = error
        self.waitsFor = waitsFor
    }
}

package struct StatusNote: Codable, Hashable, Sendable {
    /// Seconds since 1970.
    package var time: Int64
    package var app: String?
    package var message: String

    package init(time: Int64, app: String?, message: String) {
        self.time = time
        self.app = app
        self.message = message
    }
}
