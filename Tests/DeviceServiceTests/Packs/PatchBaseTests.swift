// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import DeviceProtocol
import Kit
import PackNamespace
import PackUpdates
import System
import TestSupport
import Testing

@testable import DeviceService

/// Which of the listed patches are used: those that start from an archive whose files are on the device, whatever number that
/// version has, and wherever it is.
@Suite(.timeLimit(.minutes(10))) struct PatchBaseTests {
    /// Large files that change all over, so that blocks save little, and a patch much.
    private static func versions(_ random: inout SeededGenerator) -> (old: PackFixture, new: PackFixture) {
        var old = PackFixture("levels", version: 3, files: ["same": random.bytes(100_000)])
        old.files["big"] = random.bytes(600_000)
        old.files["other"] = random.bytes(400_000)
        var new = next(old)
        new.files["fresh"] = random.bytes(3000)
        return (old, new)
    }

    private static func next(_ old: PackFixture) -> PackFixture {
        var new = old
        new.version += 1
        for path in ["big", "other"] {
            for place in stride(from: 0, to: new.files[path]?.count ?? 0, by: 3000) { new.files[path]?[place] &+= 1 }
        }
        return new
    }

    /// Has the new version fetched, and says whether the patch was asked for.
    private func update(_ harness: StoreHarness, _ request: PackRequest, to new: PackFixture) async throws -> Bool {
        let before = harness.server.requests.count
        #expect(try await harness.fetch(request)["levels"]?.local?.version == new.version)
        #expect(try readableFiles(harness.root) == new.files)
        try await harness.expectNothingLeft()
        let asked = harness.server.requests.dropFirst(before).contains { $0.path == "/levels.patch" }
        let tally = try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
        #expect((tally.patched > 0) == asked && !tally.isWhole, "\(tally)")
        return asked
    }

    /// The number of the local version, and the patch starts from what was published under it later.
    @Test func otherBytesUnderTheSameNumberAreAnotherVersion() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            var again = old
            again.files["fresh"] = random.bytes(2000)
            let (request, _, _) = try harness.offerPatch(new, from: again)
            let forecast = try #require(try await harness.store.forecast(app: StoreHarness.app, pack: request.pack))
            #expect(forecast.method != .patch)
            #expect(try await update(harness, request, to: new) == false)
        }
    }

    /// The bytes of the local version under a number that it has no more, or never had here.
    @Test func theSameBytesUnderAnotherNumberAreTheBase() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            var (request, _, _) = try harness.offerPatch(new, from: old)
            request.pack.larder?.patches[0].from = 1
            let forecast = try #require(try await harness.store.forecast(app: StoreHarness.app, pack: request.pack))
            #expect(forecast.method == .patch)
            #expect(try await update(harness, request, to: new))
            // What an update has made is known as well.
            let third = Self.next(new)
            (request, _, _) = try harness.offerPatch(third, from: new)
            request.pack.larder?.patches[0].from = 1
            #expect(try await update(harness, request, to: third))
        }
    }

    /// An app still reads an older version, from which the patch starts; the local one has nothing alike.
    @Test func aVersionThatIsStillReadIsABase() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            let handle = try AppRootReader(root: harness.root).current()
            let between = PackFixture("levels", version: 5, files: ["else": random.bytes(50_000)])
            try await harness.fetch(try harness.offer(between).request)
            var back = new
            back.version = 6
            let (request, _, _) = try harness.offerPatch(back, from: old)
            #expect(try await update(harness, request, to: back))
            withExtendedLifetime(handle) {}
        }
    }

    /// Another app of the same person has the version from which the patch starts; this one has none.
    @Test func anotherAppsVersionIsABase() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            let root = harness.scratch.path.appending("apps/org.example.other")
            let other = AppGenerations(layout: AppRootLayout(root: root))
            try other.prepare()
            try install(old, in: other)
            let (request, _, _) = try harness.offerPatch(new, from: old)
            #expect(try await update(harness, request, to: new))
        }
    }

    /// Lists from before archives were noted, and versions whose list was lost: the number tells.
    @Test(arguments: [false, true]) func versionsOfUnknownArchivesAreToldByTheirNumber(_ hasList: Bool) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            let pack = try #require(try await harness.store.localPacks(app: StoreHarness.app).first)
            let path = ContentList.path(of: harness.root.appending(pack.directory))
            if hasList {
                try AtomicFile.write(ContentListTests.asBefore(try File.read(path)), to: path, durable: false)
                let list = try #require(ContentList(path))
                var count = 0
                list.forEach { _ in count += 1 }
                #expect(list.archive == nil && count == old.files.count)
            } else {
                try FileDescriptor.currentDirectory.remove(at: path)
            }
            let (request, _, _) = try harness.offerPatch(new, from: old)
            #expect(try await update(harness, request, to: new))
        }
    }
}
