// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Makes apps' periodic requests when they are due (C5). It sleeps until the first is, and not at all while none ever will be.
actor PeriodicScheduler {
    /// What the scheduler works with.
    struct Tools: Sendable {
        let registry: AppRegistry
        let usage: UsageStore
        let settings: SettingsFile
        let conditions: ConditionsReader
        let log: Logger
        /// Makes the request of one app; it says itself what went wrong.
        let check: @Sendable (_ app: String) async -> Void
        var now: @Sendable () -> Int64 = { Timestamp.now.seconds }
        var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    }

    /// The shortest sleep, in seconds: while it sleeps the next request moves a little further off, as launches fade.
    static let resolution: Int64 = 600

    private let tools: Tools
    private var timer: Task<Void, Never>?
    private var isStopped = false
    /// Requests are being made: they are not broken off for a new plan, which follows them.
    private var isAtWork = false
    private var mustReplan = false

    init(_ tools: Tools) { self.tools = tools }

    /// Something changed that the plan rests on: apps, launches, settings.
    func replan() {
        guard !isStopped else { return }
        guard !isAtWork else {
            mustReplan = true
            return
        }
        timer?.cancel()
        timer = Task { await self.run() }
    }

    func stop() async {
        isStopped = true
        timer?.cancel()
        await timer?.value
    }

    private func run() async {
        do {
            while !Task.isCancelled {
                guard let wait = try await plan() else { return }
                try await tools.sleep(.seconds(max(Self.resolution, wait)))
            }
        } catch is CancellationError {
        } catch {
            tools.log.error("Periodic requests stop until something changes.", ["error": "\(error)"])
        }
    }

    private func plan() async throws -> Int64? {
        isAtWork = true
        defer { isAtWork = false }
        while true {
            mustReplan = false
            let wait = try await pass()
            if !mustReplan { return wait }
        }
    }

    /// Makes the requests that are due.
    /// - Returns: seconds until the next is; nil when none will be.
    private func pass() async throws -> Int64? {
        var next: Int64?
        let now = tools.now()
        var conditions: Conditions?
        for record in try await tools.registry.apps() {
            try Task.checkCancellation()
            let facts = try await facts(record.id, now)
            // The machine is asked only when something is due, and once.
            if let due = PeriodicPlanner.due(facts, at: now), due <= now, conditions == nil {
                let (reader, settings) = (tools.conditions, tools.settings.current)
                conditions = try await offload { reader.read(settings) }
            }
            switch PeriodicPlanner.decide(facts, conditions ?? Conditions(), at: now) {
            case .never: continue
            case .at(let time): next = min(next ?? time, time)
            case .now:
                tools.log.info("A periodic request is due.", ["app": record.id])
                // Noted first: a request that brings the service down must not be the first thing after every start.
                let usage = try await tools.usage.change(record.id) { $0.lastCheck = now }
                await tools.check(record.id)
                let again = now + PeriodicPlanner.interval(usage.history, at: now)
                next = min(next ?? again, again)
            }
        }
        return next.map { $0 - now }
    }

    private func facts(_ app: String, _ now: Int64) async throws -> PeriodicPlanner.Facts {
        var usage = try await tools.usage.usage(app)
        if usage.lastCheck.map({ $0 > now }) ?? true {
            usage = try await tools.usage.change(app) { $0.lastCheck = now }
        }
        return PeriodicPlanner.Facts(
            history: usage.history, lastCheck: usage.lastCheck, isClosed: usage.isClosed,
            allowsBackgroundRefresh: tools.settings.current.allowsBackgroundRefresh(app),
            jitter: PeriodicPlanner.jitter(app, usage.lastCheck))
    }
}
