// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import DeviceProtocol
import Kit
import PackNamespace
import TestSupport
import Testing

@testable import DeviceService
@testable import PackUpdates

/// Of an index comes what the files that are here do not tell.
@Suite(.timeLimit(.minutes(5))) struct IndexPartsTests {
    private static let index = "/levels.index"

    /// Many small files and a large one, and the next version with two files changed and one more.
    private static func versions(_ random: inout SeededGenerator) -> (old: PackFixture, new: PackFixture) {
        var old = PackFixture("levels", files: ["big": random.bytes(700_000), "other": random.bytes(400_000)])
        for number in 0..<1500 { old.files["maps/\(number % 9)/\(number)"] = random.bytes(60) }
        var new = old
        new.version = 2
        new.files["maps/3/12"] = random.bytes(70)
        new.files["maps/new"] = random.bytes(50)
        new.files["big"]?.insert(9, at: 400_000)
        return (old, new)
    }

    /// Begins with the old version here, and one on the server that has an index.
    private func update(
        _ body: (StoreHarness, _ request: PackRequest, _ new: PackFixture, _ before: Int) async throws -> Void
    ) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let (old, new) = Self.versions(&random)
            try await harness.fetch(try harness.offer(old).request)
            let request = try harness.offerUpdate(new).request
            try await body(harness, request, new, harness.server.requests.count)
            #expect(try readableFiles(harness.root) == new.files, "seed \(random.seed)")
            try await harness.expectNothingLeft()
        }
    }

    private func asked(_ harness: StoreHarness, after before: Int) -> [PackServer.Request] {
        harness.server.requests.dropFirst(before).filter { $0.path == Self.index }
    }

    private func tally(_ harness: StoreHarness) async throws -> PackArrival {
        try #require(try await harness.store.arrivals(app: StoreHarness.app)["levels"])
    }

    @Test func whatIsKnownDoesNotCome() async throws {
        try await update { harness, request, _, before in
            let listed = try #require(request.pack.larder?.index)
            let front = try #require(listed.front)
            #expect(listed.size > 60_000 && front.size < 3000, "\(listed)")
            let forecast = try #require(try await harness.store.forecast(app: StoreHarness.app, pack: request.pack))
            let planned = harness.server.requests.count
            try await harness.fetch(request)
            let asked = asked(harness, after: planned)
            // The front, the parts, and the chunks of the large file that changed.
            #expect(asked.count == 3 && asked.allSatisfy { $0.range != nil }, "\(asked)")
            #expect(asked.first?.range == "bytes=0-\(front.size - 1)")
            let tally = try await tally(harness)
            #expect(tally.notes == [] && tally.moved < listed.size, "\(tally)")
            // What stands about each of several ranges is reckoned, not known.
            #expect(forecast.method == .blocks && abs(forecast.toFetch - tally.moved) < 1000, "\(forecast) \(tally)")
            #expect(harness.server.requests.count > before)
        }
    }

    /// A server that gives no ranges of it gives it whole at the first request.
    @Test func itComesWholeFromAServerWithoutRanges() async throws {
        try await update { harness, request, _, before in
            harness.server.spoil("levels.index", .noRanges)
            try await harness.fetch(request)
            #expect(asked(harness, after: before).count == 1)
            let tally = try await tally(harness)
            #expect(!tally.isWhole && tally.notes == [], "\(tally)")
        }
    }

    @Test func itsRangesComeOneByOne() async throws {
        try await update { harness, request, _, before in
            harness.server.spoil("levels.index", .singleRangesOnly(416))
            try await harness.fetch(request)
            let asked = asked(harness, after: before)
            // The front, several that are refused, what lies between as well, and the chunks.
            #expect(asked.count == 4 && asked[1].range?.contains(",") == true, "\(asked)")
            let tally = try await tally(harness)
            #expect(!tally.isWhole && tally.notes == [], "\(tally)")
        }
    }

    /// Without a word of the front in the manifest it comes whole, and so does one whose front or parts are not what they should be.
    @Test(arguments: [nil, [PackServer.Fault.wrongByte(500)], [.none, .lies([])], [.status(403)]])
    func elseItComesWhole(_ faults: [PackServer.Fault]?) async throws {
        try await update { harness, request, _, before in
            var request = request
            if let faults {
                let zeros = [UInt8](repeating: 0, count: Int(request.pack.larder?.index?.size ?? 0))
                harness.server.fail(
                    path: Self.index, faults.map { if case .lies = $0 { .lies(zeros) } else { $0 } })
            } else {
                request.pack.larder?.index?.front = nil
            }
            try await harness.fetch(request)
            let last = asked(harness, after: before).last
            #expect(last?.range == nil, "\(String(describing: last))")
            let tally = try await tally(harness)
            #expect(!tally.isWhole && tally.notes == [], "\(tally)")
        }
    }

    /// What its front shows to be of no use is not fetched whole.
    @Test func anIndexOfANewerFormatIsNotFetched() async throws {
        try await update { harness, request, _, before in
            var request = request
            let listed = try #require(request.pack.larder?.index)
            let size = try #require(listed.front?.size)
            var file = [UInt8](repeating: 0, count: Int(listed.size))
            file.replaceSubrange(..<PackIndex.magic.count, with: PackIndex.magic)
            file[PackIndex.magic.count] = 77
            request.pack.larder?.index?.front?.sha256 = SHA256.hash(Array(file[..<Int(size)])).hex
            harness.server.fail(path: Self.index, [.lies(file)])
            try await harness.fetch(request)
            #expect(asked(harness, after: before).map(\.range) == ["bytes=0-\(size - 1)"])
            let tally = try await tally(harness)
            #expect(tally.isWhole && tally.notes.contains { $0.contains("format version 77") }, "\(tally)")
        }
    }

    /// What was put together of the index is kept as long as the update lasts.
    @Test func itIsNotFetchedAgain() async throws {
        try await update { harness, request, _, before in
            harness.server.fail(path: "/levels", [.cut(after: 2000), .reset(after: 2000), .status(503)])
            try await harness.fetch(request)
            let fronts = asked(harness, after: before).filter { $0.range?.hasPrefix("bytes=0-") == true }
            #expect(fronts.count == 1, "\(asked(harness, after: before))")
        }
    }
}
