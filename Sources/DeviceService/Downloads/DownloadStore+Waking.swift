// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import Kit
import System

/// Telling an app's extension what ended while the app was not there (C9).
extension DownloadStore {
    /// Wakes the extension for the ends that nobody was told, one run for all of them. Each is acknowledged when the
    /// extension's method has returned. What it did not get to, because it crashed or ran out of time, waits for the app, or
    /// for the service's next start.
    func wake(_ app: String) {
        guard waking[app] == nil, !untold(app).isEmpty else { return }
        waking[app] = Task {
            let trouble = await self.tellExtension(app)
            self.slept(app)
            return trouble
        }
    }

    private func slept(_ app: String) {
        waking[app] = nil
        // What ended after the last look.
        deliver(app)
    }

    /// Ends that no listener has been told and no extension has failed at.
    private func untold(_ app: String) -> [Download] {
        let told = told(app)
        return all(app).filter { download in
            guard download.state.hasEnded, let number = download.number else { return false }
            return !told.contains(number) && !troublesome.contains(number)
        }
    }

    /// There is no extension that could be told, or it did not get as far as that: asking it again at once would not end.
    private func leaveToApp(_ app: String) { troublesome.formUnion(untold(app).compactMap(\.number)) }

    /// - Returns: what went wrong with the extension, for a person.
    private func tellExtension(_ app: String) async -> String? {
        guard let record = try? await tools.registry.app(app) else { return nil }
        let (bundles, paths) = (tools.bundles, tools.paths)
        guard let bundle = try? await offload({ try bundles.bundle(record) }), !bundle.backgroundAssets.isManaged,
            var subject = ExtensionSubject(bundle, paths: paths)
        else {
            leaveToApp(app)
            return nil
        }
        subject.folders = await otherGroups(subject)
        let store = self
        let answers = answers(to: app)
        let outcome = await tools.extensions.run(
            subject, consequence: "what it was not told waits for the app", onRequest: { answers.take($0, $1) }
        ) { session in
            try waitFor { await store.beginSharing(app) }
            defer { try? waitFor { await store.endSharing(app) } }
            // What ends meanwhile is told in the same run.
            while let step = try waitFor({ await store.nextForExtension(app) }) {
                _ = try session.call(BackgroundDownloadRequest(step: step))
                guard let number = step.number else { continue }
                try waitFor { await store.heard(number, app: app) }
            }
        }
        await answers.end()
        if outcome.trouble != nil {
            if let number = telling[app] {
                // It may have done its part before it came to its end.
                await inTurn { await settleHeard(number) }
                if keys[number] != nil { troublesome.insert(number) }
            } else {
                leaveToApp(app)
            }
        }
        telling[app] = nil
        return outcome.trouble
    }

    /// The folders of groups that the app has downloads in and does not name: the extension sees its own one anyway.
    func otherGroups(_ subject: ExtensionSubject) async -> [FilePath] {
        let folders = Set(all(subject.app).compactMap { tools.paths.groupFolder($0.description.appGroup) })
            .filter { $0 != subject.group }.sorted { $0.string < $1.string }
        return (try? await offload { folders.filter { FileDescriptor.currentDirectory.exists(at: $0) } }) ?? []
    }

    /// The next end for the extension; nil when there is none, or the app has come and listens: then nothing more is shared.
    private func nextForExtension(_ app: String) async -> DownloadStep? {
        if let shared = sharing[app]?.next() { return shared }
        guard !isClosed, listeners[app]?.contains(where: \.isListening) != true, let next = untold(app).first else {
            await endSharing(app)
            return nil
        }
        telling[app] = next.number
        let places = places(app)
        if next.state == .finished, let number = next.number {
            let isThere =
                (try? await offload { try places.size(number, group: next.description.appGroup) != nil }) ?? true
            if !isThere {
                // Purged before anybody could take it: it is as if it had never been fetched.
                await inTurn { await apply(.vanished, to: next.key) }
                return await nextForExtension(app)
            }
        }
        noteUse(next)
        return end(of: next)
    }

    private func heard(_ number: Int64, app: String) async {
        if let file = sharing[app]?.files.removeValue(forKey: number) { return await deleteShared(file, app) }
        await inTurn {
            // Not before its turn: an app that comes meanwhile is told nothing of it.
            telling[app] = nil
            guard let key = keys[number], key.app == app else { return }
            await apply(.acknowledged, to: key)
        }
    }

    // MARK: - What the app has heard of

    /// From now on the app's extension, which runs, is told what the app's delegate has heard.
    func beginSharing(_ app: String) { if sharing[app] == nil { sharing[app] = SharedEnds() } }

    /// The extension runs no longer: files that nobody took go.
    func endSharing(_ app: String) async {
        for file in (sharing.removeValue(forKey: app)?.files ?? [:]).values { await deleteShared(file, app) }
    }

    /// Tells an extension that answered a request what the app's delegate has heard meanwhile, and ends the sharing.
    nonisolated func tellShared(_ app: String, _ session: ExtensionSession) throws {
        while let step = try waitFor({ await self.nextShared(app) }) {
            _ = try session.call(BackgroundDownloadRequest(step: step))
            guard let number = step.number else { continue }
            try waitFor { await self.heard(number, app: app) }
        }
    }

    private func nextShared(_ app: String) async -> DownloadStep? {
        if let shared = sharing[app]?.next() { return shared }
        await endSharing(app)
        return nil
    }

    private func deleteShared(_ file: FilePath, _ app: String) async {
        let places = places(app)
        // Whatever is left without a row goes at the next start.
        _ = try? await offload { try places.remove(file) }
    }
}

/// Ends that an app's delegate has heard of, on their way to the extension that runs beside it.
struct SharedEnds: Sendable {
    private var steps: [DownloadStep] = []
    /// Files that stay until the extension has heard of them, by the ends' numbers.
    var files: [Int64: FilePath] = [:]

    mutating func add(_ step: DownloadStep, file: FilePath) {
        steps.append(step)
        if let number = step.number { files[number] = file }
    }

    mutating func next() -> DownloadStep? { steps.isEmpty ? nil : steps.removeFirst() }
}

/// Waits for a task on a thread that may block.
func waitFor<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) throws -> Result {
    let result = Monitor<Result?>(nil)
    Task {
        let value = await body()
        result.withLock { $0 = value }
    }
    return result.wait { $0 }
}
