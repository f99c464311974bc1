// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Database
import HTTP
import Kit
import PackNamespace
import System
import TestSupport
import Testing

@testable import DeviceService

@Suite(.timeLimit(.minutes(5))) struct PackStoreTests {
    @Test func fetchesSeveralPacksAndTellsWhatHappens() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            let first = PackFixture.random("first", bytes: 400_000, &random)
            let second = PackFixture("second", files: ["own": [1], "empty": []])
            let requests = [
                try harness.offer(first, kind: .essential).request, try harness.offer(second, kind: .prefetch).request,
            ]
            let events = harness.store.events(ofApp: nil)
            try await harness.store.request(requests)
            var seen: [String: [String]] = [:]
            for await event in events {
                let name = String("\(event.change)".prefix { $0 != "(" })
                if name != "progress" { seen[event.pack.id, default: []].append(name) }
                if seen.values.filter({ $0.last == "finished" }).count == 2 { break }
            }
            #expect(seen == ["first": ["began", "finished"], "second": ["began", "finished"]])
            #expect(try readableFiles(harness.root) == first.files.merging(second.files) { $1 })
            #expect(try await harness.store.localPacks(app: StoreHarness.app).map(\.id) == ["first", "second"])
            try await harness.expectNothingLeft()
            // What is local is finished at once, without a request to the server.
            let before = harness.server.requests.count
            #expect(try await harness.fetch(requests[0])["first"]?.local?.version == 1)
            #expect(harness.server.requests.count == before)
        }
    }

    @Test func updatesAndRemoves() async throws {
        try await StoreHarness.with { harness in
            var fixture = PackFixture("levels", files: ["a": [1], "b": [2]])
            try await harness.fetch(try harness.offer(fixture).request)
            fixture.version = 2
            fixture.files = ["a": [1], "c": [3]]
            let update = try harness.offer(fixture, kind: .update).request
            #expect(try await harness.fetch(update)["levels"]?.local?.version == 2)
            #expect(try readableFiles(harness.root) == fixture.files)
            try await harness.store.remove(app: StoreHarness.app, pack: "levels")
            #expect(try readableFiles(harness.root) == [:])
            #expect(try FileDescriptor.currentDirectory.entries(at: harness.layout.packs) == [])
            try await harness.store.remove(app: StoreHarness.app, pack: "levels")
            let again = try harness.offer(fixture).request
            #expect(try await harness.fetch(again)["levels"]?.local != nil, "fetched again")
        }
    }

    @Test func aBrokenConnectionIsGoneOnWithFromTheCheckpoint() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            var fixture = PackFixture("levels", files: ["big": random.bytes(8_000_000), "small": [1, 2]])
            fixture.blockSize = 64 << 10
            let (request, archive) = try harness.offer(fixture)
            harness.server.fail(.cut(after: 3_000_000), .reset(after: 2_000_000), .status(503))
            let outcome = try await harness.fetch(request)
            #expect(outcome["levels"]?.local != nil, "\(outcome)")
            #expect(try readableFiles(harness.root) == fixture.files)
            let requests = harness.server.requests
            try #require(requests.count == 4)
            #expect(requests[0].range == nil)
            // At most a block and two spans again, and always under the condition that the file is the same.
            let second = try #require(requests[1].range.flatMap { Int($0.dropFirst(6).dropLast()) })
            #expect(second >= 3_000_000 - (3 << 20) && second > 0)
            #expect(requests.dropFirst().allSatisfy { $0.ifRange != nil })
            #expect(archive.count > 8_000_000)
            try await harness.expectNothingLeft()
        }
    }

    @Test(.timeLimit(.minutes(5))) func aPauseLosesLessThanABlockAndASpan() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            var fixture = PackFixture("levels", files: ["big": random.bytes(16_000_000)])
            fixture.blockSize = 2 << 20
            let received: Int64 = 13_000_000
            harness.server.fail(.stall(after: received))
            let request = try harness.offer(fixture).request
            let events = harness.store.events(ofApp: nil)
            try await harness.store.request([request])
            for await event in events {
                if case .progress(let progress) = event.change, progress.downloaded == received { break }
            }
            try await harness.store.pause(app: StoreHarness.app, pack: "levels")
            let after = harness.store.events(ofApp: nil)
            try await harness.store.resume(app: StoreHarness.app, pack: "levels")
            #expect(await StoreHarness.outcomes(of: ["levels"], in: after)["levels"]?.local != nil)
            let range = harness.server.requests.last?.range
            let start = try #require(range.flatMap { Int64($0.dropFirst(6).dropLast()) })
            #expect(start > received - Int64(fixture.blockSize) - (1 << 20))
            #expect(try readableFiles(harness.root) == fixture.files)
        }
    }

    @Test func aStallIsNoticedAndTriedAgain() async throws {
        try await StoreHarness.with(clients: PlainClients(stallTimeout: .seconds(2))) { harness in
            var random = SeededGenerator.forTest()
            let fixture = PackFixture.random("levels", bytes: 500_000, &random)
            harness.server.fail(.stall(after: 10))
            let events = harness.store.events(ofApp: nil)
            let outcome = try await harness.fetch(try harness.offer(fixture).request)
            try #require(outcome["levels"]?.local != nil, "\(outcome)")
            var words: [String] = []
            for await event in events {
                if case .waiting(_, let error) = event.change { words.append(error.description) }
                if case .finished = event.change { break }
            }
            #expect(words.contains { $0.contains("stalled") }, "\(words)")
            #expect(try readableFiles(harness.root) == fixture.files)
        }
    }

    @Test(.timeLimit(.minutes(5))) func aDownloadThatStallsShowsEveryByteThatIsHere() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            harness.server.fail(.stall(after: 300_000))
            let events = harness.store.events(ofApp: nil)
            try await harness.store.request([try harness.offer(.random("levels", bytes: 2_000_000, &random)).request])
            var shown: Int64 = 0
            for await event in events {
                if case .progress(let progress) = event.change { shown = progress.downloaded }
                if shown == 300_000 { break }
            }
            #expect(shown == 300_000)
        }
    }

    @Test func aFileThatChangedMeanwhileBeginsAgain() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            var fixture = PackFixture("levels", files: ["big": random.bytes(6_000_000)])
            fixture.blockSize = 64 << 10
            fixture.givesDigest = false
            let (_, old) = try harness.offer(fixture)
            fixture.files["big"]?[0] ^= 1
            let (request, new) = try harness.offer(fixture)
            try #require(old.count == new.count)
            harness.server.serve(old, as: "levels")
            harness.server.fail(.cut(after: 4_000_000), .replaced(new))
            #expect(try await harness.fetch(request)["levels"]?.local != nil)
            #expect(try readableFiles(harness.root) == fixture.files, "not a mixture")
        }
    }

    @Test func aServerWithoutRangesIsBornWith() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            var fixture = PackFixture("levels", files: ["big": random.bytes(6_000_000)])
            fixture.blockSize = 64 << 10
            harness.server.fail(.cut(after: 4_000_000), .noRanges)
            let request = try harness.offer(fixture).request
            #expect(try await harness.fetch(request)["levels"]?.local != nil)
            #expect(try readableFiles(harness.root) == fixture.files)
        }
    }

    struct Trouble: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var faults: [PackServer.Fault]
        var code: StoreError.Code
    }

    @Test(arguments: [
        Trouble(testDescription: "404", faults: [.status(404)], code: .server),
        Trouble(testDescription: "403", faults: [.status(403)], code: .server),
        Trouble(testDescription: "wrong byte", faults: [.wrongByte(40_000)], code: .wrongDigest),
        Trouble(testDescription: "shorter file", faults: [.lies([1, 2, 3])], code: .wrongSize),
        Trouble(
            testDescription: "longer file", faults: [.lies([UInt8](repeating: 7, count: 900_000))], code: .wrongSize),
        Trouble(testDescription: "redirect to http", faults: [.redirect("http://example.org/x")], code: .server),
    ])
    func troubleThatStaysFailsAtOnceAndLeavesNothing(_ trouble: Trouble) async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            // Stored, so that a wrong byte decodes and only the digest tells.
            var fixture = PackFixture("levels", files: ["big": random.bytes(500_000)])
            fixture.compression = .none
            let (request, _) = try harness.offer(fixture)
            for fault in trouble.faults { harness.server.fail(fault) }
            let error = try await harness.fetch(request)["levels"]?.error
            #expect(error?.code == trouble.code, "\(error?.description ?? "")")
            #expect(error?.message.contains("levels") == true)
            #expect(harness.server.requests.count == 1)
            try await harness.expectNothingLeft(butFailed: ["levels"])
            #expect(try readableFiles(harness.root) == [:])
            // And the next request is a new beginning.
            #expect(try await harness.fetch(request)["levels"]?.local != nil)
            try await harness.expectNothingLeft()
        }
    }

    @Test func patienceEndsAndWhatIsStagedWaitsForTheNextRequest() async throws {
        var configuration = StoreConfiguration.quick
        configuration.foregroundRetries = RetryPolicy(
            first: .milliseconds(1), longest: .milliseconds(5), patience: .milliseconds(50))
        try await StoreHarness.with(configuration: configuration) { harness in
            var random = SeededGenerator.forTest()
            var fixture = PackFixture("levels", files: ["big": random.bytes(6_000_000)])
            fixture.blockSize = 64 << 10
            let (request, _) = try harness.offer(fixture)
            harness.server.fail(
                .cut(after: 4_000_000), .status(503), .status(503), .status(500), .status(503), .status(502),
                .status(503), .status(503), .status(503), .status(503), .status(503), .status(503), .status(503),
                .status(503), .status(503), .status(503), .status(503), .status(503), .status(503), .status(503),
                .status(503), .status(503), .status(503), .status(503), .status(503), .status(503), .status(503),
                .status(503), .status(503), .status(503), .status(503), .status(503), .status(503), .status(503))
            let error = try await harness.fetch(request)["levels"]?.error
            #expect(error?.code == .network)
            let status = try #require(try await harness.store.transfers(app: nil).first)
            #expect(status.state == .failed)
            #expect(status.lastError != nil)
            #expect(StagedPack(layout: harness.layout, id: "levels").exists)
            harness.server.fail()
            let before = harness.server.requests.count
            #expect(try await harness.fetch(request)["levels"]?.local != nil)
            #expect(harness.server.requests[before].range != nil, "it went on")
            try await harness.expectNothingLeft()
        }
    }

    @Test func pauseResumeCancelAgainAndAgain() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            var fixture = PackFixture("levels", files: ["big": random.bytes(3_000_000)])
            fixture.blockSize = 64 << 10
            let (request, _) = try harness.offer(fixture)
            let app = StoreHarness.app
            for _ in 0..<3 {
                harness.server.fail(.stall(after: 400_000), .stall(after: 400_000))
                let begun = harness.server.requests.count
                try await harness.store.request([request])
                try await harness.server.waitForRequests(begun + 1)
                try await harness.store.pause(app: app, pack: "levels")
                #expect(try await harness.store.transfers(app: app).map(\.state) == [.paused])
                try await harness.store.resume(app: app, pack: nil)
                try await harness.server.waitForRequests(begun + 2)
                let events = harness.store.events(ofApp: app)
                try await harness.store.cancel(app: app, pack: "levels")
                #expect(await StoreHarness.outcomes(of: ["levels"], in: events)["levels"]?.error?.code == .cancelled)
                try await harness.expectNothingLeft()
                try await harness.store.cancel(app: app, pack: "levels")
            }
            harness.server.fail()
            #expect(try await harness.fetch(request)["levels"]?.local != nil)
        }
    }

    @Test func aRestartedServiceGoesOnAndAPausedPackStaysPaused() async throws {
        try await StoreHarness.with { first in
            var random = SeededGenerator.forTest()
            var big = PackFixture("big", files: ["big": random.bytes(5_000_000)])
            big.blockSize = 64 << 10
            let paused = PackFixture("paused", files: ["p": [1]])
            let (request, archive) = try first.offer(big)
            let other = try first.offer(paused).request
            first.server.fail(.stall(after: 3_000_000), .stall(after: 0))
            let events = first.store.events(ofApp: nil)
            try await first.store.request([request])
            for await event in events {
                if case .progress(let progress) = event.change, progress.downloaded >= 2_500_000 { break }
            }
            try await first.store.request([other])
            try await first.server.waitForRequests(2)
            try await first.store.pause(app: StoreHarness.app, pack: "paused")
            let second = try await first.restarted()
            first.server.fail()
            let after = second.store.events(ofApp: nil)
            try await second.store.recover()
            #expect(await StoreHarness.outcomes(of: ["big"], in: after)["big"]?.local != nil)
            #expect(second.server.requests.last?.range != nil)
            #expect(try await second.store.transfers(app: nil).map(\.state) == [.paused])
            let resumed = second.store.events(ofApp: nil)
            try await second.store.resume(app: StoreHarness.app, pack: nil)
            #expect(await StoreHarness.outcomes(of: ["paused"], in: resumed)["paused"]?.local != nil)
            #expect(try readableFiles(second.root) == big.files.merging(paused.files) { $1 })
            #expect(archive.count > 2_500_000)
            await second.store.close()
            await second.database.close()
        }
    }

    /// What a crash between disk and database leaves: the next start brings them together.
    @Test(arguments: [CommitStep.sealed, .packMoved, .generationWritten, .switched, .counterStored, .stagingRemoved])
    func aCrashBeforeTheRowIsPutRight(step: CommitStep) async throws {
        struct Crash: Error {}
        var crashing = StoreConfiguration.quick
        let armed = Locked(false)
        crashing.commitHook = { reached in
            if reached == step, armed.withLock({ $0 }) { throw Crash() }
        }
        try await StoreHarness.with(configuration: crashing) { first in
            let fixture = PackFixture("levels", files: ["a": [1], "d/b": [2]])
            let (request, _) = try first.offer(fixture)
            // The row is journaled, and everything up to the step is on disk; then the process is gone.
            try await first.database.write { try $0.insert(request) }
            armed.withLock { $0 = true }
            await first.store.close()
            let root = first.root
            let hook = crashing.commitHook
            _ = try? await onOwnThread {
                var options = PackPipeline.Options()
                options.hook = hook
                try install(
                    fixture, in: AppGenerations(layout: AppRootLayout(root: root), hook: hook), options: options)
            }
            if step == .stagingRemoved {
                // The crash came when the folder was not quite gone.
                let staged = StagedPack(layout: first.layout, id: "levels")
                try FileDescriptor.currentDirectory.makeDirectories(at: staged.contents.appending("d"))
            }
            let second = try await first.restarted()
            let before = second.server.requests.count
            try await second.store.recover()
            #expect(try await second.store.localPacks(app: StoreHarness.app).map(\.id) == ["levels"])
            #expect(try readableFiles(second.root) == fixture.files)
            // And nothing is fetched again.
            try await second.expectNothingLeft()
            #expect(second.server.requests.count == before)
            await second.store.close()
            await second.database.close()
        }
    }

    @Test func uninstallingLeavesNothing() async throws {
        try await StoreHarness.with { harness in
            var random = SeededGenerator.forTest()
            try await harness.fetch(try harness.offer(PackFixture("levels", files: ["a": [1]])).request)
            harness.server.fail(.stall(after: 100_000))
            let begun = harness.server.requests.count
            try await harness.store.request([try harness.offer(.random("more", bytes: 2_000_000, &random)).request])
            try await harness.server.waitForRequests(begun + 1)
            try await harness.store.removeAll(app: StoreHarness.app)
            #expect(try FileDescriptor.currentDirectory.entries(at: harness.root) == [])
            #expect(try await harness.store.transfers(app: nil) == [])
            // And it can be installed again.
            try await harness.store.prepare(app: StoreHarness.app)
            let again = try harness.offer(PackFixture("levels", files: ["a": [2]])).request
            #expect(try await harness.fetch(again)["levels"]?.local != nil)
        }
    }

    @Test func collisionsAreTold() async throws {
        try await StoreHarness.with { harness in
            try await harness.fetch(
                try harness.offer(PackFixture("a", files: ["same": [1]])).request,
                try harness.offer(PackFixture("b", files: ["same": [2]])).request)
            let collisions = try await harness.store.collisions(app: StoreHarness.app)
            #expect(collisions.count == 1)
            #expect(collisions.listed == [.init(path: "same", winner: "a", losers: ["b"])])
        }
    }

    @Test func hostileIdentifiersAreRefused() async throws {
        try await StoreHarness.with { harness in
            var request = try harness.offer(PackFixture("levels", files: ["a": [1]])).request
            request.pack.id = "../escape"
            await #expect(throws: StoreError.self) { try await harness.store.request([request]) }
            await #expect(throws: StoreError.self) { try await harness.store.prepare(app: "../escape") }
        }
    }
}
