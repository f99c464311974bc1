// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HostingModel
internal import Kit

/// Which archives, and files to update with, a device gets now, or may get later.
struct ArchiveNeeds {
    /// Digests in hexadecimal digits.
    private(set) var digests: Set<String> = []
    /// By packs, and the packs of versions.
    private var selections: [String: PatchSelection] = [:]
    private var packs: [String: String] = [:]

    /// - Throws: `DatabaseError`
    init(in store: borrowing Connection) throws {
        let states = try ReleaseStates(in: store)
        let staged = try Self.packsInStages(in: store)
        let count = try store.patchesFrom()
        let all = try store.records(.backgroundAssetVersions, where: ["state": .text(VersionState.complete.rawValue)])
        let versionsOfPacks = Dictionary(grouping: all) { $0.text("backgroundAsset") ?? "" }
        for pack in try store.records(.backgroundAssets, where: [:]) {
            let versions = versionsOfPacks[pack.id] ?? []
            let selection = PatchSelection(of: pack, versions, states, count: count)
            for version in versions {
                let isNeeded =
                    staged.contains(pack.id) || !states.isSupersededEverywhere(version)
                    || selection.kept.contains(version.id)
                guard isNeeded, let digest = VersionContent.digest(of: version)?.hex else { continue }
                digests.insert(digest)
                packs[version.id] = pack.id
            }
            selections[pack.id] = selection
        }
        // A build may be released again at any time until it has expired.
        for build in try store.records(.builds, where: ["expired": 0]) {
            if let digest = BuildContent.digest(of: build) { digests.insert(digest) }
        }
        try addUpdateFiles(in: store)
    }

    /// An index is needed with its version, and a patch if the version it starts from is one of the last besides.
    private mutating func addUpdateFiles(in store: borrowing Connection) throws {
        var bases: [String: Set<String>] = [:]
        for file in try store.storedUpdateFiles() {
            guard let pack = packs[file.version] else { continue }
            if let base = file.base {
                if bases[file.version] == nil {
                    bases[file.version] = Set(selections[pack]?.bases(of: file.version).map(\.id) ?? [])
                }
                guard bases[file.version]?.contains(base.id) ?? false else { continue }
            }
            digests.formUnion(file.digests.map(\.hex))
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
}
