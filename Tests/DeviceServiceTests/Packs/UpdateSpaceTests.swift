// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Database
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Updates on a disk with room for what changed, and for nothing more.
@Suite(
    .serialized, .timeLimit(.minutes(5)), .enabled(if: SmallDisk.isAvailable, "needs the right to mount a tmpfs"))
struct UpdateSpaceTests {
    @Test func anUpdateThatFitsIsNotRefused() async throws {
        try await Scratch.with { scratch in
            let disk = try SmallDisk(at: scratch.path)
            defer { disk.unmount() }
            let server = try PackServer()
            let space = SpaceKeeper(state: scratch.path, notes: NoteBoard(), log: .silent)
            let harness = try await StoreHarness(scratch, server, space: space)
            try FileDescriptor.currentDirectory.makeDirectories(at: harness.root)
            try await harness.store.prepare(app: StoreHarness.app)
            var random = SeededGenerator.forTest()
            var fixture = PackFixture("levels", version: 1, files: [:])
            fixture.blockSize = 64 << 10
            for number in 0..<12 { fixture.files["maps/\(number)"] = random.bytes(1 << 20) }
            try await harness.fetch(try harness.offer(fixture).request)
            fixture.version = 2
            fixture.files["maps/3"] = random.bytes(1 << 20)
            let (request, _) = try harness.offerUpdate(fixture)
            try FileDescriptor.currentDirectory.removeTree(at: scratch("made"))
            // What is kept free, bookkeeping, and the one file.
            try disk.resize(to: try disk.used() + 8 << 20)

            var whole = request
            whole.pack.larder?.index = nil
            #expect(try await harness.store.plan([whole], alsoWriting: 0).fits == false)
            let plan = try await harness.store.plan([request], alsoWriting: 0)
            let asked = server.requests.filter { $0.path == "/levels.index" }.count
            #expect(plan.fits && plan.toWrite < 2 << 20 && plan.toFetch < 2 << 20, "\(plan)")
            #expect(try await harness.store.plan([request], alsoWriting: 6 << 20).fits == false)
            #expect(server.requests.filter { $0.path == "/levels.index" }.count == asked, "it is asked for once")
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 2)
            #expect(try readableFiles(harness.root) == fixture.files, "seed \(random.seed)")
            // What does not fit is refused before anything is written, and that is what is said.
            fixture.version = 3
            for number in 0..<12 { fixture.files["maps/\(number)"] = random.bytes(1 << 20) }
            let refused = try await harness.fetch(try harness.offer(fixture, kind: .update).request)["levels"]
            #expect(refused?.error?.message.contains("of disk space") == true, "\(String(describing: refused))")
            #expect(refused?.error?.message.contains("deleted") == false)
            await harness.store.close()
            await harness.database.close()
            try await onOwnThread { server.stop() }
        }
    }
}
