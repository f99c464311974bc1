// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HostingModel
internal import Kit

/// The states of all releases, by their identifiers, and which versions were taken back.
struct ReleaseStates {
    private var states: [Channel: [String: String]] = [:]
    private var withdrawn: [String: Set<Channel>] = [:]

    /// - Throws: `DatabaseError`
    init(in store: borrowing Connection) throws {
        for channel in Channel.allCases {
            let rows = try store.rows(#"SELECT "id", "state" FROM \#(SQL.quoted(channel.releaseType.name))"#) {
                ($0.text(0), $0.text(1))
            }
            states[channel] = Dictionary(rows) { $1 }
        }
        try findWithdrawn(in: store)
    }

    /// Of some versions.
    /// - Throws: `DatabaseError`
    init(of versions: [ResourceRecord], in store: borrowing Connection) throws {
        for channel in Channel.allCases {
            let releases = try store.records(channel.releaseType, versions.compactMap { $0.text(channel.release) })
            states[channel] = Dictionary(releases.map { ($0.id, $0.text("state") ?? "") }) { $1 }
        }
        try findWithdrawn(in: store)
    }

    private mutating func findWithdrawn(in store: borrowing Connection) throws {
        for rollout in try store.records(.rollouts, where: ["state": .text(RolloutState.rolledBack.rawValue)]) {
            guard let channel = rollout.text("channel").flatMap({ Channel(rawValue: $0) }),
                let version = rollout.text("backgroundAssetVersion")
            else { continue }
            withdrawn[version, default: []].insert(channel)
        }
    }

    /// The channels in which nobody gets a version any more, because its rollout was rolled back.
    func channelsWithdrawn(_ version: ResourceRecord) -> Set<Channel> { withdrawn[version.id] ?? [] }

    /// Whether a later version has taken the version's place in the channel.
    func isSuperseded(_ version: ResourceRecord, _ channel: Channel) -> Bool {
        version.text(channel.release).map { states[channel]?[$0] == "SUPERSEDED" } ?? false
    }

    /// Whether a later version has taken its place in every channel. One that never was in a channel may still get there.
    func isSupersededEverywhere(_ version: ResourceRecord) -> Bool {
        Channel.allCases.allSatisfy { isSuperseded(version, $0) }
    }
}

extension PatchSelection {
    /// - Parameter versions: those of the pack that were processed.
    init(of pack: ResourceRecord, _ versions: [ResourceRecord], _ states: ReleaseStates, count: Int) {
        // No device is told of an archived pack.
        let count = pack.flag("archived") ? 0 : count
        self.init(
            versions.map { version in
                Version(
                    id: version.id, number: version.integer("version") ?? 0,
                    digest: VersionContent.digest(of: version)?.hex,
                    live: Set(Channel.allCases.filter { pack.text($0.liveVersion) == version.id }),
                    former: Set(Channel.allCases.filter { states.isSuperseded(version, $0) }),
                    withdrawn: states.channelsWithdrawn(version))
            }, count: count)
    }
}

extension Connection {
    private static var patchesName: String { "patchesFrom" }

    /// From how many of a channel's last versions patches are made, as the host that started last has it.
    /// - Throws: `DatabaseError`
    func patchesFrom() throws -> Int {
        let text = try first(#"SELECT "value" FROM "settings" WHERE "name" = ?"#, [.text(Self.patchesName)]) {
            $0.text(0)
        }
        return text.flatMap { Int($0) } ?? 0
    }

    /// Notes how many a host that starts makes patches from. When that is more than it was, or the first time, what is live
    /// is gone through once more.
    /// - Throws: `DatabaseError`
    func notePatchesFrom(_ count: Int) throws {
        let known = try setting(Self.patchesName) { "-1" }
        guard known != "\(count)" else { return }
        try execute(
            #"UPDATE "settings" SET "value" = ? WHERE "name" = ?"#, [.text("\(count)"), .text(Self.patchesName)])
        guard count > Int(known) ?? -1 else { return }
        for pack in try records(.backgroundAssets, where: ["archived": 0]) { try prepareUpdates(to: pack) }
    }

    /// Has index and patches made of what devices get of a pack, as far as there are none yet.
    /// - Throws: `DatabaseError`
    func prepareUpdates(to pack: ResourceRecord) throws {
        let (versions, selection) = try patchSelection(of: pack)
        for version in versions where selection.isTarget(version.id) {
            try add(Job(kind: .prepareUpdates, subject: version.id))
        }
    }

    /// The versions of a pack that were processed, and from and to which of them patches lead.
    /// - Throws: `DatabaseError`
    func patchSelection(
        of pack: ResourceRecord
    ) throws -> (versions: [ResourceRecord], selection: PatchSelection) {
        let versions = try records(
            .backgroundAssetVersions,
            where: ["backgroundAsset": .text(pack.id), "state": .text(VersionState.complete.rawValue)])
        return (
            versions,
            PatchSelection(of: pack, versions, try ReleaseStates(of: versions, in: self), count: try patchesFrom())
        )
    }
}
