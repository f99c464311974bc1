// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// What a developer's simulated events do (C12, BA 3.6): what the real ones do, beside the base app.
@Suite(.timeLimit(.minutes(5))) struct SimulationTests {
    private typealias File = ProbeDownloaderHarness.File
    private static let app = ServiceHarness.app

    private func simulate(_ event: String, _ connection: DeviceConnection) async throws -> SimulateRequest.Reply {
        _ = try await connection.send(DeveloperModeRequest(isOn: true))
        return try await connection.send(SimulateRequest(app: Self.app, event: event))
    }

    /// Waits until nothing is going on.
    private func settle(_ connection: DeviceConnection) async throws {
        for try await _ in connection.stream(WatchInstallRequest(app: Self.app, until: .complete)) {}
    }

    @Test func anInstallOrUpdateBringsWhatItsPoliciesSay() async throws {
        let offers: [ServiceHarness.Offer] = [
            .prefetch("First").only(.firstInstallation), .essential("Always"),
            .essential("Update").only(.subsequentUpdate), .onDemand("D"),
        ]
        try await ServiceHarness.with([]) { harness in
            try await harness.install(try harness.bundle())
            try harness.offer(offers)
            let connection = try await harness.connect()
            _ = try await connection.send(LaunchRequest(app: Self.app))
            let before = try await connection.send(AppsRequest()).apps
            let install = try await simulate("install", connection)
            #expect(install.updating == ["Always", "First"])
            try await settle(connection)
            // What the app cannot do without comes first.
            let asked = harness.server.requests.map(\.path).filter { $0.hasSuffix("-1") }
            #expect(asked == ["/Always-1", "/First-1"])
            #expect(try await harness.packs().filter { $0.value.state == .local }.keys.sorted() == ["Always", "First"])
            #expect(try await simulate("update", connection).updating == ["Update"])
            try await settle(connection)
            #expect(try await harness.packs()["Update"]?.state == .local)
            // The base app is what it was.
            let after = try await connection.send(AppsRequest()).apps
            #expect(before.map(\.version) == after.map(\.version) && after.map(\.state) == ["ready"])
            _ = try await connection.send(LaunchRequest(app: Self.app))
        }
    }

    /// Who has heard of an end can begin the next at once.
    @Test func nothingIsLeftOfWhatWasToldAsOver() async throws {
        try await ServiceHarness.with([]) { harness in
            try await harness.install(try harness.bundle())
            let connection = try await harness.connect()
            for _ in 0..<100 {
                _ = try await simulate("update", connection)
                try await settle(connection)
                #expect(try await connection.send(StatusRequest()).installs == [])
            }
        }
    }

    @Test func theExtensionIsAskedAboutThePacks() async throws {
        try await ServiceHarness.with([]) { harness in
            let path = try harness.bundle { fixture in
                // Asked at all, it says no to the first and yes to the second.
                fixture.extensionExecutable = """
                    #!/bin/sh
                    printf '\\000\\000\\000\\044{"id":1,"result":{"download":false}}' >&3
                    printf '\\000\\000\\000\\043{"id":2,"result":{"download":true}}' >&3
                    read line <&3
                    """
            }
            try await harness.install(path)
            try harness.offer([.essential("E"), .prefetch("P")])
            let connection = try await harness.connect()
            #expect(try await simulate("install", connection).updating == ["P"])
            try await settle(connection)
            #expect(try await harness.packs()["E"]?.state == .declined)
        }
    }

    @Test func anEventThatFailsLeavesTheAppAsItIs() async throws {
        try await ServiceHarness.with([.essential("E")]) { harness in
            try await harness.install(try harness.bundle())
            let connection = try await harness.connect()
            harness.server.spoil("manifest", .status(404))
            let error = await #expect(throws: DeviceError.self) { try await simulate("install", connection) }
            #expect(error?.code == .manifestUnavailable)
            harness.server.spoil("manifest", nil)
            #expect(try await harness.packs()["E"]?.state == .local)
            let launch = try await connection.send(LaunchRequest(app: Self.app))
            #expect(FileDescriptor.currentDirectory.exists(at: FilePath(launch.executable)))
            // Cancelled, it takes back what had not come.
            try harness.offer([.essential("E"), .essential("Large", bytes: 3_000_000)])
            harness.server.spoil("Large-1", .stall(after: 1_000_000))
            #expect(try await simulate("install", connection).updating == ["Large"])
            _ = try await connection.send(CancelRequest(app: Self.app))
            #expect(try await harness.packs()["Large"]?.state == .available)
            #expect(try await connection.send(AppsRequest()).apps.map(\.state) == ["ready"])
        }
    }

    @Test func anAppThatNothingCouldComeForIsToldApart() async throws {
        try await ServiceHarness.with([]) { harness in
            let path = try harness.bundle { fixture in
                fixture.keys = [:]
                fixture.hasExtension = false
            }
            try await harness.install(path)
            let connection = try await harness.connect()
            let error = await #expect(throws: DeviceError.self) { try await simulate("install", connection) }
            #expect(error?.code == .badBundle)
            #expect(try await connection.send(AppsRequest()).apps.map(\.state) == ["ready"])
        }
    }

    @Test func theRestrictionsOfAFirstInstallHoldThoughTheAppWasLaunched() async throws {
        try await ServiceHarness.with([]) { harness in
            let path = try harness.bundle { fixture in
                fixture.keys["BAInitialDownloadRestrictions"] = """
                    <dict><key>BADownloadAllowance</key><integer>100000</integer>
                    <key>BAEssentialDownloadAllowance</key><integer>100000</integer>
                    <key>BADownloadDomainAllowList</key><array><string>localhost</string></array></dict>
                    """
            }
            try await harness.install(path)
            try harness.offer([.essential("Small"), .essential("Large", bytes: 90_000)])
            let connection = try await harness.connect()
            _ = try await connection.send(LaunchRequest(app: Self.app))
            let install = try await simulate("install", connection)
            #expect(install.updating == ["Small"])
            #expect(install.notes?.contains { $0.contains("BAEssentialDownloadAllowance") } == true, "\(install)")
            try await settle(connection)
            #expect(try await harness.packs()["Large"]?.state == .declined)
            // The next launch lifts them again.
            let updates = connection.stream(StatusUpdatesRequest(app: Self.app, pack: "Large"))
            _ = try await connection.send(LaunchRequest(app: Self.app))
            for try await event in updates where event.change == .finished { break }
            #expect(try await harness.packs()["Large"]?.state == .local)
        }
    }

    @Test func whatItBringsComesWhateverHoldsTheBackgroundBack() async throws {
        try await ServiceHarness.with([]) { harness in
            try await harness.install(try harness.bundle())
            try harness.offer([.prefetch("P")])
            let connection = try await harness.connect()
            _ = try await connection.send(SettingsSetRequest(name: "lowPowerMode", app: nil, value: "on"))
            _ = try await connection.send(CloseRequest(app: Self.app))
            #expect(try await simulate("install", connection).updating == ["P"])
            try await settle(connection)
            #expect(try await harness.packs()["P"]?.state == .local)
            try harness.offer([.prefetch("P", version: 2)])
            let updates = connection.stream(StatusUpdatesRequest(app: Self.app))
            #expect(try await simulate("periodic", connection).updating == ["P"])
            for try await event in updates where event.change == .finished { break }
            #expect(try await harness.packs()["P"]?.localVersion == 2)
        }
    }

    @Test func anExtensionThatChoosesIsAskedAsForARealInstall() async throws {
        try await ProbeDownloaderHarness.with { harness in
            var random = SeededGenerator(seed: 1)
            let bytes = random.bytes(4000, redundancy: false)
            harness.offer()
            let restrictions = """
                <dict><key>BADownloadAllowance</key><integer>5000</integer>
                <key>BAEssentialDownloadAllowance</key><integer>5000</integer>
                <key>BADownloadDomainAllowList</key><array><string>127.0.0.1</string></array></dict>
                """
            try await harness.install(["BAInitialDownloadRestrictions": restrictions])
            let connection = try await harness.service.connect()
            _ = try await connection.send(LaunchRequest(app: Self.app))
            let atRest = Locked<[String]?>(nil)
            harness.service.server.onRequest { request in
                guard request.path == "/rest" else { return }
                atRest.withLock { seen in if seen == nil { seen = harness.journal } }
            }
            harness.offer(
                File(name: "rest", bytes: bytes), File(name: "vital", bytes: bytes, isEssential: true),
                File(name: "large", bytes: bytes + bytes))
            let names = [("rest", 4000, ""), ("vital", 4000, " essential"), ("large", 8000, "")]
            let manifest = names.map { "\($0) \(harness.service.server.url($0)) \($1)\($2)\n".utf8.count }.reduce(0, +)
            let install = try await simulate("install", connection)
            #expect(install.updating == ["vital", "rest"])
            #expect(install.notes?.contains { $0.contains("large has 8000 bytes") } == true, "\(install)")
            try await settle(connection)
            try await harness.waitForLine("finished rest here")
            let expected = ["asked install", "left 5000 \(5000 - manifest)", "finished vital here"]
            #expect(atRest.withLock { $0 }?.suffix(3) == expected[...], "essentials first, and told of before the rest")
            #expect(harness.journal.suffix(4) == (expected + ["finished rest here"])[...])
            // An update of an app that was launched is not restricted.
            #expect(try await simulate("update", connection).updating == ["vital", "large", "rest"])
            try await settle(connection)
            #expect(harness.journal.contains("asked update"))
            #expect(harness.journal.last?.hasPrefix("left") == false)
        }
    }

    @Test func troubleWithTheExtensionIsSaid() async throws {
        try await ServiceHarness.with([]) { harness in
            let path = try harness.bundle { fixture in
                fixture.keys["BAHasManagedAssetPacks"] = nil
                fixture.extensionExecutable = "#!/bin/sh\necho oh dear >&2\nexit 9\n"
            }
            let last = try #require(try await harness.install(path).last)
            #expect(last.phase == .complete && last.warnings.count == 1)
            #expect(last.warnings.first?.contains("exit code 9; it said: oh dear") == true)
            #expect(last.warnings.first?.contains("`larder check \(Self.app)`") == true)
            let connection = try await harness.connect()
            #expect(try await connection.send(StatusRequest()).notes.map(\.message) == last.warnings)
            #expect(try await simulate("update", connection).notes == last.warnings)
        }
    }
}
