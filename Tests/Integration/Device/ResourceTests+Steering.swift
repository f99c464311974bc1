// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import HTTP
import Kit
import System
import TestSupport
import Testing

/// Requests that are steered, let go of, or outlived while they fetch.
extension ResourceTests {
    @Test func aDownloadIsPausedResumedAndCancelled() async throws {
        try await ResourceBench.with({ ResourceBench.levels(size: 400_000, using: &$0) }) { bench in
            let app = try await bench.launch()
            bench.server.slow(to: 200_000)
            _ = try await app.ask("make a two")
            _ = try await app.ask("start a")
            let pack = try #require(bench.app.parts.first { $0.tags == ["two"] }).packID
            try await bench.server.waitForRequests(pack: pack, count: 1)
            #expect(try await bench.state("two") == .downloading)
            _ = try await app.ask("pause a")
            try await until { try await bench.device.packs()[pack]?.state == .paused }
            #expect([.partiallyDownloaded, .notDownloaded].contains(try await bench.state("two")))
            bench.server.spoil(nil)
            _ = try await app.ask("resume a")
            _ = try await app.line { $0 == "update a begun" }
            #expect(try await app.ask("progress a").hasPrefix("ok 8"))
            _ = try await app.ask("end a")
            // Cancelling ends what nobody else waits for, and nothing else.
            bench.server.slow(to: 100_000)
            _ = try await app.ask("make b one")
            _ = try await app.ask("make c one,three")
            _ = try await app.ask("start b")
            _ = try await app.ask("start c")
            let (one, three) = (
                "\(ResourceBench.bundleID).asset-pack-one", "\(ResourceBench.bundleID).asset-pack-three"
            )
            try await bench.server.waitForRequests(pack: one, count: 1)
            try await bench.server.waitForRequests(pack: three, count: 1)
            _ = try await app.ask("cancel c")
            _ = try await app.line { $0 == "update c failed NSCocoaErrorDomain 3072" }
            try await until { try await bench.state("three") == .notDownloaded }
            #expect(try await bench.state("one") == .downloading)
            _ = try await app.ask("end b")
            _ = try await app.line { $0 == "update b failed NSCocoaErrorDomain 3072" }
            try await until {
                try await bench.device.packs().values.allSatisfy { ![.downloading, .queued].contains($0.state) }
            }
        }
    }

    /// Nobody can go on with it: it is as if it had been ended.
    @Test func whatIsLetGoOfWhilePausedIsNotKept() async throws {
        try await ResourceBench.with({ ResourceBench.levels(size: 400_000, using: &$0) }) { bench in
            let app = try await bench.launch()
            _ = try await app.ask("make before two")
            #expect(try await app.ask("begin before") == "ok before")
            _ = try await app.ask("end before")
            bench.server.slow(to: 200_000)
            _ = try await app.ask("make a one")
            _ = try await app.ask("start a")
            let pack = "\(ResourceBench.bundleID).asset-pack-one"
            try await bench.server.waitForRequests(pack: pack, count: 1)
            _ = try await app.ask("pause a")
            try await until { try await bench.device.packs()[pack]?.state == .paused }
            // The forest is here and waits with it.
            let connection = try await bench.device.connect()
            #expect(
                try await connection.send(StoragePurgeRequest(bytes: 1 << 40)).purged.map(\.download)
                    == ["\(ResourceBench.bundleID).asset-pack-two"])
            _ = try await app.ask("drop a")
            _ = try await app.line { $0 == "update a failed NSCocoaErrorDomain 3072" }
            #expect(
                try await connection.send(StoragePurgeRequest(bytes: 1 << 40)).purged.map(\.download)
                    == ["\(ResourceBench.bundleID).asset-pack-one-two"])
            try await until { try await bench.device.packs()[pack]?.state == .available }
        }
    }

    /// As on Apple's systems, where the handler is called though nobody has kept the object.
    @Test func whatIsLetGoOfWhileItComesIsToldAndEnds() async throws {
        try await ResourceBench.with({ ResourceBench.levels(size: 400_000, using: &$0) }) { bench in
            let app = try await bench.launch()
            bench.server.slow(to: 200_000)
            _ = try await app.ask("make a three")
            _ = try await app.ask("start a")
            try await bench.server.waitForRequests(pack: "\(ResourceBench.bundleID).asset-pack-three", count: 1)
            _ = try await app.ask("drop a")
            bench.server.spoil(nil)
            _ = try await app.line { $0 == "update a begun" }
            try await until { try await bench.state("three") == .downloaded }
        }
    }

    @Test func whatADeadProcessWaitedForComesBehind() async throws {
        try await ResourceBench.with({ ResourceBench.levels(size: 400_000, using: &$0) }) { bench in
            let app = try await bench.launch()
            bench.server.slow(to: 200_000)
            _ = try await app.ask("make a three")
            _ = try await app.ask("start a")
            try await bench.server.waitForRequests(pack: "\(ResourceBench.bundleID).asset-pack-three", count: 1)
            try await app.kill()
            bench.server.spoil(nil)
            try await until { try await bench.state("three") == .downloaded }
        }
    }

    @Test func aRequestOutlivesTheService() async throws {
        try await ResourceBench.with({ ResourceBench.levels(size: 400_000, using: &$0) }) { bench in
            let app = try await bench.launch()
            _ = try await app.ask("make held one")
            _ = try await app.ask("begin held")
            bench.server.slow(to: 300_000)
            _ = try await app.ask("make a three")
            _ = try await app.ask("start a")
            try await bench.server.waitForRequests(pack: "\(ResourceBench.bundleID).asset-pack-three", count: 1)
            try await bench.device.kill()
            // What is held stays readable and held, though nobody knows of it but the kernel.
            let content = try #require(bench.content("one.bin"))
            #expect(try await app.ask("lookup one.bin") == "ok " + summary(content))
            _ = try await app.ask("make again one")
            #expect(try await app.ask("conditionally again") == "ok true")
            bench.server.spoil(nil)
            try await bench.device.start()
            let purged = try await bench.device.connect().send(StoragePurgeRequest(bytes: 1 << 40)).purged
            #expect(!purged.contains { $0.download.hasSuffix("-one") || $0.download.hasSuffix("-one-two") })
            _ = try await app.line { $0 == "update a begun" }
            #expect(try await bench.state("three") == .inUse)
        }
    }

    /// What a request has of a tag already stays while the rest comes.
    @Test func aPurgeInMidBeginTakesNothingAway() async throws {
        try await ResourceBench.with({ ResourceBench.levels(size: 300_000, using: &$0) }) { bench in
            let app = try await bench.launch()
            _ = try await app.ask("make before two")
            _ = try await app.ask("begin before")
            _ = try await app.ask("end before")
            bench.server.slow(to: 200_000)
            _ = try await app.ask("make a one")
            _ = try await app.ask("start a")
            try await bench.server.waitForRequests(pack: "\(ResourceBench.bundleID).asset-pack-one", count: 1)
            let purged = try await bench.device.connect().send(StoragePurgeRequest(bytes: 1 << 40)).purged.map(
                \.download)
            #expect(purged == ["\(ResourceBench.bundleID).asset-pack-two"])
            bench.server.spoil(nil)
            _ = try await app.line { $0 == "update a begun" }
            for path in ["one.bin", "Places/forest.bin"] {
                let content = try #require(bench.content(path))
                #expect(try await app.ask("lookup \(path)") == "ok " + summary(content))
            }
        }
    }
}
