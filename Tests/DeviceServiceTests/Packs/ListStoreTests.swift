// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Deltas
import DeviceProtocol
import Kit
import PackUpdates
import System
import TestSupport
import Testing

@testable import DeviceService

/// Updates with a list in place of the index: it is enough for the patch, and whatever is wrong with it, the index comes instead.
@Suite(.timeLimit(.minutes(10))) struct ListStoreTests {
    /// Many small files, some of which change a little, and a large one that a patch saves much of.
    private static func versions(_ random: inout SeededGenerator) -> (old: PackFixture, new: PackFixture) {
        var old = PackFixture("levels", version: 3, files: ["big": random.bytes(700_000)])
        for number in 0..<200 { old.files["maps/\(number).bin"] = random.bytes(400) }
        var new = old
        new.version = 4
        for place in stride(from: 0, to: 700_000, by: 3000) { new.files["big"]?[place] &+= 1 }
        for number in stride(from: 0, to: 200, by: 20) { new.files["maps/\(number).bin"]?.insert(7, at: 150) }
        new.files["fresh"] = random.bytes(3000)
        new.files["moved"] = new.files.removeValue(forKey: "maps/3.bin")
        new.files["empty"] = []
        return (old, new)
    }

    private func tally(_ harness: StoreHarness) async throws -> PackArrival {
        try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
    }

    private static func paths(_ harness: StoreHarness, after count: Int) -> [String] {
        harness.server.requests.dropFirst(count).map(\.path)
    }

    /// After a whole download and after an update, the files that are here are enough to start from.
    @Test func aListIsFetchedInPlaceOfTheIndex() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            var (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            for round in 0..<2 {
                let (request, _, patch, list) = try harness.offerList(new, from: old)
                let index = try #require(request.pack.larder?.index)
                #expect(Int64(list.count) < index.size / 4, "\(list.count) \(index.size)")
                let forecast = try #require(
                    try await harness.store.forecast(app: StoreHarness.app, pack: request.pack))
                let before = harness.server.requests.count
                #expect(try await harness.fetch(request)["levels"]?.local?.version == new.version)
                #expect(try readableFiles(harness.root) == new.files)
                #expect(Self.paths(harness, after: before) == ["/levels.list", "/levels.patch"], "\(round)")
                let tally = try await tally(harness)
                #expect(tally.moved == Int64(list.count + patch.count) && tally.requests == 2, "\(tally)")
                #expect(tally.notes == [] && tally.patched > 700_000, "\(tally)")
                #expect(forecast.method == .patch && forecast.toFetch == tally.moved, "\(forecast)")
                try await harness.expectNothingLeft()
                old = new
                new.version += 1
                for place in stride(from: 100, to: 700_000, by: 5000) { new.files["big"]?[place] &+= 1 }
                for number in stride(from: 1, to: 190, by: 20) { new.files["maps/\(number).bin"]?.insert(7, at: 15) }
            }
        }
    }

    struct Trouble: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var list: [PackServer.Fault] = []
        /// What is done to the list, of which the manifest knows.
        var damage: (@Sendable (inout [UInt8]) -> Void)?
        /// What is noted; nil when nothing is.
        var note: String?
        /// Whether the index is fetched.
        var hasIndex = true
    }

    @Test(arguments: [
        Trouble(testDescription: "gone", list: [.status(404)], note: "404"),
        Trouble(testDescription: "changed on the way", list: [.wrongByte(100)], note: "not the one that is listed"),
        Trouble(testDescription: "cut off", list: [.cut(after: 50), .status(503)], hasIndex: false),
        Trouble(testDescription: "of another version", damage: { $0[20] ^= 1 }, note: "another version"),
        Trouble(testDescription: "from other files", damage: { $0[32] ^= 1 }, note: "other files"),
        Trouble(testDescription: "newer", damage: { $0[8] = 2 }, note: "version 2"),
        Trouble(testDescription: "no list", damage: { $0[0] = 0 }, note: "no list"),
        Trouble(testDescription: "damaged", damage: { $0[PackList.headSize] ^= 0x40 }, note: "damaged"),
    ])
    func listsInTrouble(_ trouble: Trouble) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            var (request, _, _, list) = try harness.offerList(new, from: old)
            if let damage = trouble.damage {
                damage(&list)
                harness.server.serve(list, as: "levels.list")
                request.pack.larder?.patches[0].list?.sha256 = SHA256.hash(list).hex
                let forecast = try #require(
                    try await harness.store.forecast(app: StoreHarness.app, pack: request.pack))
                #expect(forecast.method == .patch, "\(forecast)")
            }
            harness.server.fail(path: "/levels.list", trouble.list)
            let before = harness.server.requests.count
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 4)
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            let tally = try await tally(harness)
            #expect(Self.paths(harness, after: before).contains("/levels.index") == trouble.hasIndex)
            #expect(tally.patched > 700_000 && !tally.isWhole, "\(tally)")
            #expect(tally.notes.count == (trouble.note == nil ? 0 : 1), "\(tally)")
            if let note = trouble.note { #expect(tally.notes[0].contains(note), "\(tally)") }
            try await harness.expectNothingLeft()
        }
    }

    /// What the patch does not give is only found with the index.
    @Test(arguments: [true, false]) func withoutItsPatchTheIndexComes(_ isThere: Bool) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            let (request, archive, made, list) = try harness.offerList(new, from: old)
            var patch = made
            if isThere {
                // A group in its midst does not give what it should.
                for place in stride(from: patch.count / 2, to: patch.count, by: 50) { patch[place] ^= 0x5A }
                harness.server.serve(patch, as: "levels.patch")
            } else {
                harness.server.fail(path: "/levels.patch", [.status(404)])
            }
            let before = harness.server.requests.count
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 4)
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            let paths = Self.paths(harness, after: before)
            #expect(paths.prefix(3) == ["/levels.list", "/levels.patch", "/levels.index"], "\(paths)")
            #expect(paths.dropFirst(3).allSatisfy { ["/levels", "/levels.index"].contains($0) }, "\(paths)")
            let tally = try await tally(harness)
            let index = try #require(request.pack.larder?.index?.size)
            let front = try #require(request.pack.larder?.index?.front?.size)
            #expect(!tally.isWhole && tally.requests >= paths.count - 1, "\(tally)")
            #expect(tally.moved >= Int64(list.count) + front && tally.notes.count >= 1, "\(tally)")
            // Counted once, also what came before the index.
            #expect(tally.moved < Int64(list.count + patch.count + archive.count) + index, "\(tally)")
            try await harness.expectNothingLeft()
        }
    }

    /// The digest over all that the patch gives is another: nothing counts until the index says what is right, which all is.
    @Test func whatTheListDoesNotMeanIsHeldAgainstTheIndex() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            var (request, _, patch, list) = try harness.offerList(new, from: old)
            let base = try #require(
                PackListBase(
                    files: old.files.map { .init(path: $0, size: Int64($1.count), digest: SHA256.hash($1)) }))
            let size = Int(list[12]) | Int(list[13]) << 8 | Int(list[14]) << 16
            var body = try PrefixedStream.decode(list[PackList.headSize...], prefix: base.bytes, size: size)
            let index = try #require(request.pack.larder?.index)
            let listed = try PackList.read(
                list, forIndex: try #require(Digest(hex: index.sha256)), base: base, archiveSize: 1,
                digest: SHA256.hash([]))
            let sum = try #require(listed.unnamed?.digest.bytes)
            let place = try #require(body.indices.first { body[$0...].starts(with: sum) })
            body[place] ^= 1
            list = Array(list[..<PackList.headSize]) + [0] + body
            harness.server.serve(list, as: "levels.list")
            request.pack.larder?.patches[0].list?.size = Int64(list.count)
            request.pack.larder?.patches[0].list?.sha256 = SHA256.hash(list).hex
            request.pack.larder?.index?.front = nil
            let before = harness.server.requests.count
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 4)
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            #expect(Self.paths(harness, after: before) == ["/levels.list", "/levels.patch", "/levels.index"])
            let tally = try await tally(harness)
            #expect(tally.moved == Int64(list.count + patch.count) + index.size, "\(tally)")
            #expect(tally.notes.contains { $0.contains("other files than its list means") }, "\(tally)")
            try await harness.expectNothingLeft()
        }
    }

    /// A patch that gives other contents of the right sizes: they are taken away again, and come as blocks.
    @Test func whatThePatchMadeOtherwiseIsTakenAway() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            var other = new
            other.files["big"]?[4321] ^= 1
            other.files["fresh"]?[5] ^= 1
            let (_, _, made) = try harness.offerPatch(other, from: old)
            try FileDescriptor.currentDirectory.removeTree(at: harness.scratch("made-3-4"))
            var (request, _, patch, list) = try harness.offerList(new, from: old)
            patch = Array(patch[..<48] + made[48...])
            harness.server.serve(patch, as: "levels.patch")
            request.pack.larder?.patches[0].file.size = Int64(patch.count)
            request.pack.larder?.patches[0].file.sha256 = SHA256.hash(patch).hex
            let before = harness.server.requests.count
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 4)
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            let paths = Self.paths(harness, after: before)
            #expect(paths.prefix(3) == ["/levels.list", "/levels.patch", "/levels.index"], "\(paths)")
            #expect(paths.contains("/levels"), "\(paths)")
            #expect(paths.dropFirst(3).allSatisfy { ["/levels", "/levels.index"].contains($0) }, "\(paths)")
            let tally = try await tally(harness)
            #expect(!tally.isWhole && tally.moved > Int64(list.count + patch.count), "\(tally)")
            // What is kept of the version is what is there.
            let pack = try #require(try await harness.store.localPacks(app: StoreHarness.app).first)
            var listed: [String: Digest] = [:]
            try #require(ContentList(ContentList.path(of: harness.root.appending(pack.directory)))).forEach { view in
                guard let record = view.record else { return }
                #expect(listed.updateValue(record.digest, forKey: record.path) == nil)
            }
            #expect(listed == new.files.mapValues { SHA256.hash($0) })
            try await harness.expectNothingLeft()
        }
    }

    /// A version whose files are not known as the list has them, and one that is not here at all.
    @Test func otherLocalFilesTakeTheIndex() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            let pack = try #require(try await harness.store.localPacks(app: StoreHarness.app).first)
            let folder = harness.root.appending(pack.directory)
            // Its list is lost, and a file is gone without a trace: the new list has one file less.
            try FileDescriptor.currentDirectory.remove(at: ContentList.path(of: folder))
            try FileDescriptor.currentDirectory.remove(at: folder.appending("maps/7.bin"))
            let (request, _, _, _) = try harness.offerList(new, from: old)
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 4)
            #expect(try readableFiles(harness.root) == new.files)
            let tally = try await tally(harness)
            #expect(tally.notes.contains { $0.contains("other files") } && !tally.isWhole, "\(tally)")
        }
    }

    /// Stopped in the midst of the patch, it goes on with the list that is here.
    @Test func goesOnWithTheListThatIsHere() async throws {
        try await StoreHarness.with { first in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await first.fetch(try first.offer(old).request)
            let (request, _, patch, _) = try first.offerList(new, from: old)
            first.server.fail(path: "/levels.patch", [.stall(after: Int64(patch.count - 10))])
            let reached = Monitor(false)
            first.server.onRequest { request in
                if request.path == "/levels.patch" { reached.withLock { $0 = true } }
            }
            let before = first.server.requests.count
            try await first.store.request([request])
            _ = try await onOwnThread { reached.wait(atMost: .seconds(20)) { $0 ? () : nil } }
            let harness = try await first.restarted()
            harness.server.fail(path: "/levels.patch", [])
            let events = harness.store.events(ofApp: StoreHarness.app)
            try await harness.store.recover()
            _ = await StoreHarness.outcomes(of: ["levels"], in: events)
            #expect(try readableFiles(harness.root) == new.files)
            let paths = Self.paths(harness, after: before)
            #expect(paths.count { $0 == "/levels.list" } == 1 && !paths.contains("/levels.index"), "\(paths)")
        }
    }
}
