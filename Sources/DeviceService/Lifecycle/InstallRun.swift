// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import Kit

/// Carries out what an install machine says, one fact after the other, and tells those who watch.
actor InstallRun {
    nonisolated let app: String
    let tools: InstallTools
    private(set) var machine: InstallMachine

    private struct Posted: Sendable {
        enum News: Sendable {
            case fact(InstallMachine.Fact)
            /// Bytes per second of the step's own download.
            case rate(Double)
            /// As `InstallSteps.News`.
            case trouble(String?)
        }

        var news: News
        /// The step that posted it; nil for facts from outside. Those of steps that were overtaken do not count.
        var step: Int?
    }

    /// What trouble and rate of the steps go under, among those of packs.
    private static let stepTrouble = ""

    private let facts: AsyncStream<Posted>
    private let poster: AsyncStream<Posted>.Continuation
    private var step: (number: Int, task: Task<Void, Never>)?
    private var stepCount = 0
    private var watchers: [Int: AsyncStream<InstallEvent>.Continuation] = [:]
    private var watcherCount = 0
    private var rates: [String: Double] = [:]
    private var troubles: [String: String] = [:]
    private var following: Task<Void, Never>?
    private var followingDownloads: Task<Void, Never>?
    /// The extension was told how the essential downloads ended.
    private var areEndsTold = false
    /// Its end was told, and nothing of it is left.
    private var isOver = false

    init(_ machine: InstallMachine, _ tools: InstallTools) {
        self.machine = machine
        self.tools = tools
        app = machine.plan.app
        (facts, poster) = AsyncStream.makeStream()
    }

    /// Runs to the end; journaled at every step. Cancelling the task leaves the journal for the next start.
    /// - Parameter leave: forgets the run. Whoever hears of the end afterwards can begin the next one.
    func run(_ leave: @Sendable () async -> Void) async {
        let events = tools.store.events(ofApp: app)
        following = Task { [weak self] in
            for await event in events { await self?.follow(event) }
        }
        var heardOf: [Int64] = []
        if machine.plan.isUnmanaged {
            let changes = await tools.downloads.watch(app)
            followingDownloads = Task { [weak self] in
                for await download in changes { await self?.follow(download) }
            }
            if !machine.state.isLaunchable { await tools.downloads.beginInstall(app) }
            heardOf = await tools.downloads.unknown(among: machine.plan.pending().compactMap(\.downloadNumber))
        }
        await journal()
        report()
        await perform(machine.entry)
        // The service before this one had it told and was killed before the journal knew.
        for number in heardOf { post(.item(.download(number), .finished)) }
        await goOn()
        following?.cancel()
        followingDownloads?.cancel()
        if machine.plan.isUnmanaged, machine.state.isFinal { _ = await tools.downloads.endInstall(app) }
        let isCancelled = Task.isCancelled
        if !isCancelled { await conclude() }
        step?.task.cancel()
        await step?.task.value
        poster.finish()
        await leave()
        isOver = true
        if !isCancelled { report() }
        for watcher in watchers.values { watcher.finish() }
        watchers = [:]
    }

    /// Handles facts until the machine ends.
    private func goOn() async {
        // A service that was killed between the last fact and the journal's end leaves a machine for which none comes.
        if machine.state.isFinal { return }
        for await posted in facts {
            if let number = posted.step, number != step?.number { continue }
            switch posted.news {
            case .fact(let fact): await handle(fact)
            case .rate(let rate): rates[Self.stepTrouble] = rate
            case .trouble(let text): tellTrouble(text)
            }
            if machine.state.isFinal { break }
        }
    }

    /// Steers from outside: pause, resume, cancel.
    nonisolated func post(_ fact: InstallMachine.Fact) { poster.yield(Posted(news: .fact(fact), step: nil)) }

    /// Events from now on, the present state first; ends with the run.
    func watch() -> AsyncStream<InstallEvent> {
        watcherCount += 1
        let number = watcherCount
        let (stream, continuation) = AsyncStream<InstallEvent>.makeStream(bufferingPolicy: .bufferingNewest(256))
        // The end is told when all that belongs to it is done.
        if isOver || !machine.state.isFinal { continuation.yield(event) }
        if isOver {
            continuation.finish()
            return stream
        }
        watchers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.forget(number) }
        }
        return stream
    }

    var event: InstallEvent {
        var event = machine.event(bytesPerSecond: rates.values.reduce(0, +))
        event.notes += troubles.sorted { $0.key < $1.key }.map(\.value)
        return event
    }

    private func tellTrouble(_ text: String?) {
        troubles[Self.stepTrouble] = text
        if let text { tools.notes.add(text, app: app) }
        report()
    }

    private func forget(_ watcher: Int) { watchers[watcher] = nil }

    private func report() {
        let event = event
        for watcher in watchers.values { watcher.yield(event) }
    }

    private func handle(_ fact: InstallMachine.Fact) async {
        let before = machine.checkpoint
        let actions = machine.handle(fact)
        if machine.checkpoint != before { await journal() }
        if !machine.state.isFinal { report() }
        if machine.plan.isUnmanaged, machine.state.isLaunchable, !areEndsTold {
            // One batch after the essential downloads; then the rest may go.
            areEndsTold = true
            if let trouble = await tools.downloads.endInstall(app) { _ = machine.handle(.troubled(trouble)) }
        }
        await perform(actions)
    }

    private func follow(_ download: Download) {
        guard let number = download.number, machine.plan.item(.download(number)) != nil else { return }
        let fact: InstallMachine.ItemFact
        switch download.state {
        case .held, .waiting, .downloading, .paused:
            let hold = download.state == .waiting ? download.hold : nil
            fact = hold.map { .held($0) } ?? .progress(downloaded: download.total)
        case .finished: fact = .finished
        case .failed:
            fact = .failed(download.error ?? DeviceError(.failed, "\(download.description.identifier) failed."))
        }
        post(.item(.download(number), fact))
    }

    private func journal() async {
        do {
            try await tools.registry.journal(machine)
        } catch {
            // The install goes on: at worst a restart begins from an earlier step.
            tools.log.error("The install's journal could not be written.", ["app": app, "error": "\(error)"])
        }
    }

    private func follow(_ event: PackEvent) {
        let id = event.pack.id
        guard machine.plan.item(.pack(id))?.pack?.version == event.pack.version else { return }
        switch event.change {
        case .began, .paused:
            troubles[id] = nil
            rates[id] = nil
        case .progress(let progress):
            troubles[id] = nil
            rates[id] = progress.bytesPerSecond
            post(.item(.pack(id), .progress(downloaded: progress.downloaded, expected: progress.expected)))
        case .waiting(_, let error):
            rates[id] = nil
            troubles[id] = error.description
            report()
        case .held(let reason):
            rates[id] = nil
            post(.item(.pack(id), .held(reason)))
        case .finished:
            troubles[id] = nil
            rates[id] = nil
            post(.item(.pack(id), .finished))
        case .failed(let error):
            troubles[id] = nil
            rates[id] = nil
            post(.item(.pack(id), .failed(DeviceError(wrapping: error))))
        }
    }

    private func perform(_ actions: [InstallMachine.Action]) async {
        for action in actions {
            switch action {
            case .pauseItems:
                await quietly { try await $0.store.pause(app: $1, pack: nil) }
                await tools.downloads.pause(app: app, identifier: nil)
            case .resumeItems:
                await quietly { try await $0.store.resume(app: $1, pack: nil) }
                await tools.downloads.resume(app: app, identifier: nil)
            case .cancelItems(let keys):
                for item in keys.compactMap({ machine.plan.item($0) }) {
                    if let pack = item.pack { await quietly { try await $0.store.cancel(app: $1, pack: pack.id) } }
                    if let identifier = item.download { try? await tools.downloads.cancel(identifier, app: app) }
                }
            case .request(let items): await request(items)
            case .endStep: endStep()
            default: begin(action)
            }
        }
    }

    private func quietly(_ body: (InstallTools, String) async throws -> Void) async {
        do {
            try await body(tools, app)
        } catch {
            tools.log.error("The store of packs refused.", ["app": app, "error": "\(error)"])
        }
    }

    private func request(_ items: [PlannedItem]) async {
        let plan = machine.plan
        await tools.downloads.release(items.compactMap(\.download), app: app, inFront: plan.isSimulated)
        let packs = items.compactMap { PackRequest($0, of: plan) }
        guard !packs.isEmpty else { return }
        do {
            try await tools.store.request(packs)
        } catch {
            for pack in packs { post(.item(.pack(pack.pack.id), .failed(DeviceError(wrapping: error)))) }
        }
    }

    /// Nothing that the step still tells counts; the next one waits for its end.
    private func endStep() {
        step?.task.cancel()
        stepCount += 1
        if let task = step?.task { step = (stepCount, task) }
        rates[Self.stepTrouble] = nil
        troubles[Self.stepTrouble] = nil
    }

    /// Starts a step that runs beside the facts; the one before is overtaken, and has ended before this one begins.
    private func begin(_ action: InstallMachine.Action) {
        let previous = step?.task
        previous?.cancel()
        troubles[Self.stepTrouble] = nil
        rates[Self.stepTrouble] = nil
        stepCount += 1
        let number = stepCount
        let plan = machine.plan
        let steps = InstallSteps(plan: plan, tools: tools)
        let poster = poster
        let task = Task {
            await previous?.value
            if Task.isCancelled { return }
            let fact: InstallMachine.Fact
            do {
                fact = try await steps.perform(action) { news in
                    switch news {
                    case .copied(let bytes): poster.yield(Posted(news: .fact(.copied(bytes: bytes)), step: number))
                    case .fetched(let bytes, let rate):
                        poster.yield(Posted(news: .rate(rate), step: number))
                        poster.yield(Posted(news: .fact(.fetched(bytes: bytes)), step: number))
                    case .trouble(let text): poster.yield(Posted(news: .trouble(text), step: number))
                    }
                }
            } catch {
                fact = .failed(DeviceError(wrapping: error))
            }
            poster.yield(Posted(news: .fact(fact), step: number))
        }
        step = (number, task)
    }

    private func conclude() async {
        await InstallSteps(plan: machine.plan, tools: tools).conclude(machine)
        if let error = machine.error { tools.notes.add(error.message, app: app) }
        for item in machine.plan.items ?? [] where item.state == .failed {
            if let error = item.error { tools.notes.add(error.message, app: app) }
        }
    }
}

extension PackRequest {
    /// nil for what is no pack. What a developer simulates comes at once, whatever holds the background back.
    init?(_ item: PlannedItem, of plan: InstallPlan) {
        guard let pack = item.pack else { return nil }
        let kind: FetchKind =
            switch item.role {
            case .essential: .essential
            case .prefetch: .prefetch
            case .update: .update
            }
        self.init(app: plan.app, pack: pack, kind: kind, foreground: item.role == .essential || plan.isSimulated)
    }
}
