// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// A service whose disk is small: room is made for what would otherwise be refused, and what makes room works without any.
@Suite(
    .serialized, .timeLimit(.minutes(5)), .enabled(if: SmallDisk.isAvailable, "needs the right to mount a tmpfs"))
struct SmallDiskTests {
    private func with(
        _ offers: [ServiceHarness.Offer], _ body: (ServiceHarness, DeviceConnection, SmallDisk) async throws -> Void
    ) async throws {
        try await ServiceHarness.with(offers) { harness in
            await harness.stop()
            let disk = try SmallDisk(at: try harness.scratch.makeDirectory("s"))
            defer { disk.unmount() }
            try await harness.start()
            let connection = try await harness.connect()
            _ = try await connection.send(URLOverrideSetRequest(url: harness.server.origin))
            do {
                try await body(harness, connection, disk)
            } catch {
                await harness.stop()
                throw error
            }
            await harness.stop()
        }
    }

    /// Installs the app, without an extension, and has it opened.
    private func install(_ harness: ServiceHarness, _ connection: DeviceConnection) async throws {
        let bundle = try harness.bundle()
        #expect(try await harness.install(bundle).last?.phase == .complete)
        _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
    }

    private func download(
        _ name: String, _ count: Int, _ harness: ServiceHarness, _ connection: DeviceConnection
    ) async throws {
        harness.server.serve([UInt8](repeating: 7, count: count), as: name)
        try await harness.schedule(harness.download(name), connection)
        try await eventually { try await harness.current(connection).isEmpty ? () : nil }
    }

    private func finished(_ connection: DeviceConnection) async throws -> [String] {
        let app = try await connection.send(StorageRequest()).apps.first { $0.app == ServiceHarness.app }
        return (app?.downloads ?? []).filter(\.isFinished).map(\.identifier).sorted()
    }

