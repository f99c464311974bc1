// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// What an extension is asked and told, and when, beside its app (B4, C3, C5, C9).
@Suite(.timeLimit(.minutes(5))) struct ExtensionDeliveryTests {
    private typealias File = ProbeDownloaderHarness.File

    private func bytes(_ count: Int) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(count))
        return random.bytes(count, redundancy: false)
    }

    /// An app may use further groups; its extension must see a file that it is told of.
    @Test func aDownloadInAnotherGroupIsThereForTheExtension() async throws {
        try await ProbeDownloaderHarness.with { harness in
            let connection = try await harness.launchedApp()
            harness.service.server.serve([1, 2, 3], as: "one")
            var download = harness.service.download("one")
            download.appGroup = "group.org.example.other"
            try await harness.service.schedule(download, connection)
            try await harness.waitForLine("finished one here")
        }
    }

    @Test func anExtensionThatRunsIsToldWhatTheAppHasHeard() async throws {
        try await ProbeDownloaderHarness.with { harness in
            let connection = try await harness.launchedApp()
            try harness.prepareHold()
            async let check = harness.service.connect().send(CheckRequest(app: ServiceHarness.app))
            try await harness.waitUntilHeld()
            for name in ["left", "moved", "liar"] { harness.service.server.serve(bytes(1000), as: name) }
            var ears = DownloadEars(connection)
            try await harness.service.schedule(harness.service.download("left"), connection)
            let left = try await ears.end()
            #expect(try harness.files().count == 1, "the file stays for the extension")
            try await harness.service.schedule(harness.service.download("moved"), connection)
            let kept = harness.service.scratch("kept")
            try await ears.end { step in
                try FileDescriptor.currentDirectory.rename(from: FilePath(try #require(step.file)), to: kept)
            }
            try await harness.service.schedule(harness.service.download("liar", size: 9), connection)
            #expect(try await ears.end().change == .failed)
            #expect(left.download.identifier == "left" && harness.journal.last == "asked periodic")
            try await harness.release()
            _ = try await check
            #expect(
                harness.journal.suffix(4) == [
                    "asked periodic", "finished left here", "finished moved gone", "failed liar",
                ]
            )
            #expect(try harness.files() == [])
            #expect(try await harness.service.current(connection).isEmpty)
        }
    }

    @Test func whatTheExtensionIsBeingToldIsNotToldToAnAppThatComes() async throws {
        try await ProbeDownloaderHarness.with { harness in
            let connection = try await harness.launchedApp()
            for name in ["one", "two"] { harness.service.server.serve(bytes(1000), as: name) }
            try harness.prepareHold()
            try await harness.service.schedule(harness.service.download("one"), connection)
            try await harness.waitUntilHeld()
            var ears = DownloadEars(connection)
            try await harness.service.schedule(harness.service.download("two"), connection)
            #expect(try await ears.end().download.identifier == "two")
            try await harness.release()
            try await harness.waitForLine("finished two here")
            #expect(harness.journal.suffix(2) == ["finished one here", "finished two here"])
        }
    }

    @Test func whatAnExtensionTookBeforeItCrashedIsToldNobodyElse() async throws {
        try await ProbeDownloaderHarness.with { harness in
            let connection = try await harness.launchedApp()
            for name in ["one", "two"] { harness.service.server.serve(bytes(1000), as: name) }
            try Kit.AtomicFile.write([], to: harness.group.appending("perish"), durable: false)
            try await harness.service.schedule(harness.service.download("one"), connection)
            try await FolderWatch.wait(in: harness.group) {
                FileDescriptor.currentDirectory.exists(at: harness.group.appending("taken"))
            }
            var ears = DownloadEars(connection)
            try await harness.service.schedule(harness.service.download("two"), connection)
            #expect(try await ears.end().download.identifier == "two")
            #expect(harness.journal.suffix(1) == ["finished one here"])
            #expect(try await harness.service.packs().isEmpty && harness.files().isEmpty)
        }
    }

    @Test func theRestStartsWhenTheExtensionHasHeardOfTheEssentials() async throws {
        try await ProbeDownloaderHarness.with { harness in
            let atRest = Locked<[String]?>(nil)
            harness.service.server.onRequest { request in
                guard request.path == "/rest" else { return }
                atRest.withLock { seen in if seen == nil { seen = harness.journal } }
            }
            harness.offer(
                File(name: "rest", bytes: bytes(500)), File(name: "vital", bytes: bytes(1000), isEssential: true),
                File(name: "liar", bytes: bytes(700), isEssential: true, claimedSize: 9))
            let events = try await harness.install()
            let last = try #require(events.last)
            #expect(last.phase == .complete && last.packs.first { $0.id == "liar" }?.state == .failed, "\(last)")
            let seen = try #require(atRest.withLock { $0 })
            #expect(seen.first == "asked install", "\(seen)")
            // What follows can only be the end of what was scheduled again.
            #expect(
                Set(seen.prefix(4)) == ["asked install", "finished vital here", "failed liar", "rescheduled liar"],
                "\(seen)")
        }
    }

    @Test(arguments: [("lowPowerMode", "on"), ("backgroundRefresh", "off")])
    func anExtensionSchedulesNothingBehindAPersonsBack(setting: String, value: String) async throws {
        try await ProbeDownloaderHarness.with { harness in
            let connection = try await harness.service.connect()
            _ = try await connection.send(SettingsSetRequest(name: setting, app: nil, value: value))
            harness.offer(File(name: "liar", bytes: bytes(700), isEssential: true, claimedSize: 9))
            try await harness.install()
            #expect(harness.journal == ["asked install", "failed liar", "refused liar 111"])
        }
    }

    @Test func whatWasRefusedBeforeTheFirstLaunchMayComeAfterIt() async throws {
        try await ProbeDownloaderHarness.with { harness in
            harness.offer(
                File(name: "large", bytes: bytes(5000)),
                File(name: "vital", bytes: bytes(4000), isEssential: true))
            let restrictions = """
                <dict><key>BADownloadAllowance</key><integer>2000</integer>
                <key>BAEssentialDownloadAllowance</key><integer>2000</integer>
                <key>BADownloadDomainAllowList</key><array><string>127.0.0.1</string></array></dict>
                """
            let events = try await harness.install(["BAInitialDownloadRestrictions": restrictions])
            let states = (events.last?.packs ?? []).map { $0.error?.downloadProblem }
            #expect(states == [.disallowedByAllowance, .disallowedByAllowance], "\(events.last?.packs ?? [])")
            let connection = try await harness.service.connect()
            let large = harness.service.download("large", size: 5000)
            await #expect(throws: DeviceError.self) { try await harness.service.schedule(large, connection) }
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            var ears = DownloadEars(connection)
            for name in ["large", "vital"] {
                try await harness.service.schedule(harness.service.download(name), connection)
                let end = try await ears.end()
                #expect(end.change == .finished && end.download.identifier == name)
            }
        }
    }

    @Test func aPeriodicRequestThatIsDueWakesTheExtension() async throws {
        try await ProbeDownloaderHarness.with { harness in
            harness.offer()
            try await harness.install()
            _ = try await harness.service.connect().send(LaunchRequest(app: ServiceHarness.app))
            await harness.service.stop()
            // As if the service had slept for a year.
            let database = try await SQLiteDatabase(path: harness.service.paths.database, migrations: Schema.migrations)
            _ = try await UsageStore(database: database).change(ServiceHarness.app) { usage in
                usage.lastCheck = Timestamp.now.seconds - 365 * 86_400
            }
            await database.close()
            harness.offer(File(name: "new", bytes: bytes(800)))
            try harness.prepareHold()
            try await harness.service.start()
            try await harness.waitUntilHeld()
            #expect(harness.journal.last == "asked periodic")
            try await harness.release()
            try await harness.waitForLine("finished new here")
        }
    }

    @Test func anotherLanguageWakesAnExtensionThatChooses() async throws {
        try await ProbeDownloaderHarness.with { harness in
            let connection = try await harness.service.connect()
            try await connection.setLanguages(["de"])
            harness.offer()
            try await harness.install()
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            harness.offer(File(name: "voices", bytes: bytes(700)))
            try await connection.setLanguages(["fr"])
            try await harness.waitForLine("finished voices here")
            let journal = ["asked install", "asked languageChange", "finished voices here"]
            #expect(harness.journal == journal)
            // The same again is no change.
            try await connection.setLanguages(["fr"])
            // An app that was closed for good is left alone until its launch; so is one without background refresh.
            _ = try await connection.send(CloseRequest(app: ServiceHarness.app))
            harness.offer()
            try await connection.setLanguages(["it"])
            await harness.service.stop()
            try await harness.service.start()
            #expect(harness.journal == journal)
            let again = try await harness.service.connect()
            _ = try await again.send(LaunchRequest(app: ServiceHarness.app))
            try await harness.waitForLine("asked languageChange")
            #expect(harness.journal == journal + ["asked languageChange"])
        }
    }

    @Test func theManifestIsThereBeforeTheExtensionIsWokenAndGoesWithItsAnswer() async throws {
        try await ProbeDownloaderHarness.with { harness in
            let vital = bytes(3000)
            harness.offer(File(name: "vital", bytes: vital, isEssential: true), File(name: "rest", bytes: bytes(400)))
            try harness.prepareHold()
            let connection = try await harness.service.connect()
            let restrictions = """
                <dict><key>BADownloadAllowance</key><integer>9000</integer>
                <key>BAEssentialDownloadAllowance</key><integer>9000</integer>
                <key>BADownloadDomainAllowList</key><array><string>127.0.0.1</string></array></dict>
                """
            let bundle = try harness.bundle(["BAInitialDownloadRestrictions": restrictions])
            var events = connection.stream(InstallRequest(path: bundle, until: .complete)).makeAsyncIterator()
            try await harness.waitUntilHeld()
            #expect(harness.service.server.requests.map(\.path) == ["/list"], "nothing else is asked for meanwhile")
            let manifest = DownloadPlaces(paths: harness.service.paths, app: ServiceHarness.app).manifest
            #expect(FileDescriptor.currentDirectory.exists(at: manifest))
            // The app cannot be opened, and the allowance stands for what is not known yet.
            let first = try #require(try await events.next())
            async let launch = harness.service.connect().send(LaunchRequest(app: ServiceHarness.app))
            try await harness.release()
            var all = [first]
            while let event = try await events.next() { all.append(event) }
            #expect(!FileDescriptor.currentDirectory.exists(at: manifest))
            let base = try #require(all.last).total - Int64(vital.count)
            #expect(base > 0 && first.total == base + 9000, "\(first)")
            #expect(all.last?.completed == all.last?.total)
            #expect(all.contains { $0.phase == .downloading }, "essentials are part of the install")
            #expect(try await launch.isFirstLaunch)
            #expect(harness.journal.first == "asked install")
        }
    }

    @Test func whatFailedAsEssentialComesAsAnOrdinaryOne() async throws {
        try await ProbeDownloaderHarness.with { harness in
            harness.offer(File(name: "vital", bytes: bytes(900), isEssential: true))
            harness.service.server.fail(.none, .status(404))
            let last = try await harness.install().last
            #expect(last?.phase == .complete && last?.packs.map(\.state) == [.failed])
            try await harness.waitForLine("finished vital here")
            #expect(
                harness.journal == ["asked install", "failed vital", "rescheduled vital", "finished vital here"])
        }
    }

    @Test func anExtensionThatCrashesWhenToldIsSaidAtTheInstallsEnd() async throws {
        try await ProbeDownloaderHarness.with { harness in
            harness.offer(
                File(name: "vital", bytes: bytes(900), isEssential: true),
                File(name: "more", bytes: bytes(800), isEssential: true))
            try FileDescriptor.currentDirectory.makeDirectories(at: harness.group, permissions: .directoryPrivate)
            try Kit.AtomicFile.write([], to: harness.group.appending("perish"), durable: false)
            let last = try #require(try await harness.install().last)
            #expect(last.phase == .complete && last.packs.map(\.state) == [.local, .local])
            #expect(last.warnings.count == 1 && last.warnings.first?.contains("waits for the app") == true, "\(last)")
            // It took the one, and is told of the other in another run.
            try await FolderWatch.wait(in: harness.group) { harness.journal.count == 3 }
            #expect(Set(harness.journal) == ["asked install", "finished vital here", "finished more here"])
        }
    }

    @Test func anAppThatWasClosedForGoodIsNotWokenByAnUpdate() async throws {
        try await ProbeDownloaderHarness.with { harness in
            let connection = try await harness.launchedApp()
            _ = try await connection.send(CloseRequest(app: ServiceHarness.app))
            harness.offer(File(name: "new", bytes: bytes(300)))
            let quiet = try await harness.install(["Build": "<string>2</string>"]).last
            #expect(quiet?.phase == .complete && quiet?.packs == [] && quiet?.warnings == [])
            #expect(harness.journal == ["asked install"])
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            let woken = try await harness.install(["Build": "<string>3</string>"]).last
            #expect(woken?.packs.map(\.id) == ["new"])
        }
    }

    /// Each limit by itself, with Apple's code for it.
    @Test func domainsAndInstallSizesHoldUntilTheFirstLaunch() async throws {
        func allowing(_ domain: String) -> String {
            """
            <dict><key>BADownloadAllowance</key><integer>90000</integer>
            <key>BAEssentialDownloadAllowance</key><integer>90000</integer>
            <key>BADownloadDomainAllowList</key><array><string>\(domain)</string><string>localhost</string></array></dict>
            """
        }
        let cases: [([String: String?], [DownloadProblem])] = [
            (
                ["BAInitialDownloadRestrictions": allowing("*.example.org")],
                [.disallowedByDomain, .disallowedByDomain]
            ),
            (
                [
                    "BAInitialDownloadRestrictions": allowing("127.0.0.1"), "BAMaxInstallSize": "<integer>99</integer>",
                    "BAEssentialMaxInstallSize": "<integer>199</integer>",
                ], [.disallowedByAllowance, .disallowedByAllowance]
            ),
        ]
        for (keys, problems) in cases {
            try await ProbeDownloaderHarness.with { harness in
                harness.offer(
                    File(name: "rest", bytes: bytes(100)), File(name: "vital", bytes: bytes(200), isEssential: true))
                let last = try await harness.install(keys).last
                #expect(last?.phase == .complete)
                #expect(last?.packs.map(\.error?.downloadProblem) == problems, "\(String(describing: last))")
                #expect(harness.service.server.requests.map(\.path) == ["/list"])
                let connection = try await harness.service.connect()
                _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
                _ = try await connection.send(CheckRequest(app: ServiceHarness.app))
                try await FolderWatch.wait(in: harness.group) {
                    Set(harness.journal).isSuperset(of: ["finished rest here", "finished vital here"])
                }
            }
        }
    }

    @Test func aManifestThatDoesNotComeIsToldWhileItIsWaitedFor() async throws {
        try await ProbeDownloaderHarness.with { harness in
            harness.offer()
            harness.service.server.fail(.status(503))
            let events = try await harness.install()
            #expect(events.contains { $0.notes.contains { $0.contains("does not come") } }, "\(events)")
            #expect(events.last?.phase == .complete && events.last?.notes == [], "it came in the end")
        }
    }
}
