// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import Kit
import PackNamespace
import System

/// What is installed and what it takes, put together from registry, store and disk.
struct Inventory: Sendable {
    let registry: AppRegistry
    let store: any PackStoring
    let downloads: DownloadStore
    let lifecycle: AppLifecycle
    let paths: LarderPaths
    let space: SpaceKeeper
    let version: String
    let notes: NoteBoard
    let groups: AppGroups
    let ballast: Ballast

    /// - Parameter measures: whether files are looked at for what they take on the disk.
    func apps(measures: Bool) async throws -> [AppSummary] {
        let events = Dictionary(await lifecycle.events.map { ($0.app, $0) }) { $1 }
        var summaries: [AppSummary] = []
        for record in try await registry.apps() {
            let packs = try await store.localPacks(app: record.id)
            let local = Set(packs.map(\.id))
            let troubled = try await registry.notes(record.id).values.filter {
                $0.state == .failed && !local.contains($0.pack)
            }
            let state = events[record.id].map { Self.state($0, isInstalled: true) } ?? "ready"
            summaries.append(
                AppSummary(
                    app: record.id, displayName: record.displayName, version: record.version, state: state,
                    wasLaunched: record.wasLaunched, localPacks: packs.count,
                    size: packs.reduce(record.baseSize) { $0.addingClamped($1.installedSize) },
                    allocatedSize: measures
                        ? try await allocatedSize(record, packs)
                        : packs.reduce(record.baseAllocatedSize) { $0.addingClamped($1.allocatedSize) },
                    note: troubled.compactMap(\.message).sorted().first))
        }
        for event in events.values where !summaries.contains(where: { $0.app == event.app }) {
            summaries.append(
                AppSummary(
                    app: event.app, displayName: event.displayName, version: "",
                    state: Self.state(event, isInstalled: false),
                    wasLaunched: false, localPacks: 0, size: 0, allocatedSize: 0, note: event.notes.last))
        }
        return summaries.sorted { $0.app < $1.app }
    }

    private static func state(_ event: InstallEvent, isInstalled: Bool) -> String {
        switch event.phase {
        case .launchable, .complete: "ready"
        case .paused: "paused"
        case .failed: "failed"
        default: isInstalled ? "updating" : "installing"
        }
    }

    func packs(_ app: String) async throws -> PacksRequest.Reply {
        if await lifecycle.run(of: app) == nil { _ = try await registry.existing(app) }
        let collisions = try await store.collisions(app: app)
        return PacksRequest.Reply(
            packs: try await listings(app),
            collisions: collisions.listed.map { CollisionListing(path: $0.path, winner: $0.winner, losers: $0.losers) },
            collisionCount: collisions.count)
    }

    /// Verifies the packs of an app, or of all.
    func verify(_ app: String?, _ pack: String?, repairs: Bool) async throws -> [LocalVerification] {
        if let app { return try await store.verify(app: registry.existing(app).id, pack: pack, repairs: repairs) }
        var all: [LocalVerification] = []
        for record in try await registry.apps() {
            all += try await store.verify(app: record.id, pack: nil, repairs: repairs)
        }
        return all
    }

    func listings(_ app: String) async throws -> [PackListing] {
        let manifest = try await registry.manifest(app)
        let local = Dictionary(try await store.localPacks(app: app).map { ($0.id, $0) }) { $1 }
        let transfers = Dictionary(try await store.transfers(app: app).map { ($0.pack, $0) }) { $1 }
        let notes = try await registry.notes(app)
        let arrivals = try await store.arrivals(app: app)
        let offered = Dictionary((manifest?.assetPacks ?? []).map { ($0.id, $0) }) { $1 }
        let ids = Set(local.keys).union(transfers.keys).union(offered.keys)
        let packs = ids.sorted().map { id in
            var listing = PackListing(
                id: id, local: local[id], transfer: transfers[id], offered: offered[id], note: notes[id],
                isManifestKnown: manifest != nil)
            if local[id] != nil { listing.arrival = arrivals[id] }
            return listing
        }
        return packs + (await downloads.all(app)).map { PackListing($0) }
    }

