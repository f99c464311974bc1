// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport

/// Unmanaged downloads: scheduled by the app, whose delegate hears of each end once.
extension Campaign {
    struct Film {
        var id: String
        var size: Int
        /// Whether it is cancelled as soon as it is scheduled.
        var isAbandoned = false
    }

    func films(_ script: RoundScript) -> [Film] {
        var random = SeededGenerator(seed: script.faultSeed)
        return (0..<Int.random(in: 2...8, using: &random)).map { number in
            Film(
                id: "film-\(script.number)-\(number)", size: Int.random(in: 100...500_000, using: &random),
                isAbandoned: Int.random(in: 0..<5, using: &random) == 0)
        }
    }

    private var folder: FilePath {
        device.paths.state.appending("groups").appending("group.org.example.game").appending("Films")
    }

    /// Those whose file was taken.
    private func taken() async -> Set<String> {
        let folder = folder
        let names = (try? await offload { try FileDescriptor.currentDirectory.entries(at: folder).map(\.name) }) ?? []
        return Set(names.compactMap { $0.split(separator: "~").first.map(String.init) })
    }

    func publishFilms(_ script: RoundScript) throws {
        for film in films(script) {
            let bytes = StampedFile(pack: "film", version: 1, path: film.id, size: film.size).bytes
            server.publish(try scratch.write(bytes, to: "films/\(film.id)"), as: "/films/\(film.id)")
        }
    }

    /// Schedules all, through kills of whoever is asked.
    func scheduleFilms(_ script: RoundScript) async {
        for film in films(script) {
            while !Task.isCancelled, await !taken().contains(film.id), !told.withLock({ $0.contains(film.id) }) {
                guard let reader = running.withLock({ $0.reader }) else { return }
                let address = "\(server.baseURL)/films/\(film.id)"
                let answer = (try? await ask(reader, "schedule \(film.id) \(address) \(film.size)")) ?? "nobody there"
                if answer.hasPrefix("ok") || answer.contains("AlreadyScheduled") {
                    scheduled.withLock { _ = $0.insert(film.id) }
                    break
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
            if film.isAbandoned, let reader = running.withLock({ $0.reader }) {
                scheduled.withLock { _ = $0.remove(film.id) }
                _ = try? await ask(reader, "cancel \(film.id)")
            }
        }
    }

    /// Waits until each download that was taken on has ended and was told of.
    func awaitFilms(_ script: RoundScript) async throws {
        let end = ContinuousClock.now + .seconds(90)
        while true {
            await collect()
            let ended = await taken().union(told.withLock { $0 })
            let missing = scheduled.withLock { $0 }.subtracting(ended)
            let left = try? await device.connect().send(CurrentDownloadsRequest(app: SampleApp.bundleID)).downloads
            if missing.isEmpty, left?.isEmpty == true { break }
            guard ContinuousClock.now < end else {
                let state = left.map { "\($0.map { "\($0.identifier) \($0.state.rawValue)" })" } ?? "unknown"
                throw Violation("ends of downloads are lost: \(missing.sorted()); still there: \(state)")
            }
            // Those that wait for their next try go on when somebody wants them at once.
            if let reader = running.withLock({ $0.reader }) { _ = try? await ask(reader, "promote") }
            try await Task.sleep(for: .milliseconds(50))
        }
        tally.count("downloads ended", scheduled.withLock { $0.count })
        scheduled.withLock { $0 = [] }
        told.withLock { $0 = [] }
        let folder = folder
        try await offload { try FileDescriptor.currentDirectory.removeTree(at: folder) }
        try await offload { try FileDescriptor.currentDirectory.makeDirectories(at: folder) }
    }
}
