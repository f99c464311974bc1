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
            listeners[app]?[index].outstanding.insert(number)
            listeners[app]?[index].emit(download.end(file: places(app).file(download).string))
        }
    }

    /// Stays until the task is cancelled: the app is there, and hears of its downloads if it listens.
    func listen(_ app: String, isListening: Bool, emit: @escaping @Sendable (DownloadStep) -> Void) async throws {
        _ = try await tools.registry.existing(app)
        nextListener += 1
        let id = nextListener
        listeners[app, default: []].append(DownloadListener(id: id, isListening: isListening, emit: emit))
        deliver(app)
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        await leave(app, id)
    }

    private func leave(_ app: String, _ id: Int) async {
        await inTurn {
            let gone = listeners[app]?.first { $0.id == id }
            listeners[app]?.removeAll { $0.id == id }
            if listeners[app]?.isEmpty == true {
                listeners[app] = nil
                // What the app had in front goes on behind.
                for key in downloads.keys where key.app == app { await apply(.foreground(false), to: key) }
            }
            // A file that is gone was moved by a delegate that did not live to say so.
            for number in gone?.outstanding ?? [] { await checkFile(number) }
            deliver(app)
        }
    }

    private func checkFile(_ number: Int64) async {
        guard let key = keys[number], let download = downloads[key], download.state == .finished else { return }
        let places = places(key.app)
        let isThere = (try? await offload { places.exists(places.file(download)) }) ?? true
        if !isThere { await apply(.vanished, to: key) }
    }

    /// Ends that somebody is being told: an app's delegate, or its extension.
    func told(_ app: String) -> Set<Int64> {
        Set((listeners[app] ?? []).flatMap(\.outstanding)).union(telling[app].map { [$0] } ?? [])
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
            sharing[app]?.add(download.end(file: file.string), file: file)
        }
    }
}