    func status() async throws -> StatusRequest.Reply {
        let transfers = try await store.transfers(app: nil).map { transfer in
            TransferListing(
                app: transfer.app, pack: transfer.pack, version: transfer.version, state: PackState(transfer.state),
                completed: transfer.downloaded, total: transfer.expected, bytesPerSecond: transfer.bytesPerSecond,
                error: transfer.lastError, waitsFor: transfer.hold?.waitsFor)
        }
        var unmanaged: [TransferListing] = []
        for download in await downloads.all(nil) where !download.state.hasEnded {
            unmanaged.append(
                TransferListing(
                    download, bytesPerSecond: await downloads.rate(download.key),
                    trouble: await downloads.troubles[download.key]))
        }
        let ballast = ballast
        return StatusRequest.Reply(
            version: version, processID: CurrentProcess.identifier, stateFolder: paths.state.string,
            installs: await lifecycle.events, transfers: transfers + unmanaged, notes: notes.all,
            degraded: try await offload { ballast.trouble() })
    }
}

extension PackListing {
    init(
        id: String, local: LocalPack?, transfer: TransferStatus?, offered: DownloadManifestPack?,
        note: AppRegistry.PackNote?, isManifestKnown: Bool
    ) {
        let state: PackState
        // One that is committed is local, though its end is still being recorded.
        let isCommitted = local != nil && local?.version == transfer?.version && transfer?.isRepair != true
        var underWay: TransferStatus?
        if let transfer, transfer.state != .failed, !isCommitted {
            state = PackState(transfer.state)
            underWay = transfer
        } else if local != nil {
            state = offered == nil && isManifestKnown ? .obsolete : .local
        } else if transfer?.state == .failed || note?.state == .failed {
            state = .failed
        } else {
            state = note == nil ? .available : .declined
        }
        self.init(
            id: id, policy: PackPolicy(rawValue: offered?.downloadPolicy.name ?? "onDemand"), state: state,
            localVersion: local?.version, availableVersion: offered?.version,
            language: offered?.language ?? local?.language,
            downloadSize: underWay?.expected ?? offered?.downloadSize ?? local?.downloadSize ?? transfer?.expected ?? 0,
            downloaded: transfer?.downloaded ?? local?.downloadSize ?? 0, size: local?.installedSize ?? 0,
            allocatedSize: local?.allocatedSize ?? 0,
            error: transfer?.lastError ?? (local == nil ? note?.message : nil), waitsFor: transfer?.hold?.waitsFor)
    }
}

extension PackState {
    init(_ state: TransferStatus.State) {
        switch state {
        case .queued: self = .queued
        case .downloading, .unpacking: self = .downloading
        case .paused: self = .paused
        case .waiting: self = .waiting
        case .failed: self = .failed
        }
    }
}

extension PackListing {
    /// An unmanaged download, beside the packs: until app or extension has taken its file.
    fileprivate init(_ download: Download) {
        let size = download.state == .finished ? download.total : 0
        self.init(
            id: download.description.identifier, policy: PackPolicy(rawValue: download.listedPolicy),
            state: download.listedState, localVersion: nil, availableVersion: nil,
            downloadSize: download.expected ?? 0, downloaded: download.total, size: size, allocatedSize: size,
            error: download.error?.message, waitsFor: download.waitsFor)
    }
}

extension TransferListing {
    fileprivate init(_ download: Download, bytesPerSecond: Double, trouble: DeviceError?) {
        self.init(
            app: download.app, pack: download.description.identifier, version: 0, state: download.listedState,
            completed: download.total, total: download.expected ?? 0, bytesPerSecond: bytesPerSecond,
            error: trouble?.message, waitsFor: download.waitsFor)
    }
}

extension Download {
    fileprivate var listedPolicy: String {
        description.isEssential ? PackPolicy.essential.rawValue : isForeground ? "foreground" : "background"
    }

    fileprivate var waitsFor: String? {
        if isChallenged, state == .downloading { return "an answer to what its server asks" }
        return state == .waiting ? hold?.waitsFor : nil
    }

    fileprivate var listedState: PackState {
        switch state {
        case .downloading where isChallenged: .waiting
        case .waiting where hold != nil: .waiting
        case .held, .waiting: .queued
        case .downloading: .downloading
        case .paused: .paused
        case .finished: .local
        case .failed: .failed
        }
    }
}
