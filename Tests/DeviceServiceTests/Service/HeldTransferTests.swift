// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Background transfers under a person's settings, over the service's socket (C11).
@Suite(.timeLimit(.minutes(5))) struct HeldTransferTests {
    private func set(_ name: String, _ value: String?, app: String? = nil, _ connection: DeviceConnection) async throws
    {
        _ = try await connection.send(SettingsSetRequest(name: name, app: app, value: value))
    }

    private func arrival(of pack: String, _ connection: DeviceConnection, after body: () async throws -> Void)
        async throws
    {
        let updates = connection.stream(StatusUpdatesRequest(app: ServiceHarness.app, pack: pack))
        try await body()
        for try await event in updates where event.change == .finished { return }
    }

    /// Installs an app, and does something when the first bytes are there.
    private func lastEvent(
        of bundle: String, _ connection: DeviceConnection, meanwhile body: () async throws -> Void
    ) async throws -> InstallEvent? {
        var events = connection.stream(InstallRequest(path: bundle, until: .complete)).makeAsyncIterator()
        while let event = try await events.next() {
            if event.packs.contains(where: { $0.completed > 0 }) { break }
        }
        try await body()
        var last: InstallEvent?
        while let event = try await events.next() { last = event }
        return last
    }

    @Test func anInstallEndsThoughPrefetchWaitsAndItComesWhenItMay() async throws {
        try await ServiceHarness.with { harness in
            let connection = try await harness.connect()
            try await set("lowPowerMode", "on", connection)
            let last = try await harness.install(try harness.bundle()).last
            #expect(last?.phase == .complete)
            #expect(last?.notes.last == "P waits for the end of low-power mode.")
            let packs = try await harness.packs()
            #expect(packs["E"]?.state == .local, "what the app cannot do without comes")
            #expect(packs["P"]?.state == .waiting)
            #expect(packs["P"]?.waitsFor == "the end of low-power mode")
            let transfer = try await connection.send(StatusRequest()).transfers.first
            #expect(transfer?.pack == "P" && transfer?.waitsFor == "the end of low-power mode")
            let asked = try await connection.send(
                EnsureLocalAvailabilityRequest(app: ServiceHarness.app, packs: ["D"]))
            #expect(asked.successes.map(\.id) == ["D"], "what the app waits for comes")

            // It is held after a restart, too, and comes by itself.
            await harness.stop()
            try await harness.start()
            let again = try await harness.connect()
            while try await harness.packs()["P"]?.waitsFor == nil { _ = try await again.send(StatusRequest()) }
            try await arrival(of: "P", again) { try await set("lowPowerMode", "off", again) }
            #expect(try await harness.packs()["P"]?.state == .local)
        }
    }

    @Test func aHeldPackThatTheAppAsksForComesAtOnce() async throws {
        try await ServiceHarness.with { harness in
            let connection = try await harness.connect()
            try await set("lowPowerMode", "on", connection)
            try await harness.install(try harness.bundle())
            let reply = try await connection.send(
                EnsureLocalAvailabilityRequest(app: ServiceHarness.app, packs: ["P"]))
            #expect(reply.successes.map(\.id) == ["P"])
        }
    }

    @Test func withoutBackgroundRefreshPacksComeWhileTheAppRuns() async throws {
        try await ServiceHarness.with { harness in
            let connection = try await harness.connect()
            try await set("backgroundRefresh", "off", app: ServiceHarness.app, connection)
            let last = try await harness.install(try harness.bundle()).last
            #expect(last?.notes.last == "P waits for \(HoldReason.backgroundRefresh.waitsFor).")
            try await arrival(of: "P", connection) {
                let app = try await DeviceConnection.connect(
                    paths: harness.paths, client: ServiceHarness.app, startIfNeeded: false)
                _ = try await app.send(StatusRequest())
                while try await harness.packs()["P"]?.state != .local { _ = try await app.send(StatusRequest()) }
            }
        }
    }

    @Test func scheduledDownloadsWaitAndForegroundOnesDoNot() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            for name in ["map", "tune"] { harness.server.serve(Array(repeating: 7, count: 1000), as: name) }
            try await set("lowPowerMode", "on", connection)
            var ears = DownloadEars(connection)
            try await harness.schedule(harness.download("map"), connection)
            while try await harness.packs()["map"]?.waitsFor == nil { _ = try await connection.send(StatusRequest()) }
            #expect(try await harness.packs()["map"]?.state == .waiting)
            _ = try await connection.send(
                StartForegroundDownloadRequest(
                    app: ServiceHarness.app, download: harness.download("tune"), isInFront: true))
            #expect(try await ears.end().download.identifier == "tune")
            #expect(harness.server.requests.filter { $0.path.contains("map") }.isEmpty)
            try await set("lowPowerMode", "off", connection)
            #expect(try await ears.end().download.identifier == "map")
        }
    }

    /// How what in-app content held back comes.
    enum Release: CaseIterable { case setting, launch }

    @Test(arguments: Release.allCases) func inAppContentThatIsTurnedOffMidwayHoldsWhatComes(_ release: Release)
        async throws
    {
        let offers: [ServiceHarness.Offer] = [.essential("E", bytes: 3_000_000), .prefetch("P")]
        try await ServiceHarness.with(offers) { harness in
            let connection = try await harness.connect()
            harness.server.spoil("E-1", .stall(after: 1_000_000))
            let last = try await lastEvent(of: try harness.bundle(), connection) {
                try await set("inAppContent", "off", connection)
            }
            #expect(last?.phase == .complete, "the app may be opened")
            let words = HoldReason.inAppContent.waitsFor
            #expect(last?.notes == ["E waits for \(words).", "P waits for \(words)."])
            #expect(try await harness.packs().mapValues { $0.waitsFor } == ["E": words, "P": words])
            #expect(!harness.server.requests.contains { $0.path == "/P-1" })
            // It is held after a restart, too.
            await harness.stop()
            try await harness.start()
            let again = try await harness.connect()
            #expect(try await harness.packs()["E"]?.waitsFor == words)
            harness.server.spoil("E-1", nil)
            try await arrival(of: "E", again) {
                switch release {
                case .setting: try await set("inAppContent", "on", again)
                case .launch: _ = try await again.send(LaunchRequest(app: ServiceHarness.app))
                }
            }
            let requests = harness.server.requests.filter { $0.path == "/E-1" }
            #expect(requests.count == 2, "\(requests)")
            while try await harness.packs()["P"]?.state != .local { _ = try await again.send(StatusRequest()) }
        }
    }

    @Test func inAppContentHoldsDownloadsThatAnExtensionNamed() async throws {
        try await ProbeDownloaderHarness.with { harness in
            let server = harness.service.server
            harness.offer(
                .init(name: "vital", bytes: Array(repeating: 5, count: 2_000_000), isEssential: true),
                .init(name: "rest", bytes: Array(repeating: 6, count: 1000)))
            server.spoil("vital", .stall(after: 1_000_000))
            let connection = try await harness.service.connect()
            let last = try await lastEvent(of: try harness.bundle(), connection) {
                try await set("inAppContent", "off", connection)
            }
            #expect(
                last?.phase == .complete && last?.packs.map(\.state) == [.waiting, .waiting],
                "\(String(describing: last))")
            #expect(harness.journal == ["asked install"] && !server.requests.contains { $0.path == "/rest" })
            server.spoil("vital", nil)
            try await set("inAppContent", "on", connection)
            try await FolderWatch.wait(in: harness.group) { harness.journal.count == 3 }
            #expect(Set(harness.journal) == ["asked install", "finished vital here", "finished rest here"])
        }
    }

    /// The service's own reading of the machine: nothing is set by hand.
    @Test func theMachineIsReadWhenSomethingTurnsUp() async throws {
        try await ServiceHarness.with { harness in
            await harness.stop()
            let root = harness.scratch("machine")
            try harness.scratch.write("low-power\n", to: "machine/sys/firmware/acpi/platform_profile")
            try await harness.start { $0.conditionsRoot = root }
            let last = try await harness.install(try harness.bundle()).last
            #expect(last?.phase == .complete && last?.notes.last == "P waits for the end of low-power mode.")
        }
    }
}
