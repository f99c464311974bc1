// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport

/// Unmanaged downloads that the app schedules; its delegate hears of each end once.
extension Campaign {
    private var folder: FilePath {
        device.paths.state.appending("groups").appending("group.org.example.game").appending("Films")
    }

    /// Those in a folder whose file was taken.
    static func taken(in folder: FilePath) -> [FilmLedger.Instance] {
        let names = (try? FileDescriptor.currentDirectory.entries(at: folder).map(\.name)) ?? []
        return names.compactMap { name in
            let parts = name.split(separator: "~").map(String.init)
            return parts.count == 2 ? FilmLedger.Instance(identifier: parts[0], token: parts[1]) : nil
        }
    }

    /// Identifiers of those whose end the app was told.
    private func told() async -> Set<String> {
        let folder = folder
        let taken = (try? await offload { Self.taken(in: folder) }) ?? []
        return films.withLock { $0.failed.union(taken.map(\.identifier)) }
    }

    func publishFilms(_ script: RoundScript) throws {
        for film in script.films {
            let bytes = StampedFile(pack: "film", version: 1, path: film.id, size: film.size).bytes
            server.publish(try scratch.write(bytes, to: "films/\(film.id)"), as: "/films/\(film.id)")
        }
        films.withLock { $0 = FilmLedger() }
    }

    /// Schedules all, through kills of whoever is asked.
    func scheduleFilms(_ script: RoundScript) async {
        for film in script.films {
            while !Task.isCancelled, await !told().contains(film.id) {
                guard let reader = running.withLock({ $0.reader }) else { return }
                let known = starts.peek { $0 }
                let address = "\(server.baseURL)/films/\(film.id)"
                let answer = (try? await ask(reader, "schedule \(film.id) \(address) \(film.size)")) ?? "nobody there"
                if answer.hasPrefix("ok") || answer.contains("AlreadyScheduled") {
                    films.withLock { _ = $0.scheduled.insert(film.id) }
                    break
                }
                // A reader that was killed is started at once; a service that does not answer is on its way.
                if answer.hasPrefix("error") { await nextStart(after: known) }
            }
            if film.isAbandoned, let reader = running.withLock({ $0.reader }) {
                films.withLock { _ = $0.scheduled.remove(film.id) }
                _ = try? await ask(reader, "cancel \(film.id)")
            }
        }
    }

    /// Waits until each download that was taken on has ended and was told of.
    func awaitFilms(_ script: RoundScript) async throws {
        let end = ContinuousClock.now + .seconds(90)
        while true {
            await collect()
            let ended = await told()
            let missing = films.withLock { films in
                films.maySomethingBePurged ? [] : films.scheduled.subtracting(ended).subtracting(films.purged)
            }
            let left = try? await device.connect().send(CurrentDownloadsRequest(app: SampleApp.bundleID)).downloads
            if missing.isEmpty, left?.isEmpty == true { break }
            guard ContinuousClock.now < end else {
                let state = left.map { "\($0.map { "\($0.identifier) \($0.state.rawValue)" })" } ?? "unknown"
                throw Violation("ends of downloads are lost: \(missing.sorted()); still there: \(state)")
            }
            // Those that wait for their next try go on when somebody wants them at once.
            if let reader = running.withLock({ $0.reader }) { _ = try? await ask(reader, "promote") }
            await nextChange()
        }
        tally.count("downloads ended for the app", films.withLock { $0.scheduled.count })
        let folder = folder
        try await offload { try FileDescriptor.currentDirectory.removeTree(at: folder) }
        try await offload { try FileDescriptor.currentDirectory.makeDirectories(at: folder) }
    }

    /// Waits until the service has written to its database, as it does for everything that lasts, and for a moment at most.
    func nextChange() async {
        let isFirst = Locked(true)
        try? await FolderWatch.wait(in: device.paths.state, atMost: .milliseconds(200)) {
            isFirst.withLock { isFirst in
                defer { isFirst = false }
                return !isFirst
            }
        }
    }
}
