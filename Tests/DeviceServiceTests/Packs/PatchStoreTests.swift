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
@testable import HTTP

/// Updates by patch over a server, in the store: the cheapest way is taken, and whatever the patch does not give comes in another.
@Suite(.timeLimit(.minutes(10))) struct PatchStoreTests {
    /// A pack whose large files change all over, so that blocks save little, and a patch much.
    /// - Parameter isLong: the large files are long enough that their digests are taken while what follows is made, and the second
    ///   is made of what is new in the first.
    private static func versions(
        _ random: inout SeededGenerator, isLong: Bool = false
    ) -> (old: PackFixture, new: PackFixture) {
        var old = PackFixture("levels", version: 3, files: [:])
        old.blockSize = 16 << 10
        old.files["big"] = random.bytes(isLong ? 1_300_000 : 900_000)
        old.files["other"] = random.bytes(isLong ? 1_100_000 : 500_000)
        for number in 0..<12 { old.files["maps/\(number).bin"] = random.bytes(30_000) }
        old.files["same"] = random.bytes(100_000)
        var new = old
        new.version = 4
        for path in ["big", "other"] {
            for place in stride(from: 0, to: new.files[path]?.count ?? 0, by: 3000) { new.files[path]?[place] &+= 1 }
        }
        for number in 0..<6 { new.files["maps/\(number).bin"]?.insert(7, at: 15_000) }
        new.files["fresh"] = random.bytes(3000)
        new.files["moved"] = new.files.removeValue(forKey: "same")
        if isLong {
            let both = random.bytes(400_000)
            for path in ["big", "other"] { new.files[path]? += both }
        }
        return (old, new)
    }

    private func tally(_ harness: StoreHarness) async throws -> PackArrival {
        try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
    }

    @Test func aPatchIsTakenWhereItMovesLeast() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            let before = harness.server.requests.count
            let (request, archive, patch) = try harness.offerPatch(new, from: old)
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 4)
            #expect(try readableFiles(harness.root) == new.files)
            let requests = harness.server.requests.dropFirst(before)
            // Of the index the front and what it lists anew.
            #expect(requests.map(\.path) == ["/levels.index", "/levels.index", "/levels.patch"], "\(requests)")
            let tally = try await tally(harness)
            #expect(tally.patched > 1_500_000 && tally.notes == [] && !tally.isWhole, "\(tally)")
            #expect(tally.moved < archive.count / 4 && tally.moved > patch.count)
            try await harness.expectNothingLeft()
        }
    }

    /// What is told beforehand is what it takes then: by patch, by blocks, and whole, without fetching any of them.
    @Test(arguments: [UpdatePlan.Method.patch, .blocks, .whole, .nothing]) func aForecastComesTrue(
        _ method: UpdatePlan.Method
    ) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            var (old, new) = Self.versions(&random)
            if method == .nothing {
                new.files = old.files
                new.files["moved"] = new.files.removeValue(forKey: "same")
            }
            try await harness.fetch(try harness.offer(old).request)
            var (request, archive, _) = try harness.offerPatch(new, from: old)
            if method == .blocks { request.pack.larder?.patches = [] }
            if method == .whole { request.pack.larder?.index = nil }
            let before = harness.server.requests.count
            let forecast = try #require(
                try await harness.store.forecast(app: StoreHarness.app, pack: request.pack))
            let asked = harness.server.requests.dropFirst(before)
            // Of the archive a byte of each range is asked for, to see whether it can be had so.
            let bytes = asked.filter { $0.path == "/levels" }.flatMap {
                RangeField($0.range ?? "")?.resolved(size: 1 << 40) ?? []
            }
            #expect(bytes.count <= 16 && bytes.allSatisfy { $0.count == 1 } && (method != .blocks) == bytes.isEmpty)
            #expect(asked.allSatisfy { $0.path == "/levels.index" || $0.range != nil }, "\(asked)")
            #expect(try await harness.store.localPacks(app: StoreHarness.app).first?.version == 3)
            try await harness.expectNothingLeft()

            #expect(try await harness.fetch(request)["levels"]?.local?.version == 4)
            let tally = try await tally(harness)
            #expect(forecast.method == method, "\(forecast)")
            #expect(tally.isWhole == (method == .whole) && (tally.patched > 0) == (method == .patch), "\(tally)")
            // Several parts come with some lines between them.
            #expect(abs(forecast.toFetch - tally.moved) <= (method == .blocks ? 4096 : 0), "\(forecast) \(tally)")
            #expect(method == .whole || forecast.toWrite == tally.written, "\(forecast) \(tally)")
            #expect(forecast.toFetch <= Int64(archive.count) && (forecast.note != nil) == (method == .whole))
        }
    }

    /// Of a patch from a version that is not here, or of files that another pack has, nothing is fetched.
    @Test func onlyTheGroupsThatAreNeededCome() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            var (old, new) = Self.versions(&random)
            old.files["large"] = random.bytes(600_000)
            // Larger than what may come along for nothing, and without anything alike.
            new.files["large"] = random.bytes(1_500_000)
            new.files["huge"] = random.bytes(4_500_000)
            try await harness.fetch(try harness.offer(old).request)
            var sibling = PackFixture("sibling", files: ["x": new.files["huge"] ?? []])
            sibling.blockSize = 16 << 10
            try await harness.fetch(try harness.offer(sibling).request)
            let (request, _, patch) = try harness.offerPatch(new, from: old)
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 4)
            #expect(try readableFiles(harness.root).filter { $0.key != "x" } == new.files)
            let tally = try await tally(harness)
            #expect(tally.linked >= 4_500_000 && tally.patched > 1_000_000, "\(tally)")
            #expect(tally.moved < patch.count - 3_000_000, "\(tally) of \(patch.count)")
            #expect(tally.notes == [])
        }
    }

    struct Trouble: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var patch: [PackServer.Fault] = []
        var archive: [PackServer.Fault] = []
        /// What is done to the patch's bytes.
        var damage: (@Sendable (_ patch: inout [UInt8], _ random: inout SeededGenerator) -> Void)?
        /// What is noted; nil when nothing is.
        var note: String?
        /// Whether the patch gives something all the same; nil when that is a matter of luck.
        var isPatched: Bool?
    }

    @Test(arguments: [
        Trouble(testDescription: "gone", patch: [.status(404)], note: "404", isPatched: false),
        Trouble(
            testDescription: "a server without ranges", patch: [.noRanges, .noRanges], archive: [.noRanges],
            isPatched: true),
        Trouble(
            testDescription: "broken off", patch: [.cut(after: 9000), .reset(after: 5000), .status(503)],
            isPatched: true),
        Trouble(
            testDescription: "first range only", patch: [.cut(after: 9000), .firstRangeOnly, .firstRangeOnly],
            isPatched: true),
        Trouble(
            testDescription: "no patch at all",
            damage: { patch, random in patch = random.bytes(patch.count) }, note: "no patch", isPatched: false),
        Trouble(
            testDescription: "of another version", damage: { patch, _ in patch[50] ^= 1 }, note: "another version",
            isPatched: false),
        Trouble(
            testDescription: "damaged deltas",
            damage: { patch, random in
                for _ in 0..<40 { patch[Int.random(in: patch.count / 2..<patch.count, using: &random)] ^= 0x5A }
            }, note: ""),
        Trouble(
            testDescription: "cut off", damage: { patch, _ in patch.removeLast(patch.count / 3) }, note: ""),
    ])
    func patchesInTrouble(_ trouble: Trouble) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            var (request, _, patch) = try harness.offerPatch(new, from: old)
            if let damage = trouble.damage {
                damage(&patch, &random)
                harness.server.serve(patch, as: "levels.patch")
                request.pack.larder?.patches[0].file.size = Int64(patch.count)
            }
            harness.server.fail(path: "/levels.patch", trouble.patch)
            harness.server.fail(path: "/levels", trouble.archive)
            harness.server.onRequest { _ in
                if (try? readableFiles(harness.root)) != old.files { Issue.record("not the old version") }
            }
            let outcome = try await harness.fetch(request)
            #expect(outcome["levels"]?.local?.version == 4, "\(outcome)")
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            let tally = try await tally(harness)
            if let note = trouble.note {
                #expect(tally.notes.contains { note.isEmpty || $0.contains(note) }, "\(tally.notes)")
            }
            if let isPatched = trouble.isPatched { #expect((tally.patched > 0) == isPatched, "\(tally)") }
            #expect(!tally.isWhole, "\(tally)")
            try await harness.expectNothingLeft()
        }
    }

    /// An update that does not work out is fetched whole, and what it moved before counts.
    @Test func whatAnUpdateInVainMovedIsTold() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            var (request, archive, _) = try harness.offerPatch(new, from: old)
            request.pack.larder?.index?.front = nil
            let index = try #require(request.pack.larder?.index)
            harness.server.fail(path: "/levels.index", [.wrongByte(100)])
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 4)
            let tally = try await tally(harness)
            #expect(tally.isWhole && tally.notes.count == 1 && tally.requests == 2, "\(tally)")
            #expect(tally.moved == Int64(archive.count) + index.size, "\(tally) \(archive.count) \(index.size)")
        }
    }

    /// A file of the old version that was damaged without a trace fails its group alone, and groups that start from what that gives.
    @Test(arguments: [false, true]) func aDamagedBaseFailsItsGroupAlone(_ isLong: Bool) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random, isLong: isLong)
            try await harness.fetch(try harness.offer(old).request)
            let folder = harness.root.appending(
                try #require(try await harness.store.localPacks(app: StoreHarness.app).first).directory)
            let here = FileDescriptor.currentDirectory
            let time = try here.status(at: folder.appending("big")).modificationTime
            try here.setPermissions(.fileDefault, at: folder.appending("big"))
            let file = try OwnedDescriptor(folder.appending("big"), .readWrite)
            try file.borrowed.seek(offset: 450_001, from: .start)
            try file.borrowed.writeAll([UInt8](repeating: 0x77, count: 2000))
            let times = timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds))
            try systemCall { futimens(file.borrowed.rawValue, [times, times]) }
            let (request, _, _) = try harness.offerPatch(new, from: old)
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 4)
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            let tally = try await tally(harness)
            #expect(tally.notes.contains { $0.contains("does not give all") }, "\(tally)")
            #expect(tally.patched > 500_000 && !tally.isWhole, "\(tally)")
            try await harness.expectNothingLeft()
        }
    }

    /// What a patch gives is the base of what follows in it before its digest is known.
    @Test func whatIsNewServesInTheSamePatch() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random, isLong: true)
            try await harness.fetch(try harness.offer(old).request)
            let (request, _, patch) = try harness.offerPatch(new, from: old)
            // The new bytes are in the patch once.
            #expect(patch.count < 600_000, "\(patch.count)")
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 4)
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            let tally = try await tally(harness)
            #expect(tally.patched > 3_000_000 && tally.notes == [] && !tally.isWhole, "\(tally)")
            try await harness.expectNothingLeft()
        }
    }

    /// The service is stopped at any moment of a patch, again and again; no group is fetched from its beginning twice.
    @Test(arguments: [false, true]) func goesOnInTheMidstOfAPatch(_ isLong: Bool) async throws {
        try await StoreHarness.with { first in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random, isLong: isLong)
            try await first.fetch(try first.offer(old).request)
            let (request, _, patch) = try first.offerPatch(new, from: old)
            var harness = first
            for round in 0..<5 {
                let stall = Int64.random(in: 0...Int64(patch.count / 2), using: &random)
                harness.server.fail(path: "/levels.patch", [.stall(after: stall)])
                let reached = Monitor(false)
                harness.server.onRequest { request in
                    if request.path == "/levels.patch" { reached.withLock { $0 = true } }
                }
                if round == 0 {
                    try await harness.store.request([request])
                } else {
                    try await harness.store.recover()
                }
                _ = try await onOwnThread { reached.wait(atMost: .seconds(20)) { $0 ? () : nil } }
                let pause = Duration.milliseconds(Int.random(in: 0...80, using: &random))
                _ = try await onOwnThread { Monitor(false).wait(atMost: pause) { $0 ? () : nil } }
                harness = try await harness.restarted()
                if try await harness.store.localPacks(app: StoreHarness.app).first?.version == 4 { break }
                #expect(try readableFiles(harness.root) == old.files, "seed \(random.seed)")
            }
            harness.server.fail(path: "/levels.patch", [])
            let events = harness.store.events(ofApp: StoreHarness.app)
            try await harness.store.recover()
            if try await harness.store.localPacks(app: StoreHarness.app).first?.version != 4 {
                _ = await StoreHarness.outcomes(of: ["levels"], in: events)
            }
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            let tally = try await tally(harness)
            #expect(tally.patched > 0 && tally.notes == [], "\(tally)")
            #expect(harness.server.requests.allSatisfy { $0.path != "/levels" || $0.range == nil })
            await harness.store.close()
            await harness.database.close()
        }
    }
}
