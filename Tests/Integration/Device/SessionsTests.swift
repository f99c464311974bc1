// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Glibc
import HTTP
import Kit
import System
import TestSupport
import Testing

/// Examples/Sessions, an app with unmanaged downloads, against a server over https (B4, B5, C3, C9).
@Suite(.serialized) struct SessionsTests {
    private static let app = "org.example.Sessions"
    private static let group = "group.org.example.Sessions"

    /// A film on the server.
    struct Film {
        var id: String
        var bytes: [UInt8]
        var isEssential = false
        /// What the list says of its size; nil tells the truth.
        var claimedSize: Int?
    }

    private struct Stage {
        let bench: Bench
        let films: [Film]

        func publish() throws {
            let base = bench.server.baseURL
            let folder = try bench.scratch.makeDirectory("films")
            for film in films {
                let file = folder.appending("\(film.id).film")
                try AtomicFile.write(film.bytes, to: file, durable: false)
                bench.server.publish(file, as: "/\(film.id).film")
            }
            let entries = films.map { film in
                """
                {"id":"\(film.id)","title":"\(film.id)","url":"\(base)/\(film.id).film",\
                "size":\(film.claimedSize ?? film.bytes.count),"essential":\(film.isEssential)}
                """
            }
            let list = folder.appending("sessions.json")
            try AtomicFile.write("{\"sessions\":[\(entries.joined(separator: ","))]}".utf8, to: list, durable: false)
            bench.server.publish(list, as: "/sessions.json")
        }

        func bundle(
            version: String = "1.0", keys: [String: String?] = [:], hasExtension: Bool = true
        ) throws -> FilePath {
            var fixture = AppFixture()
            fixture.hasExtension = hasExtension
            fixture.name = "Sessions"
            fixture.identifier = SessionsTests.app
            fixture.version = version
            fixture.keys = [
                "BAAppGroupID": "<string>\(SessionsTests.group)</string>",
                "BAManifestURL": "<string>\(bench.server.baseURL)/sessions.json</string>",
            ].merging(keys) { $1 }
            // A manifest is for an extension.
            if !hasExtension { fixture.keys["BAManifestURL"] = .some(nil) }
            let bundle = try fixture.write(in: try bench.scratch.makeDirectory("build-\(version)"))
            try copy("Sessions", to: bundle.appending("Sessions"))
            if hasExtension {
                try copy("SessionsDownloader", to: bundle.pushing("Extensions/Downloader.appex/Downloader"))
            }
            return bundle
        }

        /// Puts the list where the extension keeps it for the app.
        func writeList() throws {
            guard let film = films.first else { return }
            let folder = library(film).removingLastComponent()
            try FileDescriptor.currentDirectory.makeDirectories(at: folder, permissions: .directoryPrivate)
            try File.copy(
                from: bench.scratch("films").appending("sessions.json"), to: folder.appending("sessions.json"),
                permissions: .filePrivate)
        }

        private func copy(_ program: String, to place: FilePath) throws {
            let result = try ChildProcess.run(
                executable: "cp", arguments: [try Binaries.path(program).string, place.string])
            guard result.exitCode == 0 else { throw TestFailure(result.errorText) }
        }

        func library(_ film: Film) -> FilePath {
            bench.device.paths.state.appending("groups").appending(SessionsTests.group).appending("Films")
                .appending("\(film.id).film")
        }

        /// Waits until the film is whole in the library.
        func arrives(_ film: Film) async throws {
            let path = library(film)
            try FileDescriptor.currentDirectory.makeDirectories(
                at: path.removingLastComponent(), permissions: .directoryPrivate)
            try await FolderWatch.wait(in: path.removingLastComponent()) { (try? File.read(path)) == film.bytes }
        }
    }

    private func with(_ films: [Film], name: String = #function, _ body: (Stage) async throws -> Void) async throws {
        try await Bench.with(fileCount: 1, fileSize: 10, name: name) { bench in
            let stage = Stage(bench: bench, films: films)
            try stage.publish()
            try await body(stage)
        }
    }

