// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit
internal import System

/// What all parts of a host work with.
struct HostContext: Sendable {
    let database: any Database
    /// Tells whether what was read from the database is still so.
    let changes: any DatabaseChanges
    let blobs: any BlobStore
    let limits: HostLimits
    /// Whether what is submitted is approved without anybody looking.
    let reviewsAutomatically: Bool
    /// Whether webhooks may be at addresses that only this network reaches.
    let sendsToPrivateAddresses: Bool
    /// Whether a proxy at an address of this network may say for whom it asks.
    let isBehindProxy: Bool
    /// The folder in which the host keeps everything.
    let data: FilePath
    let metrics = HostMetrics()
    let reports = ReportGate()
    /// Who is told by mail; nil for nobody.
    let mail: HostMail?
    /// This host among those that share the database.
    let presence: HostPresence
    /// Throws when what patches are made with is not there.
    let findPatchLibrary: @Sendable () throws -> Void
    let log: Logger
    let archives: ArchiveAddresses
    /// Signs devices' manifests; nil leaves them unsigned.
    let manifestSigning: ManifestSigning?
    /// Signs addresses that parts are sent to.
    let addressSecret: [UInt8]
    /// Now; tests have their own.
    let clock: @Sendable () -> Timestamp
    /// Where the host is reached, without a slash at its end; known once it listens.
    let base: Locked<String>

    var baseURL: String { base.withLock { $0 } }
    var now: String { clock().formatted }

    /// The folder in which this host makes patches.
    var workshop: FilePath { Self.workshop(of: presence.owner, in: data) }

    static func workshop(of owner: String, in data: FilePath) -> FilePath {
        data.appending("workshop").appending(owner)
    }
}

/// How much a host takes (BA 5). `HostLimits+Settings` says how an operator names them.
package struct HostLimits: Sendable {
    /// Packs of one app that are not archived.
    package var packsPerApp = 200
    /// Bytes of one archive.
    package var archiveSize: Int64 = 64 << 30
    /// Bytes of all files in one archive, unpacked.
    package var installedSize: UInt64 = 256 << 30
    /// Files, folders and links in one archive: a host keeps the names of all while it checks them.
    package var archiveEntries = 1_000_000
    /// Bytes of all names in one archive: 256 for each on average.
    var archiveNames: UInt64 {
        let (size, overflow) = UInt64(clamping: archiveEntries).multipliedReportingOverflow(by: 256)
        return overflow ? .max : size
    }
    /// Bytes of an app bundle's files, unpacked.
    package var appSize: Int64 = 4_000_000_000
    /// Bytes of all archives of one app that devices can get.
    package var bytesPerApp: Int64 = 200_000_000_000
    /// How long an upload's addresses are good for, in seconds.
    package var uploadLifetime: Int64 = 24 * 3600
    /// How long addresses that archives are fetched from are good for, in seconds, when they are elsewhere than at the host.
    package var downloadLifetime: Int64 = 3600
    /// How long an upload stands still, and an archive is unneeded, before it is swept away, in seconds.
    package var sweepGrace: Int64 = 7 * 24 * 3600
    /// A grace that leaves time for what is under way.
    package static let shortestGrace: Int64 = 3600
    /// From how many of a channel's last versions patches are made; 0 for none.
    package var patchesFrom = 3
    package static let mostPatches = 16
    /// How long making a patch may take, in seconds.
    package var patchTime: Int64 = 1800
    /// Bytes of a document in a request.
    package var documentSize = 256 << 10

    /// Reports about rollouts that are taken from one address in an hour, and of one rollout in all.
    package var reportsPerAddress = 120
    package var reportsPerRollout = 100_000
    /// Bytes that must be free on the disk for the host to be healthy.
    package var freeSpace: Int64 = 256 << 20

    package init() {}
}
