// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import DeviceProtocol
import Kit
import Languages

/// What an installed app may do with its packs (BA 1.11).
struct AppAssets: Sendable {
    let registry: AppRegistry
    let bundles: BundleStore
    let catalogue: Catalogue
    let store: any PackStoring
    let space: SpaceKeeper
    let languages: AppLanguages

    func manifest(_ app: String, refresh: Bool) async throws -> ManifestRequest.Reply {
        let entry = try await entry(app, refresh: refresh)
        let keys = try await keys(app)
        let rule = try await languages.rule(app, entry.manifest, keys)
        try await languages.publish(app, rule)
        return ManifestRequest.Reply(
            packs: entry.manifest.assetPacks.map { PackDescription($0) },
            primaryLanguage: languages.primary(entry.manifest, keys)?.description,
            resolvedLanguage: rule.resolved?.description, isStale: entry.isStale)
    }

    /// The newest manifest when `refresh`, and the last known one when the server cannot be reached.
    private func entry(_ app: String, refresh: Bool) async throws -> Catalogue.Entry {
        let keys = try await keys(app)
        guard refresh else { return try await catalogue.known(app, keys: keys) }
        do {
            return try await catalogue.fetch(app, keys: keys)
        } catch let error as DeviceError where error.code == .manifestUnavailable {
            guard let manifest = try await catalogue.stored(app, keys: keys) else { throw error }
            return Catalogue.Entry(manifest: manifest, size: 0, isOverridden: false, isStale: true)
        }
    }

    func keys(_ app: String) async throws -> BackgroundAssetsKeys {
        let record = try await registry.existing(app)
        let bundles = bundles
        let keys = try await offload { try bundles.bundle(record) }.backgroundAssets
        guard keys.isManaged else {
            throw DeviceError(
                .badBundle, "\(app) has no managed asset packs. Set BAHasManagedAssetPacks to true in its Info.plist.")
        }
        return keys
    }

    func status(_ request: PackStatusRequest) async throws -> PackStatus {
        let manifest: DownloadManifest?
        if request.mayContactServer {
            manifest = try await entry(request.app, refresh: true).manifest
        } else {
            _ = try await registry.existing(request.app)
            manifest = try await registry.manifest(request.app)
        }
        let local = try await store.localPacks(app: request.app).first { $0.id == request.pack }
        let offered = manifest?[request.pack]
        if offered == nil, local == nil {
            guard request.mayContactServer else { return [] }
            throw Self.notFound(request.pack, request.app)
        }
        let transfer = try await store.transfers(app: request.app).first {
            $0.pack == request.pack && $0.state != .failed
        }
        return PackStatusRule.status(
            local: local?.version, offered: offered?.version, isManifestKnown: manifest != nil,
            relativeTo: request.relativeToVersion, isDownloading: transfer != nil,
            isServerAsked: request.mayContactServer)
    }

    func remove(_ app: String, pack: String) async throws {
        _ = try await registry.existing(app)
        try await registry.forgetAsked(app, pack)
        try await store.cancel(app: app, pack: pack)
        guard try await store.localPacks(app: app).contains(where: { $0.id == pack }) else {
            throw Self.notFound(pack, app)
        }
        try await store.remove(app: app, pack: pack)
    }

    func cancel(_ app: String, pack: String) async throws {
        _ = try await registry.existing(app)
        try await store.cancel(app: app, pack: pack)
    }

    /// Updates what is outdated and removes what is obsolete, from the newest manifest (BA 1.11 `checkForUpdates`).
    /// - Parameter isForeground: what is updated comes at once, whatever holds the background back.
    func checkForUpdates(_ app: String, isForeground: Bool = false) async throws -> CheckForUpdatesRequest.Reply {
        let manifest = try await catalogue.fetch(app, keys: try await keys(app)).manifest
        let transfers = try await store.transfers(app: app).filter { $0.state != .failed }
        let busy = Set(transfers.map { "\($0.pack) \($0.version)" })
        var updates: [DownloadManifestPack] = []
        var (underWay, removed): ([String], [String]) = ([], [])
        for local in try await store.localPacks(app: app) {
            if let offered = manifest[local.id] {
                // Any other version is newer: publishers also go back (BA 1.15).
                guard offered.version != local.version else { continue }
                if busy.contains("\(offered.id) \(offered.version)") {
                    underWay.append(offered.id)
                } else {
                    updates.append(offered)
                }
            } else {
                try await store.remove(app: app, pack: local.id)
                removed.append(local.id)
            }
        }
        // A download of what is no longer offered could only fail.
        for transfer in try await store.transfers(app: app) where manifest[transfer.pack] == nil {
            try await store.cancel(app: app, pack: transfer.pack)
        }
        if !updates.isEmpty {
            try await store.request(
                updates.map { PackRequest(app: app, pack: $0, kind: .update, foreground: isForeground) })
        }
        return CheckForUpdatesRequest.Reply(
            updating: updates.map(\.id).sorted(), underWay: underWay.sorted(), removed: removed.sorted())
    }

    static func notFound(_ pack: String, _ app: String) -> DeviceError {
        DeviceError(.packNotFound, "\(app) has no asset pack \"\(pack)\".", details: ["pack": pack])
    }
}
