// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
package import Database
import DeviceProtocol
import HTTP
package import Kit
import PackNamespace
package import System

/// Keeps apps' packs: fetches what is wanted, makes it local, takes it away again (C8, C10).
///
/// What blocks runs on threads of its own. Nothing ticks while nothing is under way.
package actor PackStore: PackStoring, TransferOwner {
    static let owner = TransferKey.Owner.packs

    /// A download that is wanted.
    struct Job {
        var request: PackRequest
        var fetch: PackFetch?
        var progress: PackFetch.Progress?
        var meter = RateMeter()
        var lastError: StoreError?
        var hold: HoldReason?
        /// New addresses that were fetched since the last byte came.
        var renewals = 0
        /// Whether the version that is local is fetched once more.
        var isRepair = false
    }

    let state: FilePath
    let database: SQLiteDatabase
    let clients: any HTTPClientSource
    let governor: BandwidthGovernor
    let log: Logger
    let configuration: StoreConfiguration
    let space: SpaceKeeper?
    let hostRule: @Sendable (_ app: String) async throws -> HostRule?
    let renewal: Renewal
    nonisolated let hub = PackEventHub()

    let transfers: TransferDispatcher
    var jobs: [TransferKey: Job] = [:]
    /// Downloads that failed, for whoever asks why; they go on, or begin anew, when they are requested again.
    var failures: [TransferKey: TransferStatus] = [:]
    /// Of updates for which room was looked for, by their index: that is done again whenever some was made.
    var forecasts: [TransferKey: (local: Int, index: String, forecast: UpdateForecast)] = [:]
    var isClosed = false
    private var apps: [String: AppGenerations] = [:]
    var turn = TurnLock()
    private var settled: [TransferKey: [CheckedContinuation<Void, Never>]] = [:]

    /// - Parameters:
    ///   - state: the state folder; app roots are `apps/<bundle id>` in it.
    ///   - transfers: shared with others who transfer; nil makes one of its own.
    ///   - space: sees that there is room for what is fetched; nil looks at none.
    ///   - hostRule: asked before each attempt from where the app's packs may come.
    ///   - renewal: asked for the pack's entry of today when its server no longer takes the address.
    package init(
        state: FilePath, database: SQLiteDatabase, clients: any HTTPClientSource,
        governor: BandwidthGovernor = BandwidthGovernor(), log: Logger,
        configuration: StoreConfiguration = StoreConfiguration(), transfers: TransferDispatcher? = nil,
        space: SpaceKeeper? = nil,
        hostRule: @escaping @Sendable (_ app: String) async throws -> HostRule? = { _ in nil },
        renewal: @escaping Renewal = { _, _ in nil }
    ) {
        self.hostRule = hostRule
        self.renewal = renewal
        self.state = state
        self.database = database
        self.clients = clients
        self.governor = governor
        self.log = log
        self.configuration = configuration
        self.space = space
        self.transfers = transfers ?? TransferDispatcher(configuration.makeQueue())
        space?.attach(self)
        attach()
    }

    /// Events from this call on; all apps' with nil.
    package nonisolated func events(ofApp app: String?) -> AsyncStream<PackEvent> { hub.events(ofApp: app) }

    // MARK: - Apps

    func generations(of app: String) throws -> AppGenerations {
        if let known = apps[app] { return known }
        // A bundle id becomes a folder's name; nothing else may.
        guard FilePath.Component(app)?.kind == .regular else {
            throw StoreError(.notFound, "\(app) is no bundle identifier.")
        }
        let generations = AppGenerations(
            layout: AppRootLayout(root: state.appending("apps").appending(app)), log: log, sweeper: space?.sweeper,
            hook: configuration.commitHook)
        apps[app] = generations
        return generations
    }

    func forget(app: String) { apps[app] = nil }

    // MARK: - Stopping

    /// Waits until those of the transfers that were told to stop have stopped. Outside a turn.
    func settle(_ keys: [TransferKey]) async {
        for key in keys {
            if case .stopping = transfers.state(of: key) { await waitForEnd(of: key) }
        }
    }

    /// Waits until the transfer's attempt that runs now has ended.
    func waitForEnd(of key: TransferKey) async {
        guard jobs[key]?.fetch != nil else { return }
        await withCheckedContinuation { settled[key, default: []].append($0) }
    }

    private func tellSettled(_ key: TransferKey) {
        for continuation in settled.removeValue(forKey: key) ?? [] { continuation.resume() }
    }

    // MARK: - Carrying out

    func carryOut(_ action: TransferQueue.Action) async {
        switch action {
        case .start(let key): await start(key)
        case .stop(let key): jobs[key]?.fetch?.attempt.stop()
        case .discard(let key): await discard(key)
        case .tellPaused(let key): tell(key, .paused)
        case .tellWaiting(let key, let wait):
            let error = jobs[key]?.lastError ?? StoreError(.network, "The download broke off.")
            tell(key, .waiting(retryInSeconds: wait / .seconds(1), error))
        case .tellFailed(let key): await fail(key)
        case .tellCancelled(let key): await end(key, cancelled: true)
        case .tellFinished(let key): await end(key, cancelled: false)
        case .tellHold(let key, let reason):
            jobs[key]?.hold = reason
            if let reason { tell(key, .held(reason)) }
        }
    }

    func tell(_ key: TransferKey, _ change: PackEvent.Change) {
        guard let request = jobs[key]?.request else { return }
        hub.tell(PackEvent(app: key.app, pack: request.pack, kind: request.kind, change: change))
    }

    private func start(_ key: TransferKey) async {
        do {
            let permitsHost = try await hostRule(key.app)
            guard let request = jobs[key]?.request, !isClosed else { return }
            let fetch = PackFetch(
                PackDownload(request.pack), generations: try generations(of: key.app),
                attempt: TransferAttempt(
                    client: try clients.client(),
                    share: TransferAttempt.Share(
                        governor: governor, key: key,
                        rankClass: request.rankClass)),
                options: configuration.pipelineOptions, permitsHost: permitsHost, makeRoom: roomCheck(key, request.pack)
            ) { [weak self] progress in
                Task { await self?.note(progress, key) }
            }
            jobs[key]?.fetch = fetch
            jobs[key]?.meter = RateMeter()
            tell(key, .began)
            try runAttempt(fetch.run) { await self.ended(key, fetch, await self.renewed(key, fetch, $0)) }
        } catch {
            let failure = FetchFailure(error, pack: key.pack, brought: false)
            jobs[key]?.fetch = nil
            jobs[key]?.lastError = failure.error
            await transfer { $0.ended(key, .permanent, jitter: 0, now: .now) }
        }
    }

    private func note(_ progress: PackFetch.Progress, _ key: TransferKey) {
        guard var job = jobs[key], job.fetch != nil else { return }
        let before = job.progress?.downloaded ?? progress.downloaded
        job.meter.add(total: progress.downloaded, at: .now)
        if progress.downloaded > before { job.renewals = 0 }
        job.progress = progress
        jobs[key] = job
        tell(
            key,
            .progress(
                PackProgress(
                    written: max(0, progress.downloaded - before), downloaded: progress.downloaded,
                    expected: progress.expected, unpacked: progress.unpacked,
                    bytesPerSecond: job.meter.bytesPerSecond)))
    }

    private func ended(_ key: TransferKey, _ fetch: PackFetch, _ failure: FetchFailure?) async {
        await inTurn {
            guard jobs[key]?.fetch === fetch else { return }
            jobs[key]?.fetch = nil
            if let failure, failure.outcome != .stopped {
                jobs[key]?.lastError = failure.error
                log.notice(
                    "A download ended early", ["app": key.app, "pack": key.pack, "error": failure.error.description])
            }
            if failure == nil { await recordLocal(key, fetch.tally.withLock { $0 }) }
            if !isClosed {
                await transfer {
                    $0.ended(key, failure?.outcome ?? .finished, jitter: Double.random(in: 0...1), now: .now)
                }
            }
            tellSettled(key)
        }
        await space?.relieve()
    }

    private func recordLocal(_ key: TransferKey, _ tally: PackArrival?) async {
        guard let request = jobs[key]?.request else { return }
        do {
            try await database.write { try $0.recordLocal(request, tally) }
        } catch {
            // The disk has the pack; the next start puts the row right.
            log.error("A local pack could not be recorded", ["pack": key.description, "error": "\(error)"])
        }
    }

    func discard(_ key: TransferKey) async {
        do {
            let generations = try generations(of: key.app)
            let staged = StagedPack(layout: generations.layout, id: key.pack)
            try await offload {
                try staged.remove()
                // A commit that failed half-way has moved its files out of staging.
                generations.collect()
            }
        } catch {
            log.warning("Staged files could not be deleted", ["pack": key.description, "error": "\(error)"])
        }
    }

    // MARK: - Ends

    private func end(_ key: TransferKey, cancelled: Bool) async {
        guard let job = jobs[key] else { return }
        var change = PackEvent.Change.failed(
            StoreError(.cancelled, "The download of the pack \(key.pack) was cancelled."))
        if cancelled {
            await write { try $0.deleteTransfer(key) }
        } else {
            let local = try? await localPacks(app: key.app).first { $0.id == key.pack }
            if let local { change = .finished(local) }
        }
        hub.tell(PackEvent(app: key.app, pack: job.request.pack, kind: job.request.kind, change: change))
        jobs[key] = nil
    }

    private func fail(_ key: TransferKey) async {
        guard let job = jobs[key] else { return }
        let error = job.lastError ?? StoreError(.network, "The download of the pack \(key.pack) broke off.")
        failures[key] = status(key, job, .failed)
        await write { try $0.setFailed(error.description, key) }
        tell(key, .failed(error))
        jobs[key] = nil
    }

    /// Changes rows whose loss a start puts right; trouble is logged.
    func write(_ body: @Sendable (borrowing Connection) throws -> Void) async {
        do {
            try await database.write(body)
        } catch {
            log.error("The database cannot be written", ["error": "\(error)"])
        }
    }

    func status(_ key: TransferKey, _ job: Job, _ state: TransferStatus.State) -> TransferStatus {
        TransferStatus(
            app: key.app, pack: key.pack, version: job.request.pack.version, kind: job.request.kind, state: state,
            downloaded: job.progress?.downloaded ?? 0,
            expected: job.progress?.expected ?? job.request.pack.downloadSize,
            bytesPerSecond: state == .downloading ? job.meter.bytesPerSecond : 0,
            lastError: job.lastError?.description, hold: state == .queued || state == .waiting ? job.hold : nil,
            isRepair: job.isRepair)
    }
}
