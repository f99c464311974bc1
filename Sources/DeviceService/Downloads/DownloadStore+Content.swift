// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import Kit

/// What an extension named for a content request (C3, C4): held until the install lets it go.
extension DownloadStore {
    /// What came of an answer.
    struct Taken: Sendable {
        /// Essential first, then by priority.
        var downloads: [Download] = []
        var refused: [(download: DownloadDescription, error: DeviceError)] = []
    }

    /// An install or update begins: the ends of its essential downloads are told afterwards, in one go.
    func beginInstall(_ app: String) { installing.insert(app) }

    /// The essential downloads are over, or the install is: what ended is told, and the rest may go.
    /// - Returns: what went wrong with the extension that was told.
    func endInstall(_ app: String) async -> String? {
        installing.remove(app)
        deliver(app)
        return await waking[app]?.value
    }

    /// Takes back what an update that is undone had brought.
    func withdraw(_ identifiers: [String], app: String) async {
        for identifier in identifiers {
            let download = downloads[TransferKey(app: app, download: identifier)]
            guard let download, download.state == .held || download.description.isEssential else { continue }
            try? await cancel(identifier, app: app)
        }
    }

    /// The extension is being asked what to download, and schedules nothing meanwhile.
    func setAnswering(_ app: String, _ isAnswering: Bool) {
        if isAnswering { answering.insert(app) } else { answering.remove(app) }
    }

    /// Takes an answer, each download by itself: one that will not do keeps none of the others out. What is scheduled already
    /// stays as it is.
    /// - Parameter mayBeEssential: for install and update only.
    func take(
        _ answer: [DownloadDescription], app: String, mayBeEssential: Bool, _ facts: DownloadRules.Facts
    ) async throws -> Taken {
        try await inTurn {
            var facts = facts
            var taken = Taken()
            var fresh: [DownloadDescription] = []
            let ordered = answer.sorted {
                ($0.isEssential ? 1 : 0, $0.priority, $1.identifier) > (
                    $1.isEssential ? 1 : 0, $1.priority, $0.identifier
                )
            }
            for description in ordered {
                let key = TransferKey(app: app, download: description.identifier)
                if let known = downloads[key], known.state != .failed {
                    taken.downloads.append(known)
                    continue
                }
                do {
                    try DownloadRules.check(description, by: .answer(mayBeEssential: mayBeEssential), facts)
                    try await tools.groups.permit(app, downloadsInto: description.appGroup, beside: self)
                    guard !fresh.contains(where: { $0.identifier == description.identifier }) else {
                        throw DeviceError(
                            .alreadyScheduled, "The identifier \(key.pack) is in the extension's answer twice.")
                    }
                    try DownloadRules.restrict(description, &facts)
                    await apply(.acknowledged, to: key)
                    fresh.append(description)
                } catch let error as DeviceError {
                    taken.refused.append((description, error))
                }
            }
            taken.downloads += try await add(fresh, app: app, state: .held, facts)
            return taken
        }
    }

    /// Lets held downloads go. What has ended already is told to those who watch.
    /// - Parameter inFront: they come at once, whatever holds the background back.
    func release(_ identifiers: [String], app: String, inFront: Bool = false) async {
        guard !identifiers.isEmpty else { return }
        await inTurn {
            for identifier in identifiers {
                let key = TransferKey(app: app, download: identifier)
                if let download = downloads[key], download.state.hasEnded {
                    for watcher in (watchers[app] ?? [:]).values { watcher.yield(download) }
                }
                if inFront { await apply(.foreground(true), to: key) }
                await apply(.released, to: key)
            }
        }
    }

    /// Those of the numbers that stand for nothing any more: app or extension has heard of their end.
    func unknown(among numbers: [Int64]) -> [Int64] { numbers.filter { keys[$0] == nil } }

    /// Lets go what an install that is no more still held.
    func releaseAll(except apps: Set<String>) async {
        let held = downloads.filter { $0.value.state == .held && !apps.contains($0.key.app) }.keys
        for app in Set(held.map(\.app)) {
            await release(held.filter { $0.app == app }.map(\.pack).sorted(), app: app)
        }
    }

    /// Each change of an app's downloads, from now on.
    func watch(_ app: String) -> AsyncStream<Download> {
        let (stream, continuation) = AsyncStream<Download>.makeStream()
        guard !isClosed else {
            continuation.finish()
            return stream
        }
        nextListener += 1
        let id = nextListener
        watchers[app, default: [:]][id] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.unwatch(app, id) } }
        return stream
    }

    private func unwatch(_ app: String, _ id: Int) {
        watchers[app]?[id] = nil
        if watchers[app]?.isEmpty == true { watchers[app] = nil }
    }
}
