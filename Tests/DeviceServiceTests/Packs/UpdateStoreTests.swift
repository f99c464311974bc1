// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Database
import DeviceProtocol
import Glibc
import Kit
import PackNamespace
import PackUpdates
import System
import TestSupport
import Testing

@testable import DeviceService

/// Updates over a server, in the store: they move what changed, and whatever goes wrong, the old version stays until the new one
/// is whole.
@Suite(.timeLimit(.minutes(10))) struct UpdateStoreTests {
    /// A pack with some files of which one is large, cut in small blocks.
    static func pack(_ random: inout SeededGenerator) -> PackFixture {
        var files: [String: [UInt8]] = [:]
        for number in 0..<30 { files["maps/\(number).bin"] = random.bytes(40_000) }
        files["big"] = random.bytes(1_500_000)
        files["empty"] = []
        files["text"] = Array("as it was".utf8)
        return fixture(files)
    }

    private static func fixture(_ files: [String: [UInt8]], id: String = "levels", version: Int = 1) -> PackFixture {
        var fixture = PackFixture(id, version: version, files: files)
        fixture.blockSize = 16 << 10
        return fixture
    }

    /// The next version: one file changed, one renamed, one new, one gone, one twice, and a few bytes put into the big one.
    private static func next(_ old: PackFixture, _ random: inout SeededGenerator) -> PackFixture {
        var new = old
        new.version += 1
        new.files["maps/3.bin"] = random.bytes(41_000)
        new.files["moved/4.bin"] = new.files.removeValue(forKey: "maps/4.bin")
        new.files["fresh"] = random.bytes(20_000)
        new.files["twice"] = new.files["fresh"]
        new.files["text"] = nil
        new.files["big"]?.insert(contentsOf: random.bytes(10), at: 700_000)
        return new
    }

    private func inode(_ harness: StoreHarness, _ path: String) async throws -> UInt64 {
        let pack = try #require(try await harness.store.localPacks(app: StoreHarness.app).first)
        return try FileDescriptor.currentDirectory.status(
            at: harness.root.appending(pack.directory).appending(path)
        ).inode
    }

    @Test func movesOnlyWhatChanged() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let old = Self.pack(&random)
            try await harness.fetch(try harness.offer(old).request)
            let kept = try await inode(harness, "maps/4.bin")
            let before = harness.server.requests.count
            let new = Self.next(old, &random)
            let (request, archive) = try harness.offerUpdate(new)
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 2)
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            // A renamed file is the old one under another name, and what stands twice is there once.
            #expect(try await inode(harness, "moved/4.bin") == kept)
            #expect(try await inode(harness, "twice") == (try await inode(harness, "fresh")))
            let tally = try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
            #expect(tally.moved < 300_000 && tally.moved > 60_000, "\(tally) of \(archive.count)")
            #expect(tally.notes == [])
            let requests = harness.server.requests.dropFirst(before)
            #expect(requests.first?.path == "/levels.index")
            #expect(requests.allSatisfy { $0.range != nil }, "\(requests)")
            try await harness.expectNothingLeft()
        }
    }

    /// Two files that stay as they are, put together in a third, and no patch.
    @Test func takesChunksOfFilesThatStay() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (first, second) = (random.bytes(900_000), random.bytes(700_000))
            let old = Self.fixture(["a": first, "b": second])
            try await harness.fetch(try harness.offer(old).request)
            let new = Self.fixture(["a": first, "b": second, "both": first + second], version: 2)
            try await harness.fetch(try harness.offerUpdate(new).request)
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            let tally = try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
            #expect(tally.moved < 500_000 && tally.copied > 1_000_000, "\(tally)")
        }
    }

    /// What is new and stands twice, in one file and in others, and old bytes between that are not what they were.
    @Test(arguments: [true, false]) func fetchesOnceWhatStandsTwice(isDamaged: Bool) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (kept, fresh) = (random.bytes(900_000), random.bytes(800_000))
            let old = Self.fixture(["a": kept])
            try await harness.fetch(try harness.offer(old).request)
            if isDamaged {
                let folder = harness.root.appending(
                    try #require(try await harness.store.localPacks(app: StoreHarness.app).first).directory)
                try Self.damage(folder.appending("a"), at: 300_000)
            }
            let new = Self.fixture(
                [
                    "a": kept, "b": kept.dropLast(10_000) + fresh, "c": fresh + kept.dropFirst(10_000) + fresh,
                    "d": [1] + fresh,
                ],
                version: 2)
            try await harness.fetch(try harness.offerUpdate(new).request)
            var files = try readableFiles(harness.root)
            // What is linked is not read.
            if isDamaged { files["a"] = kept }
            #expect(files == new.files, "seed \(random.seed)")
            let tally = try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
            #expect(!tally.isWhole && tally.notes.isEmpty != isDamaged, "\(tally)")
            if !isDamaged { #expect(tally.moved < 1_200_000 && tally.copied > 4_000_000, "\(tally)") }
            try await harness.expectNothingLeft()
        }
    }

    /// What is in a pack of another app is not fetched either.
    @Test func takesFilesOfOtherPacksAndApps() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let other = "org.example.other"
            try FileDescriptor.currentDirectory.makeDirectories(
                at: harness.scratch.path.appending("apps").appending(other))
            try await harness.store.prepare(app: other)
            let shared = random.bytes(300_000)
            var first = try harness.offer(Self.fixture(["shared": shared], id: "theirs")).request
            first.app = other
            let events = harness.store.events(ofApp: other)
            try await harness.store.request([first])
            _ = await StoreHarness.outcomes(of: ["theirs"], in: events)
            let mine = Self.fixture(["mine/shared": shared, "own": random.bytes(1000)], id: "mine")
            let (request, archive) = try harness.offerUpdate(mine)
            #expect(try await harness.fetch(request)["mine"]?.local != nil)
            #expect(try readableFiles(harness.root) == mine.files)
            let tally = try #require(try await harness.store.arrivals(app: StoreHarness.app)["mine"])
            #expect(tally.linked == 300_000 && tally.moved < Int64(archive.count) / 4, "\(tally)")
        }
    }

    struct Trouble: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Of the index, or of the archive.
        var index: PackServer.Fault = .none
        var archive: [PackServer.Fault] = []
        var damagesHeads = false
        var damagesContents = false
        /// What is noted, if the update does not simply go on.
        var note: String?
    }

    /// Whatever the server does, the new version is right in the end, and the reason for moving more is told.
    @Test(arguments: [
        Trouble(testDescription: "no ranges", archive: [.noRanges, .noRanges], note: "gives no ranges"),
        Trouble(testDescription: "first range only", archive: [.firstRangeOnly], note: "no several ranges"),
        Trouble(testDescription: "no index", index: .status(404), note: "nothing there (404)"),
        Trouble(testDescription: "wrong index", index: .wrongByte(100), note: "not the one that is listed"),
        Trouble(testDescription: "damaged heads", damagesHeads: true, note: "archive"),
        Trouble(testDescription: "damaged blocks", damagesContents: true, note: "does not hold what its index says"),
        Trouble(testDescription: "broken off", archive: [.cut(after: 20_000), .reset(after: 9000), .status(503)]),
        Trouble(testDescription: "ranges refused", archive: [.status(416)], note: "no several ranges"),
        Trouble(testDescription: "every range refused", archive: [.status(416), .status(416)], note: "416"),
    ])
    func serversInTrouble(_ trouble: Trouble) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let old = Self.pack(&random)
            try await harness.fetch(try harness.offer(old).request)
            var new = Self.next(old, &random)
            // Changed all over: several ranges, and every one matters.
            for number in 0..<30 where number % 4 == 0 { new.files["maps/\(number).bin"]?[20_000] ^= 1 }
            let (request, archive) = try harness.offerUpdate(new)
            if trouble.damagesHeads || trouble.damagesContents {
                let bad = try Self.damaged(archive, harness, heads: trouble.damagesHeads)
                // Blocks that are unpacked and wrong may be local files' fault: they are asked for once more.
                harness.server.fail(path: "/levels", Array(repeating: .lies(bad), count: trouble.damagesHeads ? 1 : 2))
            }
            if case .none = trouble.index {} else { harness.server.spoil("levels.index", trouble.index) }
            if !trouble.archive.isEmpty { harness.server.fail(path: "/levels", trouble.archive) }
            harness.server.onRequest { _ in
                // Until the commit readers see the old version, whole.
                if (try? readableFiles(harness.root)) != old.files { Issue.record("not the old version") }
            }
            let outcome = try await harness.fetch(request)
            #expect(outcome["levels"]?.local?.version == 2, "\(outcome)")
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            let tally = try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
            if let note = trouble.note {
                #expect(tally.notes.contains { $0.contains(note) }, "\(tally.notes)")
            } else {
                #expect(tally.notes == [])
            }
            try await harness.expectNothingLeft()
        }
    }

    /// An archive with every block's head, or every block's payload, turned into something else.
    private static func damaged(_ archive: [UInt8], _ harness: StoreHarness, heads: Bool) throws -> [UInt8] {
        let path = try harness.scratch.write(archive, to: "made/good.aar")
        let index = try PackIndex.make(ofArchive: path)
        var bad = archive
        let offsets = index.archive.blockOffsets
        for (start, end) in zip(offsets, offsets.dropFirst()) {
            for place in Int(start)..<Int(end) where (place < Int(start) + 16) == heads { bad[place] ^= 0x55 }
        }
        return bad
    }

    /// Another archive at the address in the midst of it: its parts are never mixed in.
    @Test func anArchiveThatIsReplacedMeanwhile() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let old = Self.pack(&random)
            try await harness.fetch(try harness.offer(old).request)
            let new = Self.next(old, &random)
            let (request, archive) = try harness.offerUpdate(new)
            var other = archive
            for index in 1000..<other.count { other[index] ^= 0x55 }
            harness.server.fail(path: "/levels", [.cut(after: 20_000), .replaced(other)])
            let outcome = try await harness.fetch(request)
            #expect(outcome["levels"]?.local == nil, "no such archive is there any more")
            #expect(try readableFiles(harness.root) == old.files)
        }
    }

    /// A local file that is not what it was is fetched; its old bytes reach nobody.
    @Test(arguments: [true, false]) func damagedLocalFiles(keepsTime: Bool) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let old = Self.pack(&random)
            try await harness.fetch(try harness.offer(old).request)
            let folder = harness.root.appending(
                try #require(try await harness.store.localPacks(app: StoreHarness.app).first).directory)
            for (path, place) in [("big", 100_000), ("maps/9.bin", 5)] where !(keepsTime && path != "big") {
                try Self.damage(folder.appending(path), at: place, keepsTime: keepsTime)
            }
            let new = Self.next(old, &random)
            let (request, archive) = try harness.offerUpdate(new)
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 2)
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            let tally = try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
            #expect(tally.moved < archive.count, "\(tally)")
            #expect(tally.notes == [], "what was damaged was seen before it was used")
        }
    }

    /// Writes other bytes into a file; without a trace in its size, and if so wished in its time.
    private static func damage(_ file: FilePath, at place: Int, keepsTime: Bool = true) throws {
        let here = FileDescriptor.currentDirectory
        let time = try here.status(at: file).modificationTime
        try here.setPermissions(.fileDefault, at: file)
        let descriptor = try OwnedDescriptor(file, .readWrite)
        try descriptor.borrowed.seek(offset: Int64(place), from: .start)
        try descriptor.borrowed.writeAll([0, 1, 2, 3, 4, 5, 6, 7])
        let new =
            keepsTime
            ? timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds)) : timespec(tv_sec: 1, tv_nsec: 0)
        try systemCall { futimens(descriptor.borrowed.rawValue, [new, new]) }
    }

    /// The service is stopped at any moment, again and again, and what is there counts.
    @Test func goesOnAfterAnyStop() async throws {
        try await StoreHarness.with { first in
            var random = SeededGenerator.forTest()
            let old = Self.pack(&random)
            try await first.fetch(try first.offer(old).request)
            var new = Self.next(old, &random)
            new.files["big"] = random.bytes(6_000_000)
            let (request, archive) = try first.offerUpdate(new)
            var harness = first
            for round in 0..<8 {
                harness.server.fail(
                    path: "/levels", [.stall(after: Int64.random(in: 0...1_500_000, using: &random))])
                let reached = Monitor(0)
                harness.server.onRequest { request in
                    guard request.path == "/levels" else { return }
                    reached.withLock { $0 += 1 }
                }
                let events = harness.store.events(ofApp: StoreHarness.app)
                if round == 0 {
                    try await harness.store.request([request])
                } else {
                    try await harness.store.recover()
                }
                // Stopped when the server holds its breath, or in the midst of it.
                let wait = Duration.milliseconds(Int.random(in: 0...60, using: &random))
                _ = try await onOwnThread { reached.wait(atMost: .seconds(5)) { $0 > 0 ? () : nil } }
                _ = try await onOwnThread { reached.wait(atMost: wait) { $0 > 1000 ? () : nil } }
                _ = events
                harness = try await harness.restarted()
                if try await harness.store.localPacks(app: StoreHarness.app).first?.version == 2 { break }
                #expect(try readableFiles(harness.root) == old.files, "seed \(random.seed)")
            }
            harness.server.fail(path: "/levels", [])
            let events = harness.store.events(ofApp: StoreHarness.app)
            try await harness.store.recover()
            let version = try await harness.store.localPacks(app: StoreHarness.app).first?.version
            if version != 2 { _ = await StoreHarness.outcomes(of: ["levels"], in: events) }
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            _ = archive
            await harness.store.close()
            await harness.database.close()
        }
    }

    /// Random trees through several versions, some of them skipped.
    @Test func anyTreeComesOutRight() async throws {
        var random = SeededGenerator.forTest()
        for _ in 0..<4 {
            try await StoreHarness.with { harness in
                var fixture = PackFixture.random("levels", bytes: Int.random(in: 1...900_000, using: &random), &random)
                fixture.blockSize = [4 << 10, 16 << 10, 64 << 10].randomElement(using: &random) ?? 4 << 10
                try await harness.fetch(try harness.offer(fixture).request)
                for version in 2...5 {
                    fixture.version = version
                    Self.change(&fixture, &random)
                    // A version that this device never sees.
                    if Int.random(in: 0...2, using: &random) == 0 { Self.change(&fixture, &random) }
                    let (request, _) = try harness.offerUpdate(fixture)
                    #expect(try await harness.fetch(request)["levels"]?.local?.version == version)
                    #expect(try readableFiles(harness.root) == fixture.files, "seed \(random.seed)")
                }
            }
        }
    }

    private static func change(_ fixture: inout PackFixture, _ random: inout SeededGenerator) {
        for path in fixture.files.keys.sorted() {
            switch Int.random(in: 0...9, using: &random) {
            case 0: fixture.files[path] = nil
            case 1: fixture.files["n/\(path)"] = fixture.files.removeValue(forKey: path)
            case 2: fixture.files[path] = random.bytes(Int.random(in: 0...60_000, using: &random))
            case 3:
                let place = Int.random(in: 0...(fixture.files[path]?.count ?? 0), using: &random)
                fixture.files[path]?.insert(contentsOf: random.bytes(Int.random(in: 1...99, using: &random)), at: place)
            case 4: fixture.files["c/\(random.next())"] = fixture.files[path]
            default: break
            }
        }
        fixture.files["z\(random.next())"] = random.bytes(Int.random(in: 0...100_000, using: &random))
    }
}
