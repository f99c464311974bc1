// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HostingModel
internal import Kit

/// Which archives a device gets now, or may get later.
struct ArchiveNeeds {
    /// Digests in hexadecimal digits.
    private(set) var digests: Set<String> = []

    /// - Throws: `DatabaseError`
    init(in store: borrowing Connection) throws {
        let versions = try store.records(
            .backgroundAssetVersions, where: ["state": .text(VersionState.complete.rawValue)])
        let staged = try Self.packsInStages(in: store)
        for version in versions {
            guard let digest = VersionContent.digest(of: version)?.hex, !digests.contains(digest) else { continue }
            let isStaged = version.text("backgroundAsset").map(staged.contains) ?? false
            if try isStaged || Self.isNeeded(version, in: store) { digests.insert(digest) }
        }
        // A build may be released again at any time until it has expired.
        for build in try store.records(.builds, where: ["expired": 0]) {
            if let digest = BuildContent.digest(of: build) { digests.insert(digest) }
        }
    }

    /// Packs whose live version is not for every device of its channel: the others get an earlier one.
    private static func packsInStages(in store: borrowing Connection) throws -> Set<String> {
        var versions: Set<String> = []
        for range in try store.records(.appRanges, where: [:]) {
            if let version = range.text("backgroundAssetVersion") { versions.insert(version) }
        }
        for rollout in try store.records(.rollouts, where: [:])
        where rollout.state(RolloutState.self) != .complete {
            if let version = rollout.text("backgroundAssetVersion") { versions.insert(version) }
        }
        guard !versions.isEmpty else { return [] }
        let packs = try store.records(.backgroundAssets, where: [:]).filter { pack in
            Channel.allCases.contains { pack.text($0.liveVersion).map(versions.contains) ?? false }
        }
        return Set(packs.map(\.id))
    }

    /// A version is no longer needed when a later one has taken its place in every channel. One that never was in a channel may
    /// still get there.
    private static func isNeeded(_ version: ResourceRecord, in store: borrowing Connection) throws -> Bool {
        for channel in Channel.allCases {
            guard let id = version.text(channel.release), let release = try store.record(channel.releaseType, id),
                release.text("state") == "SUPERSEDED"
            else { return true }
        }
        return false
    }
}
