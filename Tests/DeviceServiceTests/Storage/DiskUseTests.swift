// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// What shared files count for.
@Suite(.timeLimit(.minutes(5))) struct DiskUseTests {
    private let here = FileDescriptor.currentDirectory

    @Test func aFileWithSeveralNamesCountsOnce() throws {
        try Scratch.with { scratch in
            try scratch.write([UInt8](repeating: 1, count: 100_000), to: "a/own")
            try scratch.write([UInt8](repeating: 2, count: 200_000), to: "a/shared")
            try scratch.write([UInt8](repeating: 3, count: 50_000), to: "a/twice")
            try scratch.makeDirectory("b")
            try here.link(from: scratch("a/shared"), to: scratch("b/shared"), in: here)
            try here.link(from: scratch("a/twice"), to: scratch("a/again"), in: here)
            func size(_ path: String) throws -> Int64 { try here.status(at: scratch(path)).allocatedSize }
            var use = DiskUse()
            #expect(try use.add([scratch("a")], of: 1) == 0)
            #expect(try use.add([scratch("b"), scratch("nothing")], of: 2) == 1)
            let found = use.result()
            let all = try ["a", "b", "a/own", "a/shared", "a/twice"].reduce(Int64(0)) { try $0 + size($1) }
            #expect(found.total == all)
            let (a, b) = (found.parts[0], found.parts[1])
            #expect(try a.allocated == all - size("b") && a.unique == a.allocated - size("a/shared"))
            #expect(try b.allocated == size("b") + size("a/shared") && b.unique == size("b"))
            #expect(a.logical == 400_000 && b.logical == 200_000)
            #expect(found.owners[1] == a && found.owners[2] == b)
            // Of one owner the two are all that there is of it.
            var one = DiskUse()
            _ = try (one.add([scratch("a")], of: 7), one.add([scratch("b")], of: 7))
            let owned = try #require(one.result().owners[7])
            #expect(owned.allocated == all && owned.unique == all)
            // A name that nobody looked at is one, too.
            var part = DiskUse()
            _ = try part.add([scratch("b")])
            #expect(try part.result().parts[0].unique == size("b"))
        }
    }

    @Test func packsThatShareAFileTakeItOnce() async throws {
        let offers = [ServiceHarness.Offer.essential("E", bytes: 300_000), .essential("F", bytes: 1000)]
        try await ServiceHarness.with(offers) { harness in
            #expect(try await harness.install(harness.bundle()).last?.phase == .complete)
            let connection = try await harness.connect()
            let root = harness.paths.appRoot(ServiceHarness.app)
            let packs = root.appending("packs")
            func version(_ pack: String) throws -> FilePath {
                let folder = packs.appending(pack)
                let name = try here.entries(at: folder).first { $0.kind == .directory }?.name
                return folder.appending(try #require(name))
            }
            let before = try await connection.send(StorageRequest())
            let listed = try await connection.send(AppsRequest()).apps.first?.allocatedSize
            let recorded = try await connection.send(AppsRequest(measures: false)).apps.first?.allocatedSize
            #expect((300_000...).contains(try #require(recorded)))
            // As an update links what another pack has already.
            let (from, to) = (try version("E").appending("E"), try version("F"))
            try here.setPermissions(.directoryPrivate, at: to)
            try here.link(from: from.appending("file"), to: to.appending("shared"), in: here)
            let after = try await connection.send(StorageRequest())
            let size = try here.status(at: from.appending("file")).allocatedSize
            #expect(size >= 300_000)
            let app = try #require(after.apps.first)
            let e = try #require(app.packs.first { $0.id == "E" })
            let f = try #require(app.packs.first { $0.id == "F" })
            #expect(e.allocatedSize >= size && f.allocatedSize >= size)
            #expect(e.allocatedSize - (e.uniqueSize ?? 0) == size && f.allocatedSize - (f.uniqueSize ?? 0) == size)
            #expect(app.allocatedSize == before.apps.first?.allocatedSize && app.uniqueSize == app.allocatedSize)
            #expect(try await connection.send(AppsRequest()).apps.first?.allocatedSize == listed)
            #expect(
                try await connection.send(AppsRequest(measures: false)).apps.first?.allocatedSize == recorded)
            // Of the total the bookkeeping may have changed.
            let others = try #require(after.total) - after.bookkeeping
            #expect(others == (try #require(before.total)) - before.bookkeeping)
        }
    }
}
