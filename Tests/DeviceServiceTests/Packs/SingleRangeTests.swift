// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import PackUpdates
import TestSupport
import Testing

@testable import DeviceService

/// Updates from servers that give one range and not several, as object stores do: they are asked for one after the other, and
/// what is not wanted is not fetched.
@Suite(.timeLimit(.minutes(5))) struct SingleRangeTests {
    /// Changed here and there, with much between that stays.
    private static func versions(_ random: inout SeededGenerator) -> (old: PackFixture, new: PackFixture) {
        var old = PackFixture("levels", files: [:])
        old.blockSize = 16 << 10
        for number in 0..<9 { old.files["maps/\(number)"] = random.bytes(300_000) }
        var new = old
        new.version = 2
        for number in [0, 4, 8] { new.files["maps/\(number)"]?.insert(7, at: 150_000) }
        return (old, new)
    }

    private func requests(_ harness: StoreHarness, _ path: String, after count: Int) -> [PackServer.Request] {
        harness.server.requests.dropFirst(count).filter { $0.path == path }
    }

    /// 200 is what S3 answers, 416 what others do; the rest is what guards against attacks answer.
    @Test(arguments: [200, 416, 400, 403, 501]) func blocksComeOneByOne(_ status: Int) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            let (request, archive) = try harness.offerUpdate(new)
            harness.server.spoil("levels", .singleRangesOnly(status))
            let forecast = try #require(
                try await harness.store.forecast(app: StoreHarness.app, pack: request.pack))
            let before = harness.server.requests.count
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 2)
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            let asked = requests(harness, "/levels", after: before)
            #expect(asked.count == 4 && asked.allSatisfy { $0.range != nil }, "\(asked)")
            #expect(asked.dropFirst().allSatisfy { $0.range?.contains(",") == false }, "\(asked)")
            let tally = try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
            #expect(!tally.isWhole && tally.moved < archive.count / 4, "\(tally) of \(archive.count)")
            #expect(tally.notes == ["the server gives no several ranges at once"])
            #expect(forecast.method == .blocks && forecast.toFetch == tally.moved, "\(forecast) \(tally)")
            #expect(forecast.toWrite == tally.written, "\(forecast) \(tally)")
            try await harness.expectNothingLeft()
        }
    }

    @Test(arguments: [200, 416]) func groupsOfAPatchComeOneByOne(_ status: Int) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            var (old, new) = Self.versions(&random)
            // Changed all over: only a patch saves anything. Every other file is in another pack by now.
            var sibling = PackFixture("sibling", files: [:])
            for number in 0..<9 {
                var bytes = random.bytes(300_000)
                old.files["maps/\(number)"] = bytes
                bytes.replaceSubrange(100_000..<200_000, with: random.bytes(100_000))
                for place in stride(from: 0, to: bytes.count, by: 1500) { bytes[place] &+= 1 }
                new.files["maps/\(number)"] = bytes
                if number % 2 == 1 { sibling.files["n/\(number)"] = bytes }
            }
            try await harness.fetch(try harness.offer(old).request)
            try await harness.fetch(try harness.offer(sibling).request)
            let (request, _, patch) = try harness.offerPatch(new, from: old)
            for name in ["levels", "levels.patch"] { harness.server.spoil(name, .singleRangesOnly(status)) }
            let forecast = try #require(
                try await harness.store.forecast(app: StoreHarness.app, pack: request.pack))
            let before = harness.server.requests.count
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 2)
            #expect(
                try readableFiles(harness.root).filter { !$0.key.hasPrefix("n/") } == new.files, "seed \(random.seed)")
            let asked = requests(harness, "/levels.patch", after: before)
            #expect(asked.contains { $0.range?.contains(",") == true }, "\(asked)")
            #expect(asked.count { $0.range?.contains(",") == false } >= 2, "\(asked)")
            let tally = try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
            #expect(tally.patched >= 1_500_000 && tally.moved < patch.count - 100_000, "\(tally) of \(patch.count)")
            #expect(tally.notes == ["the server gives no several ranges at once"])
            #expect(forecast.method == .patch && forecast.toWrite == tally.written, "\(forecast) \(tally)")
        }
    }

    /// Only a whole file for one range says that there are none.
    @Test func aServerWithoutRangesIsSeenBeforehand() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            let (request, archive) = try harness.offerUpdate(new)
            harness.server.spoil("levels", .noRanges)
            let forecast = try #require(
                try await harness.store.forecast(app: StoreHarness.app, pack: request.pack))
            #expect(forecast.method == .whole && forecast.toFetch == archive.count, "\(forecast)")
            #expect(forecast.note?.contains("gives no ranges") == true, "\(forecast)")
            let before = harness.server.requests.count
            #expect(try await harness.fetch(request)["levels"]?.local?.version == 2)
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            let asked = requests(harness, "/levels", after: before)
            #expect(asked.map { $0.range?.contains(",") } == [true, false, nil], "\(asked)")
        }
    }
}
