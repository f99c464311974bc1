// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Installs over a real socket and a real server (C3, C7).
@Suite(.timeLimit(.minutes(5))) struct InstallTests {
    @Test func essentialComesBeforeLaunchAndPrefetchBehind() async throws {
        try await ServiceHarness.with { harness in
            let events = try await harness.install(try harness.bundle())
            let phases = events.map(\.phase)
            #expect(phases.last == .complete)
            #expect(phases.contains(.launchable))
            let launchable = try #require(events.first { $0.phase == .launchable })
            #expect(launchable.packs.first { $0.id == "E" }?.state == .local)
            #expect(launchable.completed == launchable.total)
            // One figure that never falls once sizes are known.
            let known = events.filter { !$0.packs.isEmpty }.map(\.completed)
            #expect(known == known.sorted())
            let packs = try await harness.packs()
            #expect(packs["E"]?.state == .local)
            #expect(packs["P"]?.state == .local)
            #expect(packs["D"]?.state == .available)
            let connection = try await harness.connect()
            let apps = try await connection.send(AppsRequest()).apps
            #expect(apps.map(\.state) == ["ready"])
            #expect(apps.first?.localPacks == 2)
            let first = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            #expect(first.isFirstLaunch)
            #expect(FileDescriptor.currentDirectory.exists(at: FilePath(first.executable)))
            #expect(first.environment["LARDER_APP_ROOT"] == harness.paths.appRoot(ServiceHarness.app).string)
            #expect(try await !connection.send(LaunchRequest(app: ServiceHarness.app)).isFirstLaunch)
        }
    }

    @Test(arguments: [
        (PackServer.Fault.status(404), "404"), (.status(416), "416"), (.lies([1, 2, 3]), "not as long as"),
        (.lies([UInt8](repeating: 7, count: 900_000)), "not as long as"), (.wrongByte(40_000), "E"),
    ])
    func aFailedEssentialPackLeavesAnAppThatSaysSo(_ fault: PackServer.Fault, _ words: String) async throws {
        try await ServiceHarness.with { harness in
            harness.server.spoil("E-1", fault)
            let events = try await harness.install(try harness.bundle())
            let launchable = try #require(events.first { $0.phase == .launchable })
            #expect(launchable.packs.first { $0.id == "E" }?.essentialError?.message.contains(words) == true)
            let last = try #require(events.last)
            #expect(last.phase == .complete)
            let essential = try #require(last.packs.first { $0.id == "E" })
            #expect(essential.state == .failed)
            #expect(essential.essentialError?.message.contains(words) == true)
            #expect(last.packs.first { $0.id == "P" }?.essentialError == nil)
            #expect(last.notes.isEmpty == false)
            // Whoever looks later is told, too, also after a restart.
            for round in 1...2 {
                let listing = try await harness.packs()["E"]
                #expect(listing?.state == .failed)
                #expect(listing?.error?.contains(words) == true, "\(String(describing: listing))")
                let status = try await harness.connect().send(StatusRequest())
                #expect(status.transfers.map(\.pack) == ["E"])
                #expect(status.transfers.first?.state == .failed)
                #expect(status.transfers.first?.error?.contains(words) == true)
                if round == 1 {
                    await harness.stop()
                    try await harness.start()
                }
            }
            let connection = try await harness.connect()
            #expect(try await connection.send(AppsRequest()).apps.first?.note != nil)
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            harness.server.spoil("E-1", nil)
            let reply = try await connection.send(
                EnsureLocalAvailabilityRequest(app: ServiceHarness.app, packs: ["E"]))
            #expect(reply.successes.map(\.id) == ["E"])
            #expect(try await harness.packs()["E"]?.error == nil)
            #expect(try await connection.send(StatusRequest()).transfers.isEmpty)
            #expect(try await connection.send(AppsRequest()).apps.first?.note == nil)
        }
    }

    @Test(arguments: [PackServer.Fault.status(404), .lies(Array("{}".utf8)), .lies([0xFF, 0xFE, 0x00])])
    func withoutAManifestNothingIsLeft(_ fault: PackServer.Fault) async throws {
        try await ServiceHarness.with { harness in
            harness.server.fail(fault)
            let last = try await harness.install(try harness.bundle()).last
            #expect(last?.phase == .failed)
            #expect([.manifestUnavailable, .badManifest].contains(last?.error?.code), "\(String(describing: last))")
            #expect(try await harness.isGone())
        }
    }

    /// As a power cut may bring back what an update had deleted.
    @Test func aBaseThatNoRowNamesGoesAtTheNextStart() async throws {
        try await ServiceHarness.with { harness in
            _ = try await harness.install(try harness.bundle())
            await harness.stop()
            let bases = harness.paths.appRoot(ServiceHarness.app).appending("bundle")
            let names: () throws -> Set<String> = {
                Set(try FileDescriptor.currentDirectory.entries(at: bases).map(\.name))
            }
            let before = try names()
            try FileDescriptor.currentDirectory.makeDirectories(at: bases.appending("77").appending("Old.app"))
            try await harness.start()
            _ = try await harness.connect().send(AppsRequest())
            #expect(try names() == before)
        }
    }

    /// As above, while an update goes on that has put its base in force.
    @Test func aBaseThatNoRowNamesGoesWhileAnUpdateGoesOn() async throws {
        try await ServiceHarness.with { harness in
            _ = try await harness.install(try harness.bundle())
            try harness.offer([.essential("E", version: 2), .prefetch("P", version: 2), .onDemand("D")])
            harness.server.spoil("P-2", .stall(after: 0))
            _ = try await harness.install(try harness.bundle(version: "2.0"), until: .launchable)
            await harness.stop()
            let bases = harness.paths.appRoot(ServiceHarness.app).appending("bundle")
            try FileDescriptor.currentDirectory.makeDirectories(at: bases.appending("77").appending("Old.app"))
            try await harness.start()
            #expect(try await harness.connect().send(StatusRequest()).installs.map(\.app) == [ServiceHarness.app])
            #expect(!FileDescriptor.currentDirectory.exists(at: bases.appending("77")))
        }
    }

    /// As a service leaves it that is killed while an extension is asked.
    @Test func aManifestThatNoExtensionReadsGoesAtTheNextStart() async throws {
        try await ServiceHarness.with { harness in
            _ = try await harness.install(try harness.bundle())
            await harness.stop()
            let places = DownloadPlaces(paths: harness.paths, app: ServiceHarness.app)
            try places.writeManifest(Array("left".utf8))
            try await harness.start()
            _ = try await harness.connect().send(AppsRequest())
            #expect(!FileDescriptor.currentDirectory.exists(at: places.manifest))
        }
    }

    @Test func transientTroubleWithTheManifestIsRiddenOut() async throws {
        try await ServiceHarness.with { harness in
            harness.server.fail(.status(503), .reset(after: 3))
            let last = try await harness.install(try harness.bundle()).last
            #expect(last?.phase == .complete)
        }
    }

    @Test func aManifestServerThatStallsIsNoticedAndTold() async throws {
        try await ServiceHarness.with { harness in
            await harness.stop()
            try await harness.start { $0.stallTimeout = .seconds(2) }
            harness.server.spoil("manifest", .stall(after: 0))
            let connection = try await harness.connect()
            var told: String?
            for try await event in connection.stream(InstallRequest(path: try harness.bundle(), until: .complete)) {
                if told == nil, let note = event.notes.first {
                    told = note
                    #expect(event.phase == .fetchingManifest)
                    let status = try await connection.send(StatusRequest())
                    #expect(status.installs.first?.notes == [note])
                    #expect(status.notes.map(\.message).contains(note))
                    harness.server.spoil("manifest", nil)
                }
                if event.phase.isFinal {
                    #expect(event.phase == .complete)
                    #expect(!event.notes.contains(told ?? ""), "it has passed")
                }
            }
            #expect(told?.contains("stalled") == true)
            #expect(told?.contains("\(harness.server.origin)/manifest") == true)
        }
    }

    @Test func aManifestServerThatStaysSilentEndsTheInstallInWords() async throws {
        try await ServiceHarness.with { harness in
            await harness.stop()
            try await harness.start {
                $0.stallTimeout = .milliseconds(300)
                $0.manifestRetries = RetryPolicy(
                    first: .milliseconds(1), longest: .milliseconds(5), patience: .seconds(1))
            }
            harness.server.spoil("manifest", .stall(after: 0))
            let last = try await harness.install(try harness.bundle()).last
            #expect(last?.phase == .failed)
            #expect(last?.error?.code == .manifestUnavailable)
            #expect(last?.error?.message.contains("stalled") == true, "\(String(describing: last))")
            #expect(last?.error?.message.contains("\(harness.server.origin)/manifest") == true)
            #expect(try await harness.isGone())
        }
    }

    @Test func restrictedPacksFollowTheFirstLaunch() async throws {
        try await ServiceHarness.with { harness in
            let path = try harness.bundle {
                $0.keys["BAInitialDownloadRestrictions"] = """
                    <dict><key>BADownloadAllowance</key><integer>0</integer>
                    <key>BAEssentialDownloadAllowance</key><integer>10000000</integer></dict>
                    """
            }
            let last = try await harness.install(path).last
            #expect(last?.phase == .complete)
            #expect(last?.packs.first { $0.id == "P" }?.error?.code == .restricted)
            #expect(try await harness.packs()["P"]?.state == .declined)
            let connection = try await harness.connect()
            // Looking at what would be executed is no launch.
            for _ in 1...2 {
                let dry = try await connection.send(LaunchRequest(app: ServiceHarness.app, isDryRun: true))
                #expect(dry.isFirstLaunch)
            }
            #expect(try await connection.send(AppsRequest()).apps.first?.wasLaunched == false)
            #expect(try await harness.packs()["P"]?.state == .declined)
            let updates = connection.stream(StatusUpdatesRequest(app: ServiceHarness.app, pack: "P"))
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            var changes: [DownloadEvent.Change] = []
            for try await event in updates { changes.append(event.change) }
            #expect(changes.last == .finished)
            #expect(try await harness.packs()["P"]?.state == .local)
        }
    }

    @Test func theExtensionDeclinesAndMayCrash() async throws {
        try await ServiceHarness.with { harness in
            // Answers the two questions without reading them: no to the first, yes to the second.
            let path = try harness.bundle { fixture in
                fixture.extensionExecutable = """
                    #!/bin/sh
                    printf '\\000\\000\\000\\044{"id":1,"result":{"download":false}}' >&3
                    printf '\\000\\000\\000\\043{"id":2,"result":{"download":true}}' >&3
                    read line <&3
                    """
            }
            let last = try await harness.install(path).last
            #expect(last?.notes == [] && last?.warnings == [])
            #expect(last?.packs.map(\.state) == [.declined, .local])
            try harness.offer([.essential("E", version: 2)])
            let crashing = try harness.bundle(version: "2.0") { $0.extensionExecutable = "#!/bin/sh\nkill -SEGV $$\n" }
            let crashed = try await harness.install(crashing).last
            #expect(crashed?.phase == .complete)
            #expect(crashed?.warnings.first?.contains("crashed (signal 11)") == true)
            #expect(try await harness.connect().send(StatusRequest()).notes.isEmpty == false)
        }
    }

    @Test func anExtensionThatDawdlesIsEnded() async throws {
        try await ServiceHarness.with { harness in
            await harness.stop()
            try await harness.start { $0.extensionTimeLimit = .milliseconds(200) }
            let path = try harness.bundle { $0.extensionExecutable = "#!/bin/sh\nexec sleep 1000\n" }
            let last = try await harness.install(path).last
            #expect(last?.phase == .complete)
            #expect(last?.warnings.first?.contains("took longer") == true)
        }
    }

    @Test func aWrongBundleIsRefusedWithAllThatIsWrong() async throws {
        try await ServiceHarness.with { harness in
            let path = try harness.bundle {
                $0.keys["BAAppGroupID"] = .some(nil)
                $0.hasExtension = false
            }
            let error = await #expect(throws: DeviceError.self) { try await harness.install(path) }
            #expect(error?.code == .badBundle)
            #expect(error?.message.contains("BAAppGroupID") == true)
            await #expect(throws: DeviceError.self) { try await harness.install("/nonexistent/Game.app") }
            await #expect(throws: DeviceError.self) { try await harness.install("Game.app") }
            #expect(try await harness.isGone())
        }
    }

    @Test func anAppWithoutPacksInstallsWithoutAServer() async throws {
        try await ServiceHarness.with { harness in
            let path = try harness.bundle {
                $0.keys = [:]
                $0.hasExtension = false
            }
            #expect(try await harness.install(path).last?.phase == .complete)
            #expect(harness.server.requests == [])
            let error = await #expect(throws: DeviceError.self) {
                try await harness.connect().send(ManifestRequest(app: ServiceHarness.app, refresh: true))
            }
            #expect(error?.message.contains("BAHasManagedAssetPacks") == true)
        }
    }

    @Test func whatWentWrongIsToldAfterARestart() async throws {
        try await ServiceHarness.with { harness in
            let bundle = try harness.bundle {
                $0.extensionExecutable = "#!/bin/sh\necho bad luck >&2\nkill -SEGV $$\n"
            }
            #expect(try await harness.install(bundle).last?.phase == .complete)
            let told = try await harness.connect().send(StatusRequest()).notes
            #expect(
                told.contains { $0.app == ServiceHarness.app && $0.message.contains("crashed (signal 11)") }, "\(told)")
            await harness.stop()
            try await harness.start()
            let connection = try await harness.connect()
            #expect(try await connection.send(StatusRequest()).notes == told)
            // Not of an app that is gone.
            _ = try await connection.send(UninstallRequest(app: ServiceHarness.app))
            #expect(try await connection.send(StatusRequest()).notes == [])
            await harness.stop()
            try await harness.start()
            #expect(try await harness.connect().send(StatusRequest()).notes == [])
        }
    }
}
