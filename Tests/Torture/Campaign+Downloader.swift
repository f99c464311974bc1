// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport

/// The app that nobody opens: its extension names what is downloaded and hears of each end once, whoever is killed.
extension Campaign {
    static let downloader = "com.example.films"
    static let list = "/films.list"
    private static let group = "group.org.example.films"

    var groupFolder: FilePath { device.paths.state.appending("groups").appending(Self.group) }
    private var journalFile: FilePath { groupFolder.appending("journal") }

    static func writeDownloader(into scratch: Scratch, manifestURL: String) throws -> FilePath {
        var app = SampleApp()
        app.identifier = downloader
        app.program = nil
        app.extensionProgram = "TortureDownloader"
        app.manifestURL = manifestURL
        app.keys = ["BAAppGroupID": "<string>\(group)</string>", "BAHasManagedAssetPacks": nil]
        return try app.write(into: scratch, named: "Films")
    }

    /// Offers the round's films, or none.
    func publishList(_ films: [RoundScript.Film]) throws {
        let lines = films.map {
            "\($0.id) \(server.baseURL)/films/\($0.id) \($0.size)\($0.isEssential ? " essential" : "")\n"
        }
        server.publish(try scratch.write("films\n" + lines.joined(), to: "films.list"), as: Self.list)
    }

    /// Has the extension asked what to download, and notes what the service has then.
    func simulate() async throws {
        _ = try await device.connect().send(SimulateRequest(app: Self.downloader, event: "periodic"))
        _ = try await look()
    }

    /// Identifiers of the downloads that have not ended, and of those whose file waits for somebody to be told.
    @discardableResult
    private func look() async throws -> [String] {
        let connection = try await device.connect()
        let found = try await connection.send(CurrentDownloadsRequest(app: Self.downloader)).downloads
        films.withLock {
            $0.see(found.map { FilmLedger.Instance(identifier: $0.identifier, token: $0.uniqueIdentifier) })
        }
        let apps = try await connection.send(StorageRequest()).apps
        return found.map(\.identifier)
            + apps.filter { $0.app == Self.downloader }.flatMap { $0.downloads ?? [] }.map(\.identifier)
    }

    // MARK: - After the faults

    /// Every download that the service had ends and is told of without another word; then the extension is asked again until
    /// it has everything.
    func awaitDownloader(_ script: RoundScript) async throws {
        let end = ContinuousClock.now + .seconds(90)
        try await awaitEnds(before: end)
        let wanted = Set(script.films.map(\.id))
        while !wanted.isSubset(of: try await ended().taken.map(\.identifier)) {
            guard ContinuousClock.now < end else {
                let taken = try await ended().taken.map(\.identifier)
                throw Violation("the extension never gets \(wanted.subtracting(taken).sorted())")
            }
            try await until("the extension is asked") { try await self.simulate() }
            try await awaitEnds(before: end)
        }
        let journal = try await ended().journal
        for violation in journal.violations { tally.violation("extension: \(violation)") }
        tally.count("questions to the extension", journal.questions)
        tally.count("ends told to the extension", journal.count)
    }

    /// Deletes what the extension wrote, for the next round.
    func clearDownloader() async throws {
        let (journal, folder) = (journalFile, groupFolder.appending("Films"))
        try await offload {
            for path in [journal, folder] { try FileDescriptor.currentDirectory.removeTree(at: path) }
        }
    }

    private func awaitEnds(before end: ContinuousClock.Instant) async throws {
        while true {
            let left: [String]? = try await until("the downloads are listed") { try await self.look() }
            let known = try await ended()
            let untold = films.withLock { $0.untold(known.all) }
            if left?.isEmpty == true, untold.isEmpty { return }
            guard ContinuousClock.now < end else {
                throw Violation(
                    "the extension is not told of \(untold.map(\.identifier)); still there: \(left ?? [])"
                )
            }
            let (folder, journal) = (groupFolder, journalFile)
            do {
                try await FolderWatch.wait(below: folder, atMost: .seconds(2)) {
                    Self.read(journal).count != known.journal.count
                        || Self.taken(in: folder.appending("Films")).count != known.taken.count
                }
            } catch is FolderWatch.TooLate {
                // An end over which the extension was killed, or a transfer that waits for its next try.
                tally.count("services killed while ends wait")
                try await killService()
            } catch Errno.noSuchFileOrDirectory {}
        }
    }

    private struct Ended: Sendable {
        var journal: ExtensionJournal
        var taken: [FilmLedger.Instance]
        var all: Set<FilmLedger.Instance> { journal.instances.union(taken) }
    }

    private func ended() async throws -> Ended {
        let (folder, journal) = (groupFolder.appending("Films"), journalFile)
        return try await offload { Ended(journal: Self.read(journal), taken: Self.taken(in: folder)) }
    }

    private static func read(_ journal: FilePath) -> ExtensionJournal {
        let bytes = (try? File.read(journal, limit: 16 << 20)) ?? []
        return ExtensionJournal(String(decoding: bytes, as: UTF8.self))
    }
}
