// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import Kit
import System

/// Fetches the packs of tags for requests of apps' processes, and knows what may go of them (F3).
actor ResourceStore {
    /// A request that is going on.
    private struct Run {
        var task: Task<Void, any Error>
        var isCancelled = false
    }

    nonisolated let tools: ResourceTools
    nonisolated let notices = ResourceNotices()
    private var demand = ResourceDemand()
    private var runs: [ResourceDemand.Key: Run] = [:]
    /// Entries of the manifest that were asked for, until they have been fetched.
    private var offers: [TransferKey: DownloadManifestPack] = [:]
    private var turn = TurnLock()
    /// By app: the base they are of, and what its lists say.
    private var known: [String: (base: String, tags: InstalledTags?)] = [:]

    init(_ tools: ResourceTools) {
        self.tools = tools
        tools.space.attach(self)
        let (notices, patience) = (notices, tools.patience)
        tools.space.onShortage { await notices.askForRoom(patience: patience) }
    }

    // MARK: - Tags

    /// nil when the app has no on-demand resources.
    /// - Throws: `DeviceError` with code `appNotFound`, and what is wrong with its lists.
    func tags(of app: String) async throws -> InstalledTags? {
        let record = try await tools.registry.existing(app)
        if let known = known[app], known.base == record.basePath { return known.tags }
        let tags = try await tools.installedTags(app)
        known[app] = (record.basePath, tags)
        return tags
    }

    /// - Throws: `DeviceError` with code `noResources`
    func existingTags(of app: String) async throws -> InstalledTags {
        if let tags = try await tags(of: app) { return tags }
        throw DeviceError(
            .noResources,
            "\(app) has no OnDemandResources.plist. `larder odr build` makes one, to be put into the app's bundle.")
    }

    // MARK: - Requests

    /// Has the packs of tags fetched, and returns once all are local.
    /// - Throws: `DeviceError`; `CancellationError` when who asked is gone, and then what is on its way comes behind.
    func begin(_ request: ResourcesRequest, emit: @escaping @Sendable (ResourcesProgress) -> Void) async throws {
        let key = ResourceDemand.Key(app: request.app, request: request.request)
        guard runs[key] == nil else {
            throw DeviceError(.badMessage, "A request \"\(request.request)\" of \(request.app) is going on already.")
        }
        let task = Task { try await fetch(request, key, emit) }
        runs[key] = Run(task: task)
        emit(ResourcesProgress(completed: 0, total: 0))
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        let isCancelled = runs.removeValue(forKey: key)?.isCancelled ?? false
        switch result {
        case .success: await change { $0.end(key, .settled) }
        case .failure(let error):
            await change { $0.end(key, isCancelled ? .cancelled : .left) }
            if isCancelled {
                throw DeviceError(.cancelled, "The request for \(Self.names(request.tags)) was cancelled.")
            }
            throw error
        }
    }

    /// Changes how a request is treated; one that is over is passed over.
    func steer(_ request: SteerResourcesRequest) async {
        let key = ResourceDemand.Key(app: request.app, request: request.request)
        guard runs[key] != nil else { return }
        if request.steering.isCancelled {
            runs[key]?.isCancelled = true
            runs[key]?.task.cancel()
        } else {
            await change { $0.steer(key, ResourceDemand.Steering(request.steering)) }
        }
    }

    private func fetch(
        _ request: ResourcesRequest, _ key: ResourceDemand.Key,
        _ emit: @escaping @Sendable (ResourcesProgress) -> Void
    ) async throws {
        let app = request.app
        let tags = try await existingTags(of: app)
        let packs = try tags.packs(of: request.tags, app: app)
        let local = Dictionary(try await tools.store.localPacks(app: app).map { ($0.id, $0) }) { $1 }
        let missing = packs.filter { local[$0] == nil }
        let offered = try await manifestEntries(missing, app)
        try await checkLimit(app, request.tags, tags, packs, local, offered)
        guard !missing.isEmpty else { return }
        // Listening begins before asking: what is under way already may end in between.
        let events = tools.store.events(ofApp: app)
        let requests = offered.values.sorted { $0.id < $1.id }.map {
            PackRequest(app: app, pack: $0, kind: .onDemand, foreground: true)
        }
        let name = Self.names(request.tags)
        let store = tools.store
        let figures = try await tools.space.plan(for: name, app: app) { try await store.plan(requests, alsoWriting: 0) }
        guard figures.fits else { throw figures.refusal(of: name) }
        try Task.checkCancellation()
        for (id, entry) in offered { offers[TransferKey(app: app, pack: id)] = entry }
        try await tryToChange { $0.begin(key, packs: missing, ResourceDemand.Steering(request.steering)) }
        try await follow(events, offered, app, emit)
    }

    /// Returns once all packs are there.
    private func follow(
        _ events: AsyncStream<PackEvent>, _ wanted: [String: DownloadManifestPack], _ app: String,
        _ emit: (ResourcesProgress) -> Void
    ) async throws {
        var completed = wanted.mapValues { _ in Int64(0) }
        let total = wanted.values.reduce(Int64(0)) { $0.addingClamped($1.downloadSize) }
        func tell() {
            emit(ResourcesProgress(completed: completed.values.reduce(0) { $0.addingClamped($1) }, total: total))
        }
        tell()
        var waiting = Set(wanted.keys)
        for await event in events {
            guard waiting.contains(event.pack.id), let entry = wanted[event.pack.id] else { continue }
            switch event.change {
            case .progress(let progress):
                completed[entry.id] = min(progress.downloaded, entry.downloadSize)
                tell()
                continue
            case .finished:
                completed[entry.id] = entry.downloadSize
                demand.ended(TransferKey(app: app, pack: entry.id))
                waiting.remove(entry.id)
                tell()
            case .failed(let error):
                demand.ended(TransferKey(app: app, pack: entry.id))
                throw error
            default: continue
            }
            if waiting.isEmpty { return }
        }
        try Task.checkCancellation()
        throw DeviceError(.unavailable, "The device service is stopping. The downloads go on with its next start.")
    }

    /// What the manifest says of packs: the last known one, or the newest where that lacks some.
    private func manifestEntries(_ packs: Set<String>, _ app: String) async throws -> [String: DownloadManifestPack] {
        guard !packs.isEmpty else { return [:] }
        let keys = try await tools.assets.keys(app)
        var manifest = try await tools.assets.catalogue.known(app, keys: keys).manifest
        if packs.contains(where: { manifest[$0] == nil }) {
            manifest = try await tools.assets.catalogue.fetch(app, keys: keys).manifest
        }
        var entries: [String: DownloadManifestPack] = [:]
        for pack in packs.sorted() {
            guard let entry = manifest[pack] else {
                throw DeviceError(
                    .resourcePackMissing,
                    "\(app) lists the pack \(pack) for its tags, and its manifest has no such pack. Publish it, or build the "
                        + "resources again.", details: ["pack": pack])
            }
            entries[pack] = entry
        }
        return entries
    }

    /// The person's limit on what one app has in use at once. What a request is to use counts already: it says so first.
    private func checkLimit(
        _ app: String, _ names: [String], _ tags: InstalledTags, _ packs: Set<String>, _ local: [String: LocalPack],
        _ offered: [String: DownloadManifestPack]
    ) async throws {
        guard let limit = tools.settings.current.resourcesInUse else { return }
        let used = try await tools.used(Set(tags.tagsByPackID.keys), of: app).union(packs)
        let size = used.reduce(Int64(0)) { sum, pack in
            let entry = offered[pack]
            return sum.addingClamped(
                local[pack]?.installedSize ?? entry?.larder?.installedSize ?? entry?.downloadSize ?? 0)
        }
        guard size > limit else { return }
        throw DeviceError(
            .resourcesExceeded,
            "With \(Self.names(names)), \(app) would use \(ByteCount.formatted(size)) of on-demand resources at once, and "
                + "`larder settings` allows \(ByteCount.formatted(limit)). End access to others first.",
            details: ["size": "\(size)", "limit": "\(limit)"])
    }

    /// Has processes of all apps know the limit: they heed it for what is local without asking.
    func publishLimit() async {
        let limit = tools.settings.current.resourcesInUse
        for record in (try? await tools.registry.apps()) ?? [] {
            let root = tools.paths.appRoot(record.id)
            do {
                try await offload {
                    try ResourceTools.publish(limit: limit, base: root.appending(record.basePath), root: root)
                }
            } catch {
                tools.log.warning(
                    "The limit on resources in use could not be told", ["app": record.id, "error": "\(error)"])
            }
        }
    }

    private static func names(_ tags: [String]) -> String { tags.sorted().joined(separator: ", ") }

    // MARK: - Carrying out

    private func change(_ body: (inout ResourceDemand) -> [ResourceDemand.Action]) async {
        do {
            try await tryToChange(body)
        } catch {
            tools.log.error("A download of resources could not be changed", ["error": "\(error)"])
        }
    }

    /// Changes the demand and does what follows, in the order in which it was decided.
    private func tryToChange(_ body: (inout ResourceDemand) -> [ResourceDemand.Action]) async throws {
        if !turn.take() { await withCheckedContinuation { turn.enqueue($0) } }
        defer { turn.give() }
        for action in body(&demand) { try await carryOut(action) }
    }

    private func carryOut(_ action: ResourceDemand.Action) async throws {
        let store = tools.store
        switch action {
        case .fetch(let key, let importance):
            guard let pack = offers.removeValue(forKey: key) else { return }
            try await store.request([
                PackRequest(app: key.app, pack: pack, kind: .onDemand, foreground: true, importance: importance)
            ])
        case .rank(let key, let importance):
            await store.rank(app: key.app, pack: key.pack, foreground: true, importance: importance)
        case .release(let key):
            await store.rank(app: key.app, pack: key.pack, foreground: false, importance: .standard)
        case .pause(let key): try await store.pause(app: key.app, pack: key.pack)
        case .resume(let key): try await store.resume(app: key.app, pack: key.pack)
        case .cancel(let key): try await store.cancel(app: key.app, pack: key.pack)
        }
    }
}

extension ResourceDemand.Steering {
    init(_ steering: ResourcesSteering) {
        self.init(
            importance: steering.priority.map { FetchImportance($0) } ?? .urgent, isPaused: steering.isPaused)
    }
}
