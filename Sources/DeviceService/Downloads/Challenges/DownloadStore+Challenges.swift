// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import Kit

/// A question to an app's delegate.
struct AppQuestion: Sendable {
    let key: TransferKey
    /// The connection that was asked.
    let listener: Int
    /// nil: the app left, or the question is of no use any more.
    let reply: AsyncStream<ChallengeAnswer?>.Continuation
}

/// Asking app or extension what to say to a download's server (BA 1.4, 1.5). While somebody is asked the download holds no
/// place, and others go on.
extension DownloadStore {
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
        let answer = await answer(to: question, key, number)
        await inTurn {
            // What was cancelled meanwhile, or scheduled anew under the same name, has nothing of this.
            guard downloads[key]?.number == number, var machine = challenges[key], !isClosed else { return }
            downloads[key]?.isChallenged = false
            let step =
                answer.map { machine.answered($0, to: question, app: key.app, &credentials) } ?? .retry
            challenges[key] = machine
            await follow(step, key)
        }
        await asking.give(key.app)
    }

    /// What app or extension says; default handling when neither does; nil when another download's answer serves.
    private func answer(
        to question: ChallengeMachine.Question, _ key: TransferKey, _ number: Int64?
    ) async -> ChallengeAnswer? {
        guard let download = downloads[key], download.number == number, !isClosed else { return .byDefault }
        if challenges[key]?.useKnown(question, app: key.app, credentials) == true { return nil }
        let id = (0..<2).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 16) }.joined()
        guard let description = challenges[key]?.describe(question, id: id) else { return .byDefault }
        tools.log.info(
            "A server asks for an answer.",
            ["app": key.app, "download": key.pack, "method": description.method.rawValue, "host": description.host])
        // An app that leaves without a word is followed by the extension, or by the same app, come again.
        while let listener = listeners[key.app]?.first(where: \.answersChallenges) {
            if let answer = await ask(listener, download, description, key) { return answer }
            guard downloads[key]?.number == number, !isClosed else { return .byDefault }
        }
        return await askExtension(download, description)
    }

    /// - Returns: nil when the app has left.
    private func ask(
        _ listener: DownloadListener, _ download: Download, _ description: ChallengeDescription, _ key: TransferKey
    ) async -> ChallengeAnswer? {
        let (replies, reply) = AsyncStream<ChallengeAnswer?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        questions[description.id] = AppQuestion(key: key, listener: listener.id, reply: reply)
        let limit = tools.answerTimeLimit
        let timer = Task {
            try await Task.sleep(for: limit)
            reply.yield(.byDefault)
        }
        defer {
            timer.cancel()
            questions[description.id] = nil
        }
        listener.emit(DownloadStep(.challenged, download.told, challenge: description))
        for await answer in replies { return answer }
        return .byDefault
    }

    /// An app's answer; one that nobody waits for does nothing.
    func answer(_ id: String, of app: String, with answer: ChallengeAnswer) {
        guard questions[id]?.key.app == app else { return }
        self.answer(id, with: answer)
    }

    func answer(_ id: String, with answer: ChallengeAnswer?) { questions[id]?.reply.yield(answer) }

    /// The download is over: nobody needs to answer for it.
    func endChallenges(_ key: TransferKey) {
        challenges[key] = nil
        for (id, question) in questions where question.key == key { answer(id, with: .byDefault) }
    }

    private func askExtension(_ download: Download, _ description: ChallengeDescription) async -> ChallengeAnswer {
        let app = download.app
        guard let bundle = try? await tools.registry.newestBundle(app, tools.bundles),
            !bundle.backgroundAssets.isManaged, let subject = ExtensionSubject(bundle, paths: tools.paths)
        else { return .byDefault }
        let answers = answers(to: app)
        let request = ChallengeRequest(download: download.told, challenge: description)
        let outcome = await tools.extensions.run(
            subject, consequence: "the server of \(download.description.identifier) got no answer",
            onRequest: { answers.take($0, $1) }
        ) { try $0.call(request) }
        await answers.end()
        return outcome.answer ?? .byDefault
    }
}
