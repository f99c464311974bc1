// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit

/// Which version of each pack a device gets (G3).
struct OfferedVersions: Sendable {
    struct Offer: Sendable {
        let version: ResourceRecord
        /// The rollout through which the device gets it, while that goes on.
        var rollout: String?
        /// What a device may update to the version with.
        var updates: [UpdateFile] = []
    }

    var offers: [Offer]
    /// Whether another device may be answered something else.
    var dependsOnDevice = false

    /// - Throws: `DatabaseError`
    init(app: String, _ channel: Channel, for device: AskingDevice, in store: borrowing Connection) throws {
        let packs = try store.records(.backgroundAssets, where: ["app": .text(app), "archived": 0])
        let live = try store.records(.backgroundAssetVersions, packs.compactMap { $0.text(channel.liveVersion) })
        let staging = try Staging(app: app, channel, in: store)
        guard !staging.isEmpty else {
            offers = live.map { Offer(version: $0) }
            return
        }
        offers = []
        let choice = VersionChoice(for: device)
        for version in live {
            guard staging.binds(version) else {
                offers.append(Offer(version: version))
                continue
            }
            dependsOnDevice = true
            let all = try Self.earlier(than: version, channel, in: store) + [version]
            let byID = Dictionary(all.map { ($0.id, $0) }) { $1 }
            let chosen = choice.choose(
                live: staging.candidate(version),
                earlier: all.filter { $0.id != version.id }.map { staging.candidate($0) })
            if let chosen, let version = byID[chosen.id] {
                offers.append(Offer(version: version, rollout: chosen.rollout?.id))
            }
        }
    }

    /// Adds what devices may update with.
    /// - Throws: `DatabaseError`
    mutating func findUpdates(in store: borrowing Connection) throws {
        let files = try store.updateFiles(of: offers.map(\.version.id), .listed)
        for number in offers.indices { offers[number].updates = files[offers[number].version.id] ?? [] }
    }

    /// Versions of the same pack that were live in the channel before.
    private static func earlier(
        than version: ResourceRecord, _ channel: Channel, in store: borrowing Connection
    ) throws -> [ResourceRecord] {
        let complete = try store.records(
            .backgroundAssetVersions,
            where: [
                "backgroundAsset": .text(version.text("backgroundAsset") ?? ""),
                "state": .text(VersionState.complete.rawValue),
            ]
        ).filter { ($0.integer("version") ?? 0) < (version.integer("version") ?? 0) }
        let releases = try store.records(channel.releaseType, complete.compactMap { $0.text(channel.release) })
        let superseded = Set(releases.filter { $0.text("state") == "SUPERSEDED" }.map(\.id))
        // What was swept cannot be offered any more.
        return complete.filter {
            $0.text(channel.release).map(superseded.contains) ?? false && VersionContent.digest(of: $0) != nil
        }
    }
}

/// What an app's versions are bound to in a channel.
private struct Staging {
    private var rollouts: [String: Rollout] = [:]
    private var ranges: [String: ResourceRecord] = [:]

    init(app: String, _ channel: Channel, in store: borrowing Connection) throws {
        for record in try store.records(
            .rollouts, where: ["app": .text(app), "channel": .text(channel.rawValue)])
        {
            // What is complete is for all, as if it had never been anything else.
            guard let rollout = Rollout(record), rollout.state != .complete,
                let version = record.text("backgroundAssetVersion")
            else { continue }
            rollouts[version] = rollout
        }
        for record in try store.records(.appRanges, where: ["app": .text(app)]) {
            if let version = record.text("backgroundAssetVersion") { ranges[version] = record }
        }
    }

    var isEmpty: Bool { rollouts.isEmpty && ranges.isEmpty }

    func binds(_ version: ResourceRecord) -> Bool {
        rollouts[version.id] != nil || ranges[version.id] != nil
    }

    func candidate(_ version: ResourceRecord) -> VersionChoice.Candidate {
        let range = ranges[version.id]
        return VersionChoice.Candidate(
            id: version.id, number: version.integer("version") ?? 0,
            minimumAppVersion: range?.text("minimumAppVersion").flatMap { AppVersion($0) },
            maximumAppVersion: range?.text("maximumAppVersion").flatMap { AppVersion($0) },
            rollout: rollouts[version.id])
    }
}
