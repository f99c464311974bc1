// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import Glibc
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// A disk that becomes full at any write: the error says so, nothing is left behind, what was local stays whole. It takes a
/// file system of its own, and so the right to mount one.
@Suite(
    .serialized, .timeLimit(.minutes(5)), .enabled(if: SmallDisk.isAvailable, "needs the right to mount a tmpfs"))
struct FullDiskTests {
    @Test func anyWriteMayFail() async throws {
        try await Scratch.with { scratch in
            var random = SeededGenerator.forTest()
            let server = try PackServer()
            scratch.addCleanup { server.stop() }
            let apps = try scratch.makeDirectory("apps")
            let disk = try SmallDisk(at: apps)
            defer { disk.unmount() }
            let harness = try await StoreHarness(scratch, server)
            try FileDescriptor.currentDirectory.makeDirectories(at: harness.root)
            try await harness.store.prepare(app: StoreHarness.app)
            var old = PackFixture("old", files: ["old/file": random.bytes(200_000)])
            try await harness.fetch(try harness.offer(old).request)
            var new = PackFixture("new", files: [:])
            new.blockSize = 64 << 10
            for number in 0..<60 { new.files["new/\(number % 7)/\(number)"] = random.bytes(40_000) }
            new.files["new/big"] = random.bytes(1_500_000)
            let request = try harness.offer(new).request

            let used = try disk.used()
            var failures = 0
            var extra: Int64 = 0
            while true {
                try disk.resize(to: used + extra)
                let outcome = try await harness.fetch(request)["new"]
                if outcome?.local != nil { break }
                failures += 1
                #expect(outcome?.error?.code == .noSpace, "with \(extra) bytes left: \(String(describing: outcome))")
                try await harness.expectNothingLeft(butFailed: ["new"])
                #expect(try readableFiles(harness.root) == old.files)
                let left = try await disk.settles(at: used + 4096)
                #expect(left <= used + 4096, "with \(extra) bytes left")
                extra += extra < 65_536 ? 4096 : extra < 3_700_000 ? 330_000 : 12_288
            }
            #expect(failures > 20)
            #expect(try readableFiles(harness.root) == old.files.merging(new.files) { $1 })
            // At its most the install took no more than the files, in whole blocks, and a little.
            let content = new.files.values.reduce(Int64(0)) { $0 + Int64(($1.count + 4095) / 4096 * 4096) }
            #expect(extra < content + (256 << 10))
            // With room for no more than the next generation's table, removing works and makes room.
            try disk.resize(to: try disk.used() + 16_384)
            old.files = [:]
            try await harness.store.remove(app: StoreHarness.app, pack: "old")
            #expect(try readableFiles(harness.root) == new.files)
            await harness.store.close()
            await harness.database.close()
        }
    }
}

/// Likewise for a whole install: with no room even for the rows that undo it.
@Suite(
    .serialized, .timeLimit(.minutes(5)), .enabled(if: SmallDisk.isAvailable, "needs the right to mount a tmpfs"))
struct FullDiskInstallTests {
    @Test func anInstallThatFillsTheDiskLeavesNothing() async throws {
        try await ServiceHarness.with([.essential("Bad"), .essential("E", bytes: 3_000_000)]) { harness in
            await harness.stop()
            let disk = try SmallDisk(at: try harness.scratch.makeDirectory("s"))
            defer { disk.unmount() }
            // A download that the server holds is tried again soon.
            try await harness.start { $0.stallTimeout = .seconds(1) }
            let connection = try await harness.connect()
            _ = try await connection.send(URLOverrideSetRequest(url: harness.server.origin))
            // One pack has failed already; the other has brought nothing whose deletion would make room.
            harness.server.spoil("Bad-1", .status(404))
            harness.server.spoil("E-1", .stall(after: 0))
            let path = try harness.bundle()
            var events = connection.stream(InstallRequest(path: path)).makeAsyncIterator()
            while let event = try await events.next(), event.packs.allSatisfy({ $0.state != .failed }) {}
            // The log of the database has no room to spare either.
            let database = try await SQLiteDatabase(path: harness.paths.database, migrations: Schema.migrations)
            try await database.read { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
            await database.close()
            try disk.resize(to: try disk.used())
            harness.server.spoil("E-1", nil)
            var last: InstallEvent?
            while let event = try await events.next() { last = event }
            #expect(last?.phase == .failed)
            #expect(last?.error?.exitCode == .noSpace, "\(String(describing: last))")
            let status = try await connection.send(StatusRequest())
            #expect(status.transfers == [])
            #expect(status.installs == [])
            #expect(try await harness.isGone())
            try disk.resize(to: 64 << 20)
            await harness.stop()
            try await harness.start()
            let again = try await harness.connect().send(StatusRequest())
            #expect(again.transfers == [])
            #expect(again.installs == [])
            #expect(try await harness.isGone())
            await harness.stop()
        }
    }
}

/// A tmpfs whose size can be changed.
struct SmallDisk: Sendable {
    let path: FilePath

    static let isAvailable: Bool = {
        guard geteuid() == 0, let folder = try? TemporaryDirectory(prefix: "larder-mount") else { return false }
        guard let disk = try? SmallDisk(at: folder.path) else { return false }
        disk.unmount()
        return true
    }()

    init(at path: FilePath) throws {
        self.path = path
        try Self.run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", path.string)
    }

    func resize(to bytes: Int64) throws {
        try Self.run("mount", "-o", "remount,size=\(max(bytes, 4096))", path.string)
    }

    func used() throws -> Int64 {
        let space = try FileSystemSpace(at: path)
        return space.total - space.available
    }

    /// Waits until no more than `bytes` are used and returns what is. A child that another test starts meanwhile has all
    /// descriptors of this process until its exec, and deleted files keep their blocks for as long.
    func settles(at bytes: Int64) async throws -> Int64 {
        let end = ContinuousClock.now + .seconds(20)
        while true {
            let used = try used()
            if used <= bytes || ContinuousClock.now > end { return used }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    func unmount() { _ = try? Self.run("umount", "-l", path.string) }

    private static func run(_ program: String, _ arguments: String...) throws {
        let result = try ChildProcess.run(executable: FilePath(program), arguments: arguments)
        guard result.exitCode == 0 else { throw StoreError(.system, result.errorText) }
    }
}
