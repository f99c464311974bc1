// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import Kit
import System

/// Runs apps' downloader extensions, each in a sandbox, within its time and one at a time per app (C6).
///
/// Whatever the extension does, the caller gets an outcome in time. One that cannot be started, crashes, talks nonsense or takes
/// too long is ended, and the outcome, the log and `larder status` say so.
struct ExtensionHost: Sendable {
    /// What came of a run.
    struct Outcome<Answer: Sendable>: Sendable {
        /// nil when the conversation did not come to its end.
        var answer: Answer?
        /// What went wrong, for a person; nil when nothing did.
        var trouble: String?
    }

    /// As the settings have it at the time.
    let sandbox: @Sendable () -> ExtensionSandbox
    /// What extensions may have in their scratch folders, in bytes; nil for any.
    let storage: @Sendable () -> Int64?
    let usage: UsageStore
    let notes: NoteBoard
    let log: Logger
    /// How long the extension may take for all answers of one event.
    var timeLimit: Duration = .seconds(30)
    /// How long before its end by budget or time limit the extension is told.
    var notice: Duration = .seconds(2)
    /// How long it may take to end after the last answer, before it is killed.
    var grace: Duration = .seconds(2)
    /// An app's extension processes share a scratch folder and a budget.
    private let turns = AppTurns()

    init(
        sandbox: @escaping @Sendable () -> ExtensionSandbox, usage: UsageStore, notes: NoteBoard, log: Logger,
        timeLimit: Duration = .seconds(30), storage: @escaping @Sendable () -> Int64? = { FolderBound.standard }
    ) {
        self.sandbox = sandbox
        self.storage = storage
        self.usage = usage
        self.notes = notes
        self.log = log.named("extension")
        self.timeLimit = timeLimit
    }

    /// Starts the extension, has `body` talk to it on a thread that may block, and ends it.
    /// - Parameters:
    ///   - consequence: how the trouble's sentence goes on, such as "so all its packs are downloaded".
    ///   - onRequest: as `ExtensionSession` takes it.
    ///   - body: may throw what `ExtensionSession.call` throws.
    func run<Answer: Sendable>(
        _ subject: ExtensionSubject, consequence: String,
        onRequest: (@Sendable ([UInt8], ExtensionSession) -> Void)? = nil,
        _ body: @escaping @Sendable (ExtensionSession) throws -> Answer
    ) async -> Outcome<Answer> {
        await turns.take(subject.app)
        let (answer, end) = await runAlone(subject, onRequest, body)
        await turns.give(subject.app)
        guard let end else { return Outcome(answer: answer) }
        let trouble = "The extension \(subject.downloader.identifier) \(end.description); \(consequence)."
        notes.add(trouble, app: subject.app)
        log.warning("An extension came to a bad end.", ["app": subject.app, "what": end.description])
        return Outcome(answer: answer, trouble: trouble)
    }

    private func runAlone<Answer: Sendable>(
        _ subject: ExtensionSubject, _ onRequest: (@Sendable ([UInt8], ExtensionSession) -> Void)?,
        _ body: @escaping @Sendable (ExtensionSession) throws -> Answer
    ) async -> (Answer?, ExtensionEnd?) {
        let now = Timestamp.now.seconds
        // Without the row, what a new app has.
        let known = (try? await usage.usage(subject.app)) ?? UsageStore.Usage()
        let allowance = RuntimeBudget.allowance(known.history, at: now)
        let left = known.budget.remaining(known.history, at: now)
        guard left > .zero else { return (nil, .noTimeLeft(allowance: allowance)) }
        let host = self
        let limit = min(left, timeLimit)
        // All that it may use is counted first: a service that is killed meanwhile has counted too much, not nothing.
        await note(subject.app) { $0.spend(limit, at: now) }
        // The conversation waits for parts of the service that need the threads of `offload`.
        let run = try? await onOwnThread {
            host.converse(subject, limit: limit, wasLaunched: known.history.lastLaunch != nil, onRequest, body)
        }
        let spent = run?.spent ?? .zero
        await note(subject.app) { $0.settle(reserved: limit, spent: spent, at: now) }
        guard let run else { return (nil, .notStarted(reason: "no thread could be had")) }
        if case .late = run.end, left < timeLimit { return (run.answer, .overBudget(allowance: allowance)) }
        return (run.answer, run.end)
    }

    private func note(_ app: String, _ body: @escaping @Sendable (inout RuntimeBudget) -> Void) async {
        do {
            try await usage.change(app) { body(&$0.budget) }
        } catch {
            log.error("An extension's run time could not be noted.", ["app": app, "error": "\(error)"])
        }
    }

    private struct Run<Answer: Sendable>: Sendable {
        var answer: Answer?
        var end: ExtensionEnd?
        var spent: Duration = .zero
    }

    /// Blocks; the extension lives no longer than this call, and its thread.
    private func converse<Answer: Sendable>(
        _ subject: ExtensionSubject, limit: Duration, wasLaunched: Bool,
        _ onRequest: (@Sendable ([UInt8], ExtensionSession) -> Void)?, _ body: (ExtensionSession) throws -> Answer
    ) -> Run<Answer> {
        var run = Run<Answer>()
        let sandbox = sandbox()
        defer { sandbox.cleanUp(subject) }
        let session: ExtensionSession
        do {
            session = try ExtensionSession(
                subject, sandbox: sandbox, limit: limit, notice: notice,
                bounds: FolderBound.all(of: subject, storage: storage(), wasLaunched: wasLaunched) {
                    (try? $0.size()) ?? 0
                }, onRequest: onRequest)
        } catch {
            run.end = .notStarted(reason: "\(error)")
            return run
        }
        var failure: (any Error)?
        do {
            run.answer = try body(session)
        } catch {
            failure = error
        }
        run.spent = session.spent
        run.end = session.finish(after: failure, grace: grace)
        let said = session.said
        if !said.isEmpty { log.info("An extension said something.", ["app": subject.app, "text": said]) }
        return run
    }
}
