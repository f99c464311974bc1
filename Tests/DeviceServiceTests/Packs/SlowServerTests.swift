// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import Kit
import PackNamespace
import System
import TestSupport
import Testing

@testable import DeviceService

/// Servers whose answers never end: because of what they send, or because of how slowly. Whatever they are asked for, it ends,
/// says why, and leaves the old version.
@Suite(.timeLimit(.minutes(5))) struct SlowServerTests {
    private static func versions(_ random: inout SeededGenerator) -> (old: PackFixture, new: PackFixture) {
        let old = PackFixture(
            "levels", version: 3, files: ["big": random.bytes(600_000), "other": random.bytes(300_000)])
        var new = old
        new.version = 4
        for place in stride(from: 0, to: 600_000, by: 3000) { new.files["big"]?[place] &+= 1 }
        new.files["other"]?.replaceSubrange(100_000..<200_000, with: random.bytes(100_000))
        return (old, new)
    }

    private static var impatient: StoreConfiguration {
        var configuration = StoreConfiguration.quick
        let policy = RetryPolicy(
            first: .milliseconds(1), longest: .milliseconds(20), patience: .milliseconds(200))
        configuration.foregroundRetries = policy
        configuration.backgroundRetries = policy
        return configuration
    }

    /// A byte now and then, so that it is never silent for long.
    @Test(arguments: ["levels.index", "levels.patch", "levels"]) func aServerThatDripsIsGivenUp(
        _ file: String
    ) async throws {
        let clients = PlainClients(slowTimeout: .seconds(1))
        try await StoreHarness.with(configuration: Self.impatient, clients: clients) { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            var (request, _, _) = try harness.offerPatch(new, from: old)
            // Blocks of the archive, then.
            if file == "levels" { request.pack.larder?.patches = [] }
            harness.server.spoil(file, .drip)
            let error = try #require(try await harness.fetch(request)["levels"]?.error)
            #expect(error.code == .network && error.description.contains("too slow"), "\(error)")
            #expect(error.description.contains(file), "\(error)")
            #expect(try readableFiles(harness.root) == old.files)
            // Nothing else was tried instead: the server may be well again, and the update goes on then.
            #expect(harness.server.requests.filter { $0.path == "/levels" && $0.range == nil }.count == 1)
            harness.server.spoil(file, nil)
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 4)
            #expect(try readableFiles(harness.root) == new.files)
            try await harness.expectNothingLeft()
        }
    }

    @Test func anArchiveThatDripsIsGivenUp() async throws {
        let clients = PlainClients(slowTimeout: .seconds(1))
        try await StoreHarness.with(configuration: Self.impatient, clients: clients) { harness in
            var random = SeededGenerator.forTest()
            harness.server.spoil("levels", .drip)
            let (request, _) = try harness.offer(.random("levels", bytes: 100_000, &random))
            let error = try #require(try await harness.fetch(request)["levels"]?.error)
            #expect(error.code == .network && error.description.contains("too slow"), "\(error)")
        }
    }

    /// An answer that says no length and goes on forever: no more is taken than the manifest promises.
    @Test(arguments: ["levels.index", "levels.patch", "levels"]) func anAnswerWithoutEndIsLeft(
        _ file: String
    ) async throws {
        try await StoreHarness.with(configuration: Self.impatient) { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            var (request, archive, _) = try harness.offerPatch(new, from: old)
            if file == "levels" { request.pack.larder?.patches = [] }
            harness.server.spoil(file, .endless)
            let outcome = try await harness.fetch(request)["levels"]
            #expect(outcome?.local?.version == 4, "\(String(describing: outcome))")
            #expect(try readableFiles(harness.root) == new.files)
            let tally = try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
            // Behind the ranges of the archive that were asked for nothing may come either, and what came counts.
            let note = file == "levels" ? "no several ranges" : "\(file) sends more than"
            #expect(tally.notes.contains { $0.contains(note) }, "\(tally)")
            #expect(tally.isWhole == (file == "levels.index") && tally.moved < archive.count * 2, "\(tally)")
            try await harness.expectNothingLeft()
        }
    }
}
