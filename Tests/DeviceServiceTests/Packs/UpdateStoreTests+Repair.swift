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

/// Local packs are verified, and what is damaged is fetched again.
extension UpdateStoreTests {
    /// What is damaged is found, and alone fetched again; readers have the old files until then.
    @Test(arguments: [true, false]) func verifiesAndRepairs(hasIndex: Bool) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let pack = Self.pack(&random)
            let (request, archive) = try hasIndex ? harness.offerUpdate(pack) : harness.offer(pack)
            try await harness.fetch(request)
            let app = StoreHarness.app
            #expect(try await harness.store.verify(app: app, pack: nil, repairs: true).first?.damaged == [])
            let folder = harness.root.appending(
                try #require(try await harness.store.localPacks(app: app).first).directory)
            let here = FileDescriptor.currentDirectory
            let time = try here.status(at: folder.appending("maps/9.bin")).modificationTime
            try here.setPermissions(.fileDefault, at: folder.appending("maps/9.bin"))
            let file = try OwnedDescriptor(folder.appending("maps/9.bin"), .readWrite)
            try file.borrowed.writeAll([1, 2, 3, 4, 5])
            let old = timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds))
            try systemCall { futimens(file.borrowed.rawValue, [old, old]) }
            try here.remove(at: folder.appending("text"))
            // Damage without a trace in size or time, and a file that is gone; told each time one asks.
            for _ in 0..<2 {
                let found = try await harness.store.verify(app: app, pack: "levels", repairs: false)
                #expect(found.first?.damaged == ["maps/9.bin", "text"] && found.first?.isRepairing == false)
            }
            let events = harness.store.events(ofApp: app)
            #expect(try await harness.store.verify(app: app, pack: nil, repairs: true).first?.isRepairing == true)
            #expect(try await harness.store.transfers(app: app).allSatisfy(\.isRepair))
            _ = await StoreHarness.outcomes(of: ["levels"], in: events)
            #expect(try readableFiles(harness.root) == pack.files, "seed \(random.seed)")
            #expect(try await harness.store.verify(app: app, pack: nil, repairs: false).first?.damaged == [])
            let tally = try #require(try await harness.store.arrivals(app: app)["levels"])
            #expect(tally.isWhole == !hasIndex)
            if hasIndex { #expect(tally.moved < archive.count / 4, "\(tally)") }
            await #expect(throws: StoreError.self) {
                _ = try await harness.store.verify(app: app, pack: "nothing", repairs: false)
            }
        }
    }

    /// What is local when it goes on has the number of what is wanted, and is still not it.
    @Test func aRepairGoesOnAfterARestart() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let pack = Self.pack(&random)
            let (request, archive) = try harness.offerUpdate(pack)
            try await harness.fetch(request)
            let app = StoreHarness.app
            let local = try #require(try await harness.store.localPacks(app: app).first)
            try FileDescriptor.currentDirectory.remove(at: harness.root.appending(local.directory).appending("text"))
            harness.server.spoil("levels.index", .status(503))
            #expect(try await harness.store.verify(app: app, pack: nil, repairs: true).first?.isRepairing == true)
            let again = try await harness.restarted()
            try await again.store.recover()
            #expect(try await again.store.transfers(app: app).map(\.isRepair) == [true])
            let events = again.store.events(ofApp: app)
            harness.server.spoil("levels.index", nil)
            if try await !again.store.transfers(app: app).isEmpty {
                _ = await StoreHarness.outcomes(of: ["levels"], in: events)
            }
            #expect(try readableFiles(harness.root) == pack.files, "seed \(random.seed)")
            let arrival = try #require(try await again.store.arrivals(app: app)["levels"])
            #expect(!arrival.isWhole && arrival.moved < archive.count / 4, "\(arrival)")
            // That it was one is forgotten with it.
            let last = try await again.restarted()
            try await last.store.recover()
            #expect(try await last.store.transfers(app: app).isEmpty)
            #expect(try await last.store.arrivals(app: app)["levels"] == arrival)
            await last.store.close()
            await last.database.close()
        }
    }
}