    @Test func aPackThatWouldBeRefusedMakesRoom() async throws {
        try await with([.onDemand("D", bytes: 10_000_000), .onDemand("Huge", bytes: 30_000_000)]) {
            harness, connection, disk in
            try await install(harness, connection)
            try await download("film", 12_000_000, harness, connection)
            try disk.resize(to: try disk.used() + 12_000_000)
            let error = await #expect(throws: DeviceError.self) {
                try await connection.send(EnsureLocalAvailabilityRequest(app: ServiceHarness.app, packs: ["Huge"]))
            }
            #expect(error?.code == .noSpace && error?.details["free"] != nil)
            #expect(try await finished(connection) == ["film"], "deleting it would not have helped")
            let reply = try await connection.send(
                EnsureLocalAvailabilityRequest(app: ServiceHarness.app, packs: ["D"]))
            #expect(reply.successes.map(\.id) == ["D"], "\(reply)")
            #expect(try await finished(connection) == [])
            let notes = try await connection.send(StatusRequest()).notes.map(\.message)
            #expect(notes.contains { $0.contains("film") && $0.contains("to make room for D") }, "\(notes)")
        }
    }

    @Test func anInstallThatWouldBeRefusedMakesRoomAndSaysSo() async throws {
        try await with([]) { harness, connection, disk in
            try await install(harness, connection)
            try await download("film", 12_000_000, harness, connection)
            try harness.offer([.essential("E", bytes: 10_000_000)])
            try disk.resize(to: try disk.used() + 12_000_000)
            let bundle = try harness.bundle(version: "2.0") { fixture in
                fixture.identifier = "org.example.other"
                fixture.keys["BAAppGroupID"] = "<string>group.org.example.other</string>"
            }
            let last = try await harness.install(bundle).last
            #expect(last?.phase == .complete, "\(String(describing: last))")
            #expect(last?.notes.contains { $0.contains("film of \(ServiceHarness.app)") } == true)
        }
    }

    @Test func aDownloadThatWouldBeRefusedMakesRoom() async throws {
        try await with([]) { harness, connection, disk in
            try await install(harness, connection)
            try await download("old", 12_000_000, harness, connection)
            try disk.resize(to: try disk.used() + 6_000_000)
            try await download("huge", 40_000_000, harness, connection)
            #expect(try await finished(connection) == ["old"], "deleting it would not have helped")
            var ears = DownloadEars(connection)
            let step = try await ears.next(.failed)
            #expect(step.download.identifier == "huge" && step.error?.code == .noSpace, "\(step)")
            // One who is being told of a file keeps it.
            try await download("refused", 15_000_000, harness, connection)
            #expect(try await finished(connection) == ["old"])
        }
        try await with([]) { harness, connection, disk in
            try await install(harness, connection)
            try await download("old", 12_000_000, harness, connection)
            try disk.resize(to: try disk.used() + 6_000_000)
            try await download("new", 15_000_000, harness, connection)
            #expect(try await finished(connection) == ["new"])
        }
    }

    @Test func whenATransferEndsOnANearlyFullDiskRoomIsMade() async throws {
        try await with([.onDemand("D", bytes: 4_000_000)]) { harness, connection, disk in
            try await install(harness, connection)
            try await download("film", 1_000_000, harness, connection)
            // The pack fits, and what is left then is less than a twentieth.
            try disk.resize(to: try disk.used() + 9_000_000)
            _ = try await connection.send(EnsureLocalAvailabilityRequest(app: ServiceHarness.app, packs: ["D"]))
            #expect(try await finished(connection) == ["film"])
            try disk.resize(to: try disk.used() + 16_384)
            harness.server.spoil("next", .status(404))
            try await harness.schedule(harness.download("next"), connection)
            try await eventually { try await finished(connection).isEmpty ? () : nil }
        }
    }

    // MARK: - Without any room

    /// Takes the last free page away, also what the database's log has to spare.
    private func fill(_ harness: ServiceHarness, _ disk: SmallDisk) async throws {
        let database = try await SQLiteDatabase(path: harness.paths.database, migrations: Schema.migrations)
        try await database.read { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        await database.close()
        try disk.resize(to: try disk.used())
        #expect(try FileSystemSpace(at: disk.path).available == 0)
    }

    @Test func anAppGoesWithoutAByteOfRoom() async throws {
        try await with([.essential("E", bytes: 3_000_000)]) { harness, connection, disk in
            try await install(harness, connection)
            try await fill(harness, disk)
            _ = try await connection.send(UninstallRequest(app: ServiceHarness.app))
            #expect(try await harness.isGone())
            await harness.stop()
            try await harness.start()
            #expect(try await harness.isGone())
        }
    }

    @Test func theServiceStartsWithoutAByteOfRoom() async throws {
        try await with([.essential("E", bytes: 3_000_000)]) { harness, connection, disk in
            try await install(harness, connection)
            try await download("film", 200_000, harness, connection)
            #expect(try await connection.send(StatusRequest()).degraded == nil)
            await harness.stop()
            try disk.resize(to: try disk.used())
            try await harness.start()
            let again = try await harness.connect()
            let status = try await again.send(StatusRequest())
            #expect(status.degraded?.contains("larder uninstall") == true, "\(String(describing: status.degraded))")
            #expect(try await again.send(AppsRequest()).apps.map(\.app) == [ServiceHarness.app])
            #expect(try await harness.packs()["E"]?.state == .local)
            #expect(try await again.send(StoragePurgeRequest(bytes: 1)).purged.map(\.download) == ["film"])
            _ = try await again.send(UninstallRequest(app: ServiceHarness.app))
            #expect(try await harness.isGone())
            try disk.resize(to: 64 << 20)
            #expect(try await again.send(StatusRequest()).degraded == nil, "the room is set aside again")
            #expect(FileDescriptor.currentDirectory.exists(at: Ballast(harness.paths).path))
        }
    }

    /// The ballast was given up, or never set aside, and somebody has taken the last byte.
    @Test(arguments: [false, true]) func theServiceStartsWithoutAnyRoomSetAside(wasKilled: Bool) async throws {
        try await with([.essential("E", bytes: 3_000_000)]) { harness, connection, disk in
            try await install(harness, connection)
            try await download("film", 200_000, harness, connection)
            await harness.stop()
            if wasKilled { try leaveLog(harness) }
            let here = FileDescriptor.currentDirectory
            try here.remove(at: Ballast(harness.paths).path)
            try disk.resize(to: try disk.used())
            #expect(try FileSystemSpace(at: disk.path).available == 0)
            try await harness.start()
            let again = try await harness.connect()
            let status = try await again.send(StatusRequest())
            #expect(status.degraded?.contains("larder uninstall") == true, "\(String(describing: status.degraded))")
            #expect(try await again.send(AppsRequest()).apps.map(\.app) == [ServiceHarness.app])
            #expect(try await again.send(LaunchRequest(app: ServiceHarness.app)).isFirstLaunch == false)
            #expect(try await finished(again) == ["film"])
            let refused = await #expect(throws: DeviceError.self) {
                try await harness.schedule(harness.download("next"), again)
            }
            #expect(refused?.message.contains("no space left") == true, "\(String(describing: refused))")
            #expect(try await again.send(StoragePurgeRequest(bytes: 1)).purged.map(\.download) == ["film"])
            #expect(try await harness.packs()["E"]?.state == .local)
            _ = try await again.send(UninstallRequest(app: ServiceHarness.app))
            #expect(try await harness.isGone())
            await harness.stop()
            try disk.resize(to: 64 << 20)
            try await harness.start()
            #expect(try await harness.isGone())
            #expect(try await harness.connect().send(StatusRequest()).degraded == nil)
        }
    }

    /// As a service that is killed leaves its database: with a log and its index. The rows in it are those that were there.
    private func leaveLog(_ harness: ServiceHarness) throws {
        let script = """
            import os, sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            database.execute("PRAGMA wal_autocheckpoint = 0")
            database.execute("UPDATE app SET launched = 1")
            database.commit()
            os._exit(0)
            """
        let output = try ChildProcess.run(
            executable: "/usr/bin/python3", arguments: ["-c", script, harness.paths.database.string])
        #expect(output.exitCode == 0, "\(output.errorText)")
        #expect(FileDescriptor.currentDirectory.exists(at: FilePath(harness.paths.database.string + "-wal")))
    }

    @Test func aServiceThatNeverRanSaysThatItNeedsRoom() async throws {
        try await with([]) { harness, _, disk in
            await harness.stop()
            let here = FileDescriptor.currentDirectory
            for name in ["larder.sqlite", "larder.sqlite-wal", "larder.sqlite-shm", Ballast.name] {
                _ = try? here.remove(at: disk.path.appending(name))
            }
            try disk.resize(to: try disk.used())
            let error = await #expect(throws: DeviceError.self) { try await harness.start() }
            #expect(error?.code == .noSpace && error?.message.contains("larder.sqlite") == true)
            try disk.resize(to: 64 << 20)
            try await harness.start()
            #expect(try await harness.connect().send(AppsRequest()).apps == [])
        }
    }
}
