// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Pause, resume, cancel, restart and removal, in the middle of things.
@Suite(.timeLimit(.minutes(5))) struct SteeringTests {
    private static let large = [
        ServiceHarness.Offer.essential("E", bytes: 3_000_000), .prefetch("P", bytes: 3_000_000),
    ]

    /// Follows an install until a pack's bytes are coming.
    private func follow(
        _ events: inout AsyncThrowingStream<InstallEvent, any Error>.Iterator, to phase: InstallEvent.Phase
    ) async throws -> InstallEvent {
        while let event = try await events.next() {
            if event.phase == phase, phase != .downloading || event.packs.contains(where: { $0.completed > 0 }) {
                return event
            }
            if event.phase.isFinal { break }
        }
        throw DeviceError(.failed, "The install ended before it was \(phase.rawValue).")
    }

    /// Ends a download that the server holds, and begins it anew.
    private func askTheServerAgain(_ connection: DeviceConnection) async throws {
        _ = try await connection.send(PauseRequest(app: ServiceHarness.app))
        _ = try await connection.send(ResumeRequest(app: ServiceHarness.app))
    }

    @Test func cancellingLeavesNothingAgainAndAgain() async throws {
        try await ServiceHarness.with(Self.large) { harness in
            let connection = try await harness.connect()
            let path = try harness.bundle()
            for _ in 0..<3 {
                harness.server.fail(.none, .stall(after: 1_000_000))
                var events = connection.stream(InstallRequest(path: path)).makeAsyncIterator()
                _ = try await follow(&events, to: .downloading)
                _ = try await connection.send(CancelRequest(app: ServiceHarness.app))
                #expect(try await harness.isGone())
                let last = try await follow(&events, to: .cancelled)
                #expect(last.error == nil)
            }
            harness.server.fail()
            #expect(try await harness.install(path).last?.phase == .complete)
        }
    }

    @Test func pausesHoldAnInstall() async throws {
        try await ServiceHarness.with(Self.large) { harness in
            harness.server.fail(.none, .stall(after: 1_000_000), .stall(after: 1_000_000))
            let connection = try await harness.connect()
            var events = connection.stream(InstallRequest(path: try harness.bundle(), until: .complete))
                .makeAsyncIterator()
            for round in 1...2 {
                try await harness.server.waitForRequests(1 + round)
                _ = try await follow(&events, to: .downloading)
                _ = try await connection.send(PauseRequest(app: ServiceHarness.app))
                _ = try await follow(&events, to: .paused)
                #expect(try await connection.send(AppsRequest()).apps.first?.state == "paused")
                let error = await #expect(throws: DeviceError.self) {
                    try await connection.send(LaunchRequest(app: ServiceHarness.app))
                }
                #expect(error?.code == .notLaunchable)
                _ = try await connection.send(ResumeRequest(app: ServiceHarness.app))
            }
            _ = try await follow(&events, to: .complete)
        }
    }

    @Test func steeringADownloadThatIsNotThereIsAnError() async throws {
        try await ServiceHarness.with([.essential("E"), .onDemand("D")]) { harness in
            try await harness.install(try harness.bundle())
            let connection = try await harness.connect()
            for pack in ["Nope", "D"] {
                let paused = await #expect(throws: DeviceError.self) {
                    try await connection.send(PauseRequest(app: ServiceHarness.app, pack: pack))
                }
                #expect(paused?.code == .packNotFound)
                let resumed = await #expect(throws: DeviceError.self) {
                    try await connection.send(ResumeRequest(app: ServiceHarness.app, pack: pack))
                }
                #expect(resumed?.code == .packNotFound)
                let cancelled = await #expect(throws: DeviceError.self) {
                    try await connection.send(CancelRequest(app: ServiceHarness.app, pack: pack))
                }
                #expect(cancelled?.code == .packNotFound)
            }
        }
    }

    @Test func steeringNothingIsCountedAsNothing() async throws {
        try await ServiceHarness.with([.essential("E"), .onDemand("D", bytes: 3_000_000)]) { harness in
            try await harness.install(try harness.bundle())
            let connection = try await harness.connect()
            let app = ServiceHarness.app
            #expect(try await connection.send(PauseRequest(app: app)).count == 0)
            #expect(try await connection.send(ResumeRequest(app: app)).count == 0)
            #expect(try await connection.send(CancelRequest(app: app)).count == 0)
            harness.server.spoil("D-1", .stall(after: 1_000_000))
            var updates = connection.stream(StatusUpdatesRequest(app: app, pack: "D")).makeAsyncIterator()
            async let asked = connection.send(EnsureLocalAvailabilityRequest(app: app, packs: ["D"]))
            while let event = try await updates.next(), event.change != .began {}
            #expect(try await connection.send(PauseRequest(app: app)).count == 1)
            #expect(try await connection.send(ResumeRequest(app: app, pack: "D")).count == 1)
            #expect(try await connection.send(CancelRequest(app: app)).count == 1)
            #expect(try await asked.failures.count == 1)
            #expect(try await connection.send(CancelRequest(app: app)).count == 0)
        }
    }

    @Test func aPauseOutlivesARestart() async throws {
        try await ServiceHarness.with(Self.large) { harness in
            harness.server.fail(.none, .stall(after: 1_000_000))
            let path = try harness.bundle()
            var connection = try await harness.connect()
            var events = connection.stream(InstallRequest(path: path)).makeAsyncIterator()
            _ = try await follow(&events, to: .downloading)
            _ = try await connection.send(PauseRequest(app: ServiceHarness.app))
            _ = try await follow(&events, to: .paused)
            await harness.stop()
            try await harness.start()
            connection = try await harness.connect()
            #expect(try await connection.send(StatusRequest()).installs.map(\.phase) == [.paused])
            var watched = connection.stream(WatchInstallRequest(app: ServiceHarness.app, until: .complete))
                .makeAsyncIterator()
            _ = try await connection.send(ResumeRequest(app: ServiceHarness.app))
            _ = try await follow(&watched, to: .complete)
            #expect(try await harness.packs()["P"]?.state == .local)
        }
    }

    @Test func anInstallGoesOnAfterARestart() async throws {
        try await ServiceHarness.with(Self.large) { harness in
            harness.server.fail(.none, .stall(after: 1_000_000))
            let connection = try await harness.connect()
            var events = connection.stream(InstallRequest(path: try harness.bundle())).makeAsyncIterator()
            _ = try await follow(&events, to: .downloading)
            await harness.stop()
            await #expect(throws: DeviceError.self) { while try await events.next() != nil {} }
            try await harness.start()
            let again = try await harness.connect()
            for try await _ in again.stream(WatchInstallRequest(app: ServiceHarness.app, until: .complete)) {}
            let packs = try await harness.packs()
            #expect(packs.values.allSatisfy { $0.state == .local })
            // What had come before was not fetched again.
            let ranges = harness.server.requests.filter { $0.path == "/E-1" }.map(\.range)
            #expect(ranges.count == 2, "\(ranges)")
        }
    }

    @Test func aClientThatDisappearsStopsNothing() async throws {
        try await ServiceHarness.with(Self.large) { harness in
            harness.server.fail(.none, .stall(after: 1_000_000))
            let path = try harness.bundle()
            let leaving = try await harness.connect()
            var events = leaving.stream(InstallRequest(path: path)).makeAsyncIterator()
            _ = try await follow(&events, to: .downloading)
            leaving.close()
            let staying = try await harness.connect()
            try await askTheServerAgain(staying)
            for try await _ in staying.stream(WatchInstallRequest(app: ServiceHarness.app, until: .complete)) {}
            #expect(try await harness.packs().values.allSatisfy { $0.state == .local })
        }
    }

    @Test func aBusyAppIsNotTouchedTwice() async throws {
        try await ServiceHarness.with(Self.large) { harness in
            harness.server.fail(.none, .stall(after: 1_000_000))
            let path = try harness.bundle()
            let connection = try await harness.connect()
            var events = connection.stream(InstallRequest(path: path)).makeAsyncIterator()
            _ = try await follow(&events, to: .downloading)
            let other = try harness.bundle(version: "2.0")
            let error = await #expect(throws: DeviceError.self) { try await harness.install(other) }
            #expect(error?.code == .appBusy)
            #expect(error?.message.contains("`larder watch \(ServiceHarness.app)`") == true)
            #expect(error?.message.contains("`larder cancel \(ServiceHarness.app)`") == true)
            let absent = await #expect(throws: DeviceError.self) {
                for try await _ in connection.stream(UpdateRequest(path: path)) {}
            }
            #expect(absent?.code == .appNotFound)
            // The same once more is followed.
            #expect(try await harness.install(path, until: .accepted).map(\.phase) == [.downloading])
            // Launching waits for the essential pack.
            try await askTheServerAgain(connection)
            _ = try await follow(&events, to: .paused)
            _ = try await follow(&events, to: .downloading)
            let reply = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            #expect(reply.isFirstLaunch)
            #expect(try await harness.packs()["E"]?.state == .local)
        }
    }

    /// While prefetch packs still come: the same bundle is followed, another takes over and joins what is under way.
    @Test func installingAgainWhilePrefetchPacksCome() async throws {
        try await ServiceHarness.with([.essential("E"), .prefetch("P", bytes: 3_000_000)]) { harness in
            harness.server.spoil("P-1", .stall(after: 1_000_000))
            let path = try harness.bundle()
            let connection = try await harness.connect()
            var events = connection.stream(InstallRequest(path: path, until: .complete)).makeAsyncIterator()
            _ = try await follow(&events, to: .launchable)
            #expect(try await harness.install(path, until: .launchable).map(\.phase) == [.launchable])
            #expect(harness.server.requests.filter { $0.path == "/E-1" }.count == 1)
            // Built anew, in the version it had.
            let rebuilt = try harness.bundle { $0.executable += "# changed\n" }
            #expect(rebuilt == path)
            let last = try #require(try await harness.install(rebuilt, until: .launchable).last)
            #expect(last.phase == .launchable)
            #expect(last.packs.map(\.id) == ["P"])
            // Who followed the first install is told of its end, and by whom the pack comes now.
            _ = try await follow(&events, to: .complete)
            let launch = try await connection.send(LaunchRequest(app: ServiceHarness.app, isDryRun: true))
            let executable = try OwnedDescriptor(FilePath(launch.executable), .readOnly)
            #expect(String(decoding: try executable.borrowed.readAll(), as: UTF8.self).hasSuffix("# changed\n"))
            harness.server.spoil("P-1", nil)
            try await askTheServerAgain(connection)
            #expect(try await harness.install(rebuilt).last?.phase == .complete)
            #expect(try await harness.packs()["P"]?.state == .local)
            #expect(harness.server.requests.filter { $0.path == "/P-1" }.count == 2, "joined, not begun anew")
        }
    }

    @Test func anUpdateReplacesBaseAndPacksAndRemovesTheObsolete() async throws {
        try await ServiceHarness.with([.essential("E", version: 5), .prefetch("P"), .onDemand("D")]) { harness in
            try await harness.install(try harness.bundle())
            let connection = try await harness.connect()
            _ = try await connection.send(
                EnsureLocalAvailabilityRequest(app: ServiceHarness.app, packs: ["D"]))
            // E goes back, D forward; P is no longer offered.
            try harness.offer([.essential("E", version: 3), .onDemand("D", version: 2)])
            var phases: [InstallEvent.Phase] = []
            let request = UpdateRequest(path: try harness.bundle(version: "2.0"), until: .complete)
            for try await event in connection.stream(request) { phases.append(event.phase) }
            #expect(phases.last == .complete)
            let packs = try await harness.packs()
            #expect(packs["E"]?.localVersion == 3)
            #expect(packs["D"]?.localVersion == 2)
            #expect(packs["P"] == nil)
            #expect(try await connection.send(AppsRequest()).apps.first?.version == "2.0")
            let bases = try FileDescriptor.currentDirectory.entries(
                at: harness.paths.appRoot(ServiceHarness.app).appending("bundle"))
            #expect(bases.map(\.name) == ["2", "current"])
        }
    }

    @Test func aCancelledUpdateLeavesTheAppAsItWas() async throws {
        try await ServiceHarness.with([.essential("E")]) { harness in
            try await harness.install(try harness.bundle())
            try harness.offer([.essential("E", version: 2, bytes: 3_000_000)])
            harness.server.fail(.none, .stall(after: 1_000_000))
            let connection = try await harness.connect()
            var events = connection.stream(UpdateRequest(path: try harness.bundle(version: "2.0"))).makeAsyncIterator()
            _ = try await follow(&events, to: .downloading)
            _ = try await connection.send(CancelRequest(app: ServiceHarness.app))
            let app = try #require(try await connection.send(AppsRequest()).apps.first)
            #expect(app.version == "1.0")
            #expect(app.state == "ready")
            #expect(try await harness.packs()["E"]?.localVersion == 1)
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
        }
    }

    @Test func updatingWhatIsNotInstalledIsRefused() async throws {
        try await ServiceHarness.with { harness in
            let connection = try await harness.connect()
            let error = await #expect(throws: DeviceError.self) {
                for try await _ in connection.stream(UpdateRequest(path: try harness.bundle())) {}
            }
            #expect(error?.code == .appNotFound)
        }
    }

    @Test func uninstallingLeavesNothing() async throws {
        try await ServiceHarness.with { harness in
            try await harness.install(try harness.bundle())
            let connection = try await harness.connect()
            _ = try await connection.send(UninstallRequest(app: ServiceHarness.app))
            #expect(try await harness.isGone())
            let error = await #expect(throws: DeviceError.self) {
                try await connection.send(UninstallRequest(app: ServiceHarness.app))
            }
            #expect(error?.code == .appNotFound)
            let last = try await harness.install(try harness.bundle()).last
            #expect(last?.phase == .complete)
        }
    }
}
