// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import HTTP
import Kit

/// A question to an app's delegate.
struct AppQuestion: Sendable {
    let key: TransferKey
    /// The connection that was asked.
    let listener: Int
    let reply: AsyncStream<ChallengeReply>.Continuation
}

/// What comes of a question.
enum ChallengeReply: Sendable {
    case answer(ChallengeAnswer)
    /// Whoever was asked left, or the question is of no use any more.
    case left
    /// There was nobody to ask, or no answer in time.
    case silence
    /// Another download's answer serves.
    case known
}

/// Asking app or extension what to say to a download's server (BA 1.4, 1.5). While somebody is asked the download holds no
/// place, and others go on.
extension DownloadStore {
    /// A download is about to ask its server.
    func prepare(_ key: TransferKey, _ url: String) async -> ChallengeMachine {
        var machine = challenges[key, default: ChallengeMachine()]
        let judgements = credentials.judgements(app: key.app)
        machine.begin(judgements, asksForTrust: false)
        if let origin = HTTPOrigin(url), machine.isUnjudged(origin) {
            machine.begin(judgements, asksForTrust: await mayBeAsked(key))
        }
        challenges[key] = machine
        return machine
    }

    /// Whether somebody is there to answer for a download's app, or may come back.
    private func mayBeAsked(_ key: TransferKey) async -> Bool {
        if listeners[key.app]?.contains(where: \.answersChallenges) == true { return true }
        if let number = downloads[key]?.number, isExpectedBack(key.app, number) { return true }
        return await subject(key.app) != nil
    }

    /// The extension that answers for the app; nil when it has none that does.
    private func subject(_ app: String) async -> ExtensionSubject? {
        guard let bundle = try? await tools.registry.newestBundle(app, tools.bundles),
            !bundle.backgroundAssets.isManaged
        else { return nil }
        return ExtensionSubject(bundle, paths: tools.paths)
    }

    /// A server has asked something. In a turn.
    func meet(_ encounter: ChallengeMachine.Encounter, _ key: TransferKey) async {
        let step = challenges[key, default: ChallengeMachine()].met(encounter, app: key.app, &credentials)
        await follow(step, key)
    }

    private func follow(_ step: ChallengeMachine.Step, _ key: TransferKey) async {
        switch step {
        case .retry: await transfer { $0.answered(key, now: .now) }
        case .fail(let error):
            challenges[key]?.dropAll(app: key.app, &credentials)
            troubles[key] = error
            tools.log.notice(
                "A server's challenge was not met.",
                ["app": key.app, "download": key.pack, "error": error.description])
            await transfer { $0.refuse(key) }
        case .ask(let question):
            downloads[key]?.isChallenged = true
            let number = downloads[key]?.number
            Task { await self.ask(question, key, number) }
        }
    }

    private func ask(_ question: ChallengeMachine.Question, _ key: TransferKey, _ number: Int64?) async {
        await asking.take(key.app)
        let reply = await reply(to: question, key, number)
        await inTurn {
            // What was cancelled meanwhile, or scheduled anew under the same name, has nothing of this.
            guard downloads[key]?.number == number, var machine = challenges[key], !isClosed else { return }
            downloads[key]?.isChallenged = false
            let step: ChallengeMachine.Step =
                switch reply {
                case .answer(let answer): machine.answered(answer, to: question, app: key.app, &credentials)
                case .silence, .left: machine.unanswered(question)
                case .known: .retry
                }
            challenges[key] = machine
            await follow(step, key)
        }
        await asking.give(key.app)
    }

    /// What app or extension says, or that neither needs to or does.
    private func reply(
        to question: ChallengeMachine.Question, _ key: TransferKey, _ number: Int64?
    ) async -> ChallengeReply {
        // An extension is there to be asked whoever else is not.
        if let number, await subject(key.app) == nil { await waitForReturn(of: key.app, number) }
        guard let download = downloads[key], download.number == number, !isClosed else { return .left }
        if challenges[key]?.useKnown(question, app: key.app, credentials) == true { return .known }
        let id = (0..<2).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 16) }.joined()
        guard let description = challenges[key]?.describe(question, id: id) else { return .left }
        tools.log.info(
            "A server asks for an answer.",
            ["app": key.app, "download": key.pack, "method": description.method.rawValue, "host": description.host])
        // An app that leaves without a word is followed by the extension, or by the same app, come again.
        while let listener = listeners[key.app]?.first(where: \.answersChallenges) {
            let reply = await ask(listener, download, description, key)
            if case .left = reply {} else { return reply }
            guard downloads[key]?.number == number, !isClosed else { return .left }
        }
        return await askExtension(download, description)
    }

    private func ask(
        _ listener: DownloadListener, _ download: Download, _ description: ChallengeDescription, _ key: TransferKey
    ) async -> ChallengeReply {
        let (replies, reply) = AsyncStream<ChallengeReply>.makeStream(bufferingPolicy: .bufferingOldest(1))
        questions[description.id] = AppQuestion(key: key, listener: listener.id, reply: reply)
        let limit = tools.answerTimeLimit
        let timer = Task {
            try await Task.sleep(for: limit)
            reply.yield(.silence)
        }
        defer {
            timer.cancel()
            questions[description.id] = nil
        }
        listener.emit(DownloadStep(.challenged, download.told, challenge: description))
        for await reply in replies { return reply }
        return .left
    }

    /// An app's answer; one that nobody waits for does nothing.
    func answer(_ id: String, of app: String, with answer: ChallengeAnswer) {
        guard questions[id]?.key.app == app else { return }
        questions[id]?.reply.yield(.answer(answer))
    }

    /// Whoever was asked has gone, or nobody needs to answer any more.
    func withdrawQuestion(_ id: String) { questions[id]?.reply.yield(.left) }

    /// The download is over: nobody needs to answer for it.
    func endChallenges(_ key: TransferKey) {
        challenges[key] = nil
        for (id, question) in questions where question.key == key { withdrawQuestion(id) }
    }

    private func askExtension(_ download: Download, _ description: ChallengeDescription) async -> ChallengeReply {
        let app = download.app
        guard let subject = await subject(app) else { return .silence }
        let answers = answers(to: app)
        let request = ChallengeRequest(download: download.told, challenge: description)
        let outcome = await tools.extensions.run(
            subject, consequence: "the server of \(download.description.identifier) got no answer",
            onRequest: { answers.take($0, $1) }
        ) { try $0.call(request) }
        await answers.end()
        return outcome.answer.map { .answer($0) } ?? .silence
    }
}
