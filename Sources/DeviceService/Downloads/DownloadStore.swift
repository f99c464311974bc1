// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import Database
import DeviceProtocol
import HTTP
import Kit
import System

/// Keeps the apps' unmanaged downloads: takes them, fetches them, and sees that app or extension hears of each one's end
/// (BA 1.1-1.5, C8, C9).
///
/// The actor carries out what `Download` and the transfer queue decide.
actor DownloadStore: TransferOwner {
    static let owner = TransferKey.Owner.downloads

    /// An attempt under way.
    struct Attempt {
        var fetch: DownloadFetch
        /// Of the download that it is for; the identifier may stand for another one meanwhile.
        var number: Int64
        var group: String
    }

    let tools: DownloadTools
    nonisolated let control = ExclusiveControl()

    var downloads: [TransferKey: Download] = [:]
    var keys: [Int64: TransferKey] = [:]
    private var attempts: [TransferKey: Attempt] = [:]
    private var meters: [TransferKey: RateMeter] = [:]
    /// The last trouble of downloads that go on.
    var troubles: [TransferKey: DeviceError] = [:]
    var listeners: [String: [DownloadListener]] = [:]
    var nextListener = 0
    /// Apps whose install or update is at its essential downloads: their ends are told afterwards, in one go.
    var installing: Set<String> = []
    /// Apps whose extension is being asked what to download; it schedules nothing meanwhile.
    var answering: Set<String> = []
    /// Apps whose extension is being told.
    var waking: [String: Task<String?, Never>] = [:]
    /// Ends that an app, whose connection broke, is still at, or whose file is just being deleted: nobody is told.
    var reserved: Set<Int64> = []
    /// What each of them is being told now.
    var telling: [String: Int64] = [:]
    /// What running extensions are told besides: ends that the app, which is there, has heard of.
    var sharing: [String: SharedEnds] = [:]
    /// Ends over which an extension failed: they wait for the app, or for the service's next start.
    var troublesome: Set<Int64> = []
    /// Answers what extensions ask; set before the first one runs.
    nonisolated let router = Locked(RequestRouter())
    /// Apps that were launched; the restrictions do not come back.
    var launched: Set<String> = []
    /// What answers the servers of each download that has met a challenge.
    var challenges: [TransferKey: ChallengeMachine] = [:]
    var credentials = CredentialStore()
    /// Questions that app's delegates are asked now.
    var questions: [String: AppQuestion] = [:]
    var returning = ReturningApps()
    /// One question of an app at a time: its answer may be that of others.
    let asking = AppTurns()
    /// Who waits for ends of an app's downloads, such as its install.
    var watchers: [String: [Int: AsyncStream<Download>.Continuation]] = [:]
    /// The last calls whose downloads are no more.
    var tickets = DownloadTickets()
    var isClosed = false
    var turn = TurnLock()
    private var settled: [Int64: [CheckedContinuation<Void, Never>]] = [:]

    init(_ tools: DownloadTools) {
        self.tools = tools
        tools.space.attach(self)
        attach()
    }

    nonisolated var transfers: TransferDispatcher { tools.transfers }

    func places(_ app: String) -> DownloadPlaces { DownloadPlaces(paths: tools.paths, app: app) }

    /// Waits until the attempt for this download has ended. Outside a turn.
    func settle(_ key: TransferKey, _ number: Int64) async {
        guard attempts[key]?.number == number else { return }
        await withCheckedContinuation { settled[number, default: []].append($0) }
    }

    // MARK: - Carrying out

    /// Tells a download what happened and does what follows.
    func apply(_ fact: Download.Fact, to key: TransferKey) async {
        guard var download = downloads[key] else { return }
        let actions = download.handle(fact)
        downloads[key] = download
        for action in actions { await perform(action, download, key) }
        if !actions.isEmpty { for watcher in (watchers[key.app] ?? [:]).values { watcher.yield(download) } }
    }

    private func perform(_ action: Download.Action, _ download: Download, _ key: TransferKey) async {
        switch action {
        case .save: await write { try $0.save(download) }
        case .forget: await forget(download, key)
        case .enqueue: await enqueue(download, key)
        case .rerank:
            tools.governor.rank(key, download.rankClass)
            await transfer { $0.rank(key, download.rankClass, now: .now) }
        case .pauseTransfer: await transfer { $0.pause(key, now: .now) }
        case .resumeTransfer: await transfer { $0.resume(key, now: .now) }
        case .withdraw: await transfer { $0.cancel(key, now: .now) }
        case .deleteFile: await delete { $0.file(download) }
        case .tell(let step): tell(step, key.app)
        case .deliver: deliver(key.app)
        }

        func delete(_ path: (DownloadPlaces) -> FilePath) async {
            let places = places(key.app)
            let path = path(places)
            do {
                try await offload { try places.remove(path) }
            } catch {
                tools.log.warning("A downloaded file could not be deleted.", ["file": "\(path)", "error": "\(error)"])
            }
        }
    }

    func enqueue(_ download: Download, _ key: TransferKey, paused: Bool = false) async {
        await transfer {
            $0.submit(
                key, host: TransferQueue.host(of: download.description.url), rankClass: download.rankClass,
                priority: download.description.priority, paused: paused, now: .now)
        }
    }

    private func forget(_ download: Download, _ key: TransferKey) async {
        if downloads[key]?.number == download.number { downloads[key] = nil }
        troubles[key] = nil
        endChallenges(key)
        guard let number = download.number else { return }
        keys[number] = nil
        let ticket = download.description.ticket
        if let ticket { tickets.add(ticket) }
        await write { try $0.deleteDownload(number, ticket: ticket) }
        if attempts[key]?.number != number { await discardPartial(number, key.app) }
        guard download.state.hasEnded else { return }
        let places = places(key.app)
        // What is left of receipts without a row goes at the next start.
        _ = try? await offload { try places.removeReceipts(download) }
    }

    private func discardPartial(_ number: Int64, _ app: String) async {
        let places = places(app)
        do {
            try await offload { try places.discardPartial(number) }
        } catch {
            tools.log.warning("A partial file could not be deleted.", ["app": app, "error": "\(error)"])
        }
    }

    /// Changes rows whose loss a start puts right; trouble is logged.
    func write(_ body: @Sendable (borrowing Connection) throws -> Void) async {
        do {
            try await tools.database.write(body)
        } catch {
            tools.log.error("The database cannot be written.", ["error": "\(error)"])
        }
    }

    // MARK: - Transfers

    func carryOut(_ action: TransferQueue.Action) async {
        switch action {
        case .start(let key): await start(key)
        case .stop(let key): attempts[key]?.fetch.attempt.stop()
        case .tellWaiting(let key, _): await apply(.interrupted, to: key)
        case .tellFailed(let key):
            let error = troubles[key] ?? DeviceError(.downloadNetwork, "The download of \(key.pack) broke off.")
            if let number = downloads[key]?.number { await discardPartial(number, key.app) }
            await apply(.broke(error), to: key)
        // Partial files go with their downloads; the rest was told when it was asked for.
        case .discard, .tellPaused, .tellCancelled, .tellFinished: break
        case .tellHold(let key, let reason):
            downloads[key]?.hold = reason
            guard let download = downloads[key] else { return }
            for watcher in (watchers[key.app] ?? [:]).values { watcher.yield(download) }
        }
    }

    private func start(_ key: TransferKey) async {
        guard let download = downloads[key], let number = download.number, !isClosed else { return }
        do {
            let attempt = TransferAttempt(
                client: try tools.clients.client(),
                share: TransferAttempt.Share(governor: tools.governor, key: key, rankClass: download.rankClass))
            let fetch = DownloadFetch(try await job(download, number), attempt: attempt) {
                [weak self] total, expected in
                Task { await self?.note(total, expected, key, number) }
            }
            attempts[key] = Attempt(fetch: fetch, number: number, group: download.description.appGroup)
            meters[key] = RateMeter()
            await apply(.began, to: key)
            try runAttempt(fetch.run) { await self.ended(key, fetch, $0) }
        } catch {
            attempts[key] = nil
            troubles[key] = DownloadFailure(starting: key.pack, error).error
            await transfer { $0.ended(key, .permanent, jitter: 0, now: .now) }
        }
    }

    private func job(_ download: Download, _ number: Int64) async throws -> DownloadFetch.Job {
        var job = DownloadFetch.Job(
            number: number, description: download.description, places: places(download.app), key: download.key,
            space: tools.space)
        if !download.description.isPack { job.challenges = await prepare(download.key, download.description.url) }
        guard !launched.contains(download.app) else { return job }
        job.permitsHost = try await tools.hosts.rule(download.app)
        if download.description.fileSize == nil {
            job.limit = DownloadRules.remaining(essential: false, try await facts(download.app))
        }
        return job
    }

    private func note(_ total: Int64, _ expected: Int64?, _ key: TransferKey, _ number: Int64) async {
        guard attempts[key]?.number == number, downloads[key]?.number == number else { return }
        meters[key]?.add(total: total, at: .now)
        troubles[key] = nil
        await apply(.progress(total: total, expected: expected), to: key)
    }

    private func ended(_ key: TransferKey, _ fetch: DownloadFetch, _ ending: DownloadFetch.Ending) async {
        await inTurn {
            guard let attempt = attempts[key], attempt.fetch === fetch else { return }
            attempts[key] = nil
            meters[key] = nil
            let isWanted = downloads[key]?.number == attempt.number
            var outcome = TransferQueue.Outcome.finished
            switch ending {
            case .arrived(let size):
                if isWanted { await apply(.arrived(size: size), to: key) } else { await drop(attempt, key) }
            case .challenged:
                outcome = .challenged
                if !isWanted { await drop(attempt, key) }
            case .failed(let error, let how):
                outcome = how
                guard isWanted else {
                    await drop(attempt, key)
                    break
                }
                if how != .stopped {
                    troubles[key] = error
                    tools.log.notice(
                        "A download ended early.",
                        ["app": key.app, "download": key.pack, "error": error.description])
                }
                await apply(.interrupted, to: key)
            }
            if !isClosed {
                await transfer { $0.ended(key, outcome, jitter: Double.random(in: 0...1), now: .now) }
                if case .challenged(let encounter) = ending, isWanted { await meet(encounter, key) }
            }
            for waiter in settled.removeValue(forKey: attempt.number) ?? [] { waiter.resume() }
        }
        await tools.space.relieve()
    }

    /// Deletes what an attempt left for a download that is not wanted any more.
    private func drop(_ attempt: Attempt, _ key: TransferKey) async {
        await discardPartial(attempt.number, key.app)
        let file = places(key.app).file(attempt.number, group: attempt.group)
        _ = try? await offload { try FileDescriptor.currentDirectory.remove(at: file) }
    }

    /// Bytes a second of a download under way; 0 for others.
    func rate(_ key: TransferKey) -> Double { meters[key]?.bytesPerSecond ?? 0 }

    /// Stops transfers where they can go on from.
    func close() async {
        isClosed = true
        for id in questions.keys { withdrawQuestion(id) }
        for app in returning.waiters.keys { endWaiting(for: app) }
        let running = attempts.map { ($0.key, $0.value) }
        for (_, attempt) in running { attempt.fetch.attempt.stop() }
        for (key, attempt) in running { await settle(key, attempt.number) }
        for watcher in watchers.values.flatMap(\.values) { watcher.finish() }
    }
}
