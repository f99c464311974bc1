// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What everything takes on the disk (C10).
package struct StorageRequest: DeviceRequest {
    package static let method = "storage"
    package init() {}

    package struct Reply: Codable, Hashable, Sendable {
        package var apps: [AppStorage]
        package var groups: [GroupStorage]?
        /// Downloads in flight, and what failed ones left, on the disk.
        package var staging: Int64
        /// The service's own database and tables.
        package var bookkeeping: Int64
        package var free: Int64
        package var stateFolder: String
        /// Everything together, what several have counted once.
        package var total: Int64?

        package init(
            apps: [AppStorage], groups: [GroupStorage]? = nil, staging: Int64, bookkeeping: Int64, free: Int64,
            stateFolder: String
        ) {
            self.apps = apps
            self.groups = groups
            self.staging = staging
            self.bookkeeping = bookkeeping
            self.free = free
            self.stateFolder = stateFolder
        }
    }
}

package struct AppStorage: Codable, Hashable, Sendable {
    package var app: String
    package var displayName: String
    /// Bytes in files and on the disk.
    package var baseSize: Int64
    package var baseAllocatedSize: Int64
    /// Of that, what nothing else has: second names of one file are elsewhere, too.
    package var baseUniqueSize: Int64?
    /// Base, packs, versions that are still read and finished downloads together, what several have counted once; and what of that
    /// nothing but the app has.
    package var allocatedSize: Int64?
    package var uniqueSize: Int64?
    /// Versions of its packs that were replaced, and that a process still reads.
    package var former: FolderStorage?
    package var packs: [PackListing]
    /// Unmanaged downloads that have files.
    package var downloads: [DownloadStorage]?
    /// Its downloads in flight, packs' and unmanaged ones; those of the latter are also in `downloads`.
    package var inFlight: FolderStorage?
    /// What its extension has in its scratch folder.
    package var scratch: FolderStorage?

    package init(
        app: String, displayName: String, baseSize: Int64, baseAllocatedSize: Int64, packs: [PackListing],
        downloads: [DownloadStorage]? = nil
    ) {
        self.downloads = downloads
        self.app = app
        self.displayName = displayName
        self.baseSize = baseSize
        self.baseAllocatedSize = baseAllocatedSize
        self.packs = packs
    }
}

/// What a folder takes.
package struct FolderStorage: Codable, Hashable, Sendable {
    /// Bytes in files and on the disk.
    package var size: Int64
    package var allocatedSize: Int64

    package init(size: Int64, allocatedSize: Int64) {
        self.size = size
        self.allocatedSize = allocatedSize
    }
}

/// What apps of one group share, without unmanaged downloads that nobody has taken yet.
package struct GroupStorage: Codable, Hashable, Sendable {
    package var group: String
    /// The apps that name the group; none when nobody knows any more whose it is.
    package var apps: [String]
    /// Bytes in files and on the disk.
    package var size: Int64
    package var allocatedSize: Int64

    package init(group: String, apps: [String], size: Int64, allocatedSize: Int64) {
        self.group = group
        self.apps = apps
        self.size = size
        self.allocatedSize = allocatedSize
    }
}

package struct DownloadStorage: Codable, Hashable, Sendable {
    package var identifier: String
    /// Whole, and waiting for the app; otherwise under way.
    package var isFinished: Bool
    /// Bytes in the file and on the disk.
    package var size: Int64
    package var allocatedSize: Int64

    package init(identifier: String, isFinished: Bool, size: Int64, allocatedSize: Int64) {
        self.identifier = identifier
        self.isFinished = isFinished
        self.size = size
        self.allocatedSize = allocatedSize
    }
}

/// Deletes what failed downloads left, and finished downloads that nobody has open, until so much is freed, or there are no more (C10).
package struct StoragePurgeRequest: DeviceRequest {
    package static let method = "storage.purge"
    package var bytes: Int64
    package init(bytes: Int64) { self.bytes = bytes }

    package struct Reply: Codable, Hashable, Sendable {
        package var purged: [PurgedFile]
        package init(purged: [PurgedFile]) { self.purged = purged }
    }
}

package struct PurgedFile: Codable, Hashable, Sendable {
    package var app: String
    package var download: String
    /// What it took on the disk, in bytes.
    package var size: Int64
    /// It was not whole: what a failed download had left.
    package var isRest: Bool?

    package init(app: String, download: String, size: Int64, isRest: Bool = false) {
        self.app = app
        self.download = download
        self.size = size
        self.isRest = isRest ? true : nil
    }
}