    private func bytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return random.bytes(count, redundancy: false)
    }

    @Test func essentialFilmsAreThereWhenTheInstallIsDoneAndTheOthersFollow() async throws {
        let keynote = Film(id: "keynote", bytes: bytes(400_000, 1), isEssential: true)
        let talk = Film(id: "talk", bytes: bytes(300_000, 2))
        try await with([keynote, talk]) { stage in
            // The first answer breaks off in the middle, the others do not.
            stage.bench.server.spoil { request, number, response in
                guard request.path == "/keynote.film", number == 1 else { return }
                (response.behaviour.breaks, response.behaviour.breakOffset) = (.cut, 150_000)
            }
            let events = try await stage.bench.device.install(try stage.bundle(), until: .complete)
            let last = try #require(events.last)
            #expect(last.error == nil && last.phase == .complete, "\(last)")
            #expect(last.packs.map(\.id).sorted() == ["keynote", "talk"])
            #expect(last.completed == last.total && last.total > 400_000, "one figure over app and essential films")
            // The app was not there: the extension put them into the library.
            try await stage.arrives(keynote)
            try await stage.arrives(talk)
            let app = try await stage.bench.device.launch(Self.app)
            #expect(try await app.ask("list") == "ok keynote=here talk=here")
            #expect(try await app.ask("play keynote") == "ok keynote " + summary(keynote.bytes))
        }
    }

    @Test func aFilmThatIsOnItsWayComesToTheFrontAndAPurgedOneComesAgain() async throws {
        let talk = Film(id: "talk", bytes: bytes(600_000, 3))
        try await with([talk]) { stage in
            stage.bench.server.spoil { request, number, response in
                guard request.path == "/talk.film", number == 1 else { return }
                response.behaviour.bytesPerSecond = 300_000
            }
            _ = try await stage.bench.device.install(try stage.bundle())
            let app = try await stage.bench.device.launch(Self.app)
            #expect(try await app.ask("list") == "ok talk=missing")
            #expect(try await app.ask("play talk") == "ok talk " + summary(talk.bytes))
            #expect(app.lines.contains("finished talk"), "the delegate heard of it, not the extension")
            #expect(app.lines.contains { $0.hasPrefix("progress talk ") })
            #expect(stage.bench.server.requests("/talk.film") == 1, "promotion keeps every byte")
            // Somebody made room.
            try FileDescriptor.currentDirectory.remove(at: stage.library(talk))
            #expect(try await app.ask("list") == "ok talk=missing")
            #expect(try await app.ask("restore") == "ok talk")
            try await stage.arrives(talk)
        }
    }

    @Test func aFilmThatWasPurgedBeforeAnybodyTookItIsMissingAndComesAgain() async throws {
        let talk = Film(id: "talk", bytes: bytes(300_000, 16))
        try await with([talk]) { stage in
            let device = stage.bench.device
            // Nobody is there to take the film when it has come: the app has quit, and it has no extension.
            _ = try await device.install(try stage.bundle(hasExtension: false), until: .complete)
            try stage.writeList()
            stage.bench.server.slow(to: 150_000)
            let app = try await device.launch(Self.app)
            #expect(try await app.ask("restore") == "ok talk")
            try app.tell("quit")
            try await app.end()
            let connection = try await device.connect()
            try await eventually {
                let listed = try await connection.send(StorageRequest()).apps.first { $0.app == Self.app }
                return listed?.downloads?.first?.isFinished == true ? () : nil
            }
            let before = try await device.larder("storage")
            #expect(before.outputText.contains("talk"), "\(before.outputText)\(before.errorText)")
            let purged = try await device.larder("storage", "--purge", "1")
            #expect(
                purged.exitCode == 0 && purged.outputText.contains("talk"), "\(purged.outputText)\(purged.errorText)")
            #expect(!(try await device.larder("storage").outputText.contains("talk")))
            // As if it had never been fetched: nobody is told of an end, and nothing is an error.
            let again = try await device.launch(Self.app)
            #expect(try await again.ask("list") == "ok talk=missing")
            #expect(try await again.ask("play talk") == "ok talk " + summary(talk.bytes))
            #expect(again.lines.allSatisfy { !$0.hasPrefix("failed") && !$0.hasPrefix("lost") }, "\(again.lines)")
            #expect(again.lines.filter { $0 == "finished talk" }.count == 1)
            #expect(stage.bench.server.requests("/talk.film") == 2)
        }
    }

    @Test func filmsForMembersComeToWhoLogsInWithAppAndExtension() async throws {
        let talk = Film(id: "talk", bytes: bytes(100_000, 13))
        let late = Film(id: "late", bytes: bytes(100_000, 14))
        try await with([talk, late]) { stage in
            lock(stage)
            // Nobody has logged in: the extension, which is asked, has nothing to say, and both fail.
            _ = try await stage.bench.device.install(try stage.bundle(), until: .complete)
            let app = try await stage.bench.device.launch(Self.app)
            #expect(try await app.ask("login ann sesame") == "ok")
            #expect(try await app.ask("play talk") == "ok talk " + summary(talk.bytes))
            let told = app.lines.filter { $0 == "asked talk" || $0 == "finished talk" }
            #expect(told == ["asked talk", "finished talk"])
            // A service that knows nothing any more asks again; without the app it asks the extension.
            try app.tell("quit")
            try await app.end()
            try await stage.bench.device.kill()
            try await stage.bench.device.start()
            _ = try await stage.bench.device.connect().send(CheckRequest(app: Self.app))
            try await stage.arrives(late)
        }
    }

    /// Only for members, whose name and password app and extension know.
    private func lock(_ stage: Stage) {
        // "ann:sesame"
        stage.bench.server.spoil { request, _, response in
            guard request.path.hasSuffix(".film"), request.headers["Authorization"] != "Basic YW5uOnNlc2FtZQ=="
            else { return }
            response = HTTPServerResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"members\""])
        }
    }

    /// Has the app asked a question that it does not get to answer: it is stopped before.
    private func stopOverQuestion(_ stage: Stage) async throws -> RunningProgram {
        let device = stage.bench.device
        lock(stage)
        _ = try await device.install(try stage.bundle(), until: .complete)
        let app = try await device.launch(Self.app)
        #expect(try await app.ask("login ann sesame") == "ok")
        #expect(try await device.larder("settings", "set", "lowPowerMode", "on").exitCode == 0)
        #expect(try await app.ask("restore") == "ok talk")
        #expect(kill(app.processID, SIGSTOP) == 0)
        #expect(try await device.larder("settings", "set", "lowPowerMode", "off").exitCode == 0)
        let connection = try await device.connect()
        try await eventually {
            let transfers = try await connection.send(StatusRequest()).transfers
            return transfers.contains { $0.waitsFor == "an answer to what its server asks" } ? () : nil
        }
        return app
    }

    @Test func anAppThatIsKilledOverAQuestionLeavesItToTheExtension() async throws {
        let talk = Film(id: "talk", bytes: bytes(100_000, 17))
        try await with([talk]) { stage in
            let app = try await stopOverQuestion(stage)
            try await app.kill()
            try await stage.arrives(talk)
            #expect(!app.lines.contains("finished talk"))
        }
    }

    @Test func aServiceThatIsKilledOverAQuestionAsksAgain() async throws {
        let talk = Film(id: "talk", bytes: bytes(100_000, 18))
        try await with([talk]) { stage in
            let app = try await stopOverQuestion(stage)
            try await stage.bench.device.kill()
            try await stage.bench.device.start()
            #expect(kill(app.processID, SIGCONT) == 0)
            try await stage.arrives(talk)
            #expect(try await app.ask("play talk") == "ok talk " + summary(talk.bytes))
            #expect(!app.lines.contains { $0.hasPrefix("failed talk") })
        }
    }

    @Test func anEssentialFilmOfAnotherSizeFailsAndIsOfferedAgain() async throws {
        let liar = Film(id: "liar", bytes: bytes(1000, 4), isEssential: true, claimedSize: 999)
        let honest = Film(id: "honest", bytes: bytes(2000, 5), isEssential: true)
        try await with([liar, honest]) { stage in
            let events = try await stage.bench.device.install(try stage.bundle(), until: .complete)
            let last = try #require(events.last)
            #expect(last.phase == .complete && last.packs.first { $0.id == "liar" }?.state == .failed, "\(last)")
            try await stage.arrives(honest)
            // The extension scheduled it again as an ordinary one, which fails for the same reason.
            try await stage.bench.server.waitForRequests(path: "/liar.film", count: 2)
        }
    }

    @Test func aCheckBringsWhatIsNewAndAnUpdateAsksAgain() async throws {
        let first = Film(id: "first", bytes: bytes(50_000, 8))
        try await with([first]) { stage in
            let device = stage.bench.device
            _ = try await device.install(try stage.bundle(), until: .complete)
            try await stage.arrives(first)
            let second = Film(id: "second", bytes: bytes(60_000, 9))
            let later = Stage(bench: stage.bench, films: [first, second])
            try later.publish()
            let reply = try await device.connect().send(CheckRequest(app: Self.app))
            #expect(reply.apps.map(\.updating) == [["second"]] && reply.apps.first?.error == nil, "\(reply)")
            try await later.arrives(second)
            let third = Film(id: "third", bytes: bytes(70_000, 10), isEssential: true)
            let newest = Stage(bench: stage.bench, films: [first, second, third])
            try newest.publish()
            let events = try await device.install(try stage.bundle(version: "2.0"))
            #expect(events.last?.packs.map(\.id) == ["third"], "what is there is not asked for again")
            try await newest.arrives(third)
            #expect(stage.bench.server.requests("/first.film") == 1)
            // Nothing is left when the app goes.
            _ = try await device.connect().send(UninstallRequest(app: Self.app))
            #expect(!FileDescriptor.currentDirectory.exists(at: device.paths.appRoot(Self.app)))
        }
    }

    @Test func theRestrictionsBeforeTheFirstLaunchAreKept() async throws {
        let small = Film(id: "small", bytes: bytes(1000, 11))
        let large = Film(id: "large", bytes: bytes(5000, 12))
        try await with([small, large]) { stage in
            let keys = [
                "BAInitialDownloadRestrictions": """
                <dict><key>BADownloadAllowance</key><integer>2000</integer>
                <key>BAEssentialDownloadAllowance</key><integer>2000</integer>
                <key>BADownloadDomainAllowList</key><array><string>localhost</string></array></dict>
                """
            ]
            let events = try await stage.bench.device.install(try stage.bundle(keys: keys), until: .complete)
            let states = Dictionary(uniqueKeysWithValues: (events.last?.packs ?? []).map { ($0.id, $0) })
            #expect(states["small"]?.state == .local && states["large"]?.state == .declined)
            #expect(states["large"]?.error?.downloadProblem == .disallowedByAllowance)
            #expect(stage.bench.server.requests("/large.film") == 0)
            try await stage.arrives(small)
            let app = try await stage.bench.device.launch(Self.app)
            #expect(try await app.ask("restore") == "ok large", "the first launch lifts them")
            try await stage.arrives(large)
        }
    }

    @Test func whatIsInFrontStaysThereWhenTheServiceIsKilled() async throws {
        let talk = Film(id: "talk", bytes: bytes(900_000, 13))
        try await with([talk]) { stage in
            let device = stage.bench.device
            stage.bench.server.slow(to: 400_000)
            // In the background it would not come at all.
            _ = try await device.larder("settings", "set", "lowPowerMode", "on")
            _ = try await device.install(try stage.bundle(), until: .complete)
            let app = try await device.launch(Self.app)
            async let played = app.ask("play talk")
            _ = try await app.line { $0.hasPrefix("progress talk 3") || $0.hasPrefix("progress talk 4") }
            try await device.kill()
            try await device.start()
            #expect(try await played == "ok talk " + summary(talk.bytes))
            #expect(app.lines.filter { $0 == "finished talk" }.count == 1)
        }
    }

    @Test func aDeveloperSimulatesAnInstall() async throws {
        let first = Film(id: "first", bytes: bytes(40_000, 14), isEssential: true)
        try await with([first]) { stage in
            let device = stage.bench.device
            _ = try await device.install(try stage.bundle(), until: .complete)
            try await stage.arrives(first)
            let tool = stage.bench.scratch("backgroundassets-debug")
            try FileDescriptor.currentDirectory.makeSymbolicLink(to: try Binaries.path("larder").string, at: tool)
            @Sendable func simulate(_ event: String) throws -> ChildProcess.Output {
                try ChildProcess.run(
                    executable: tool, arguments: ["--simulate", event, "--app-bundle-id", Self.app],
                    environment: device.environment)
            }
            let refused = try await onOwnThread { try simulate("--app-install") }
            #expect(
                refused.exitCode != 0 && refused.errorText.contains("larder developer-mode on"), "\(refused.errorText)")
            #expect(try await device.larder("developer-mode", "on").exitCode == 0)
            let second = Film(id: "second", bytes: bytes(50_000, 15), isEssential: true)
            let later = Stage(bench: stage.bench, films: [first, second])
            try later.publish()
            let done = try await onOwnThread { try simulate("--app-install") }
            #expect(done.outputText == "\(Self.app): 1 to come, 0 removed: second\n", "\(done.errorText)")
            try await later.arrives(second)
            let app = try await device.launch(Self.app)
            #expect(try await app.ask("list") == "ok first=here second=here")
        }
    }

    @Test func theServiceIsKilledInTheMiddleAndNothingIsLost() async throws {
        let keynote = Film(id: "keynote", bytes: bytes(900_000, 6), isEssential: true)
        let talk = Film(id: "talk", bytes: bytes(500_000, 7))
        try await with([keynote, talk]) { stage in
            stage.bench.server.slow(to: 600_000)
            let app = try stage.bundle()
            let device = stage.bench.device
            let connection = try await device.connect()
            _ = try? await connection.stream(InstallRequest(path: app.string, until: .accepted)).first { _ in true }
            for round in 1...3 {
                try await stage.bench.server.waitForRequests(path: "/keynote.film", count: round)
                try await device.kill()
                try await device.start()
            }
            try await stage.arrives(keynote)
            try await stage.arrives(talk)
            let program = try await device.launch(Self.app)
            #expect(try await program.ask("list") == "ok keynote=here talk=here")
            program.closeInput()
            try await program.end()
        }
    }
}
