// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

extension DownloadStore {
    /// Tells what needs no acknowledgement to all who listen.
    func tell(_ step: DownloadStep, _ app: String) {
        for listener in listeners[app] ?? [] where listener.isListening { listener.emit(step) }
    }

    /// Tells the ends that nobody has heard of yet: to the app when it listens, otherwise to its extension (C9).
    func deliver(_ app: String) {
        guard !installing.contains(app), !isClosed else { return }
        guard let index = listeners[app]?.firstIndex(where: \.isListening) else { return wake(app) }
        let told = told(app)
        for download in all(app) where download.state.hasEnded {
            guard let number = download.number, !told.contains(number) else { continue }
            noteUse(download)
            listeners[app]?[index].outstanding.insert(number)
            listeners[app]?[index].emit(end(of: download))
        }
    }

    /// Stays until the task is cancelled: the app is there, and hears of its downloads if it listens.
    /// - Parameters:
    ///   - foreground: identifiers of downloads that the app had in front before its last connection broke.
    ///   - answersChallenges: whether it says what to say to servers.
    func listen(
        _ app: String, isListening: Bool, foreground: [String], answersChallenges: Bool,
        emit: @escaping @Sendable (DownloadStep) -> Void
    ) async throws {
        _ = try await tools.registry.existing(app)
        nextListener += 1
        let id = nextListener
        listeners[app, default: []].append(
            DownloadListener(
                id: id, isListening: isListening, answersChallenges: isListening && answersChallenges, emit: emit))
        endWaiting(for: app)
        deliver(app)
        if !foreground.isEmpty { await inTurn { await bringToFront(foreground, app, id) } }
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        await leave(app, id)
    }

    private func leave(_ app: String, _ id: Int) async {
        // Not asked again while it waits for its turn to go.
        for index in (listeners[app] ?? []).indices where listeners[app]?[index].id == id {
            listeners[app]?[index].answersChallenges = false
        }
        for (question, asked) in questions where asked.listener == id { withdrawQuestion(question) }
        await inTurn {
            // A delegate may have heard, and its app not have lived to say so. Until that is known nobody else is told.
            let told = listeners[app]?.first { $0.id == id }?.outstanding ?? []
            for number in told { await settleHeard(number) }
            listeners[app]?.removeAll { $0.id == id }
            if listeners[app]?.isEmpty == true {
                listeners[app] = nil
                // What the app had in front goes on behind.
                for key in downloads.keys where key.app == app { await apply(.foreground(false), to: key) }
            }
            deliver(app)
        }
    }

    private func bringToFront(_ identifiers: [String], _ app: String, _ listener: Int) async {
        // It may have gone while this waited for its turn.
        guard listeners[app]?.contains(where: { $0.id == listener }) == true else { return }
        for identifier in identifiers {
            await apply(.foreground(true), to: TransferKey(app: app, download: identifier))
        }
    }

    /// An end as it is told to whoever has not heard of it.
    func end(of download: Download) -> DownloadStep {
        let places = places(download.app)
        return download.end(file: places.file(download).string, receipt: places.receipt(download).string)
    }

    /// Looks whether somebody has heard of an end that was told and not acknowledged: then it is told nobody again.
    func settleHeard(_ number: Int64) async { await settle(number, await hearing(of: number)) }

    private func hearing(of number: Int64) async -> DownloadPlaces.Hearing {
        guard let key = keys[number], let download = downloads[key], download.state.hasEnded else { return .unheard }
        let places = places(key.app)
        return (try? await offload { places.hearing(of: download) }) ?? .unheard
    }

    private func settle(_ number: Int64, _ hearing: DownloadPlaces.Hearing) async {
        guard let key = keys[number], let download = downloads[key] else { return }
        switch hearing {
        case .heard(let fact): await apply(fact, to: key)
        case .going: await waitForHearing(number, download)
        case .unheard: break
        }
    }

    /// A service that was restarted looks again when the app is through with what the one before had told it.
    private func waitForHearing(_ number: Int64, _ download: Download) async {
        guard reserved.insert(number).inserted else { return }
        let places = places(download.app)
        do {
            try WorkerThread.start(name: "larder-hearing") { [weak self] in
                places.waitUntilHeard(download)
                Task { await self?.heardOut(number, download.app) }
            }
        } catch {
            reserved.remove(number)
        }
    }

    private func heardOut(_ number: Int64, _ app: String) async {
        await inTurn {
            // Nobody is told before that is known.
            let hearing = await hearing(of: number)
            reserved.remove(number)
            await settle(number, hearing)
            deliver(app)
        }
    }

    /// Ends that somebody is being told: an app's delegate, or its extension.
    func told(_ app: String) -> Set<Int64> {
        Set((listeners[app] ?? []).flatMap(\.outstanding)).union(telling[app].map { [$0] } ?? []).union(reserved)
    }

    /// The delegate has returned: the file goes unless it was moved, and so does the download. Saying it again does nothing.
    /// An extension that runs at that time is told as well, before the file goes (C9).
    func acknowledge(_ number: Int64, app: String) async {
        await inTurn {
            for index in (listeners[app] ?? []).indices { listeners[app]?[index].outstanding.remove(number) }
            guard let key = keys[number], key.app == app, let download = downloads[key] else { return }
            guard sharing[app] != nil, download.state.hasEnded else { return await apply(.acknowledged, to: key) }
            let file = places(app).file(download)
            await apply(.shared, to: key)
            sharing[app]?.add(download.end(file: file.string, receipt: nil), file: file)
        }
    }
}
