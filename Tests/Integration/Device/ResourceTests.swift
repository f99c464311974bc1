// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import HTTP
import Kit
import System
import TestSupport
import Testing

/// On-demand resources, from an app's process through the real service (F1, F3, F4).
@Suite struct ResourceTests {
    @Test func whatIsAskedForIsLookedUpInTheBundle() async throws {
        try await ResourceBench.with { bench in
            let app = try await bench.launch()
            // Looked up before, so that Foundation has the folders in its memory without them.
            #expect(try await app.ask("lookup Levels/1/map.bin") == "ok nil")
            #expect(try await app.ask("lookup one.bin") == "ok nil")
            #expect(try await app.ask("lookup Levels/3/map.bin") == "ok nil")
            #expect(try await app.ask("lookupLocalized three.bin") == "ok nil")
            _ = try await app.ask("make a one")
            #expect(try await app.ask("conditionally a") == "ok false")
            #expect(try await app.ask("begin a") == "ok a")
            for path in ["Levels/1/map.bin", "one.bin", "Places/forest.bin"] {
                let content = try #require(bench.content(path))
                #expect(try await app.ask("lookup \(path)") == "ok " + summary(content))
            }
            #expect(try await app.ask("lookup Levels/3/map.bin") == "ok nil")
            #expect(try await bench.state("one") == .inUse)
            #expect(try await bench.state("two") == .partiallyDownloaded)
            #expect(try await bench.state("three") == .notDownloaded)
            _ = try await app.ask("make b three")
            #expect(try await app.ask("begin b") == "ok b")
            let localized = try #require(bench.content("en.lproj/three.bin"))
            #expect(try await app.ask("lookupLocalized three.bin") == "ok en.lproj " + summary(localized))
            _ = try await app.ask("end a")
            #expect(try await bench.state("one") == .downloaded)
            _ = try await app.ask("drop b")
            #expect(try await bench.state("three") == .downloaded)
            _ = try await app.ask("make c three,one")
            #expect(try await app.ask("conditionally c") == "ok true")
            #expect(try await bench.state("one") == .inUse)
            try await app.kill()
            #expect(try await bench.state("one") == .downloaded)
        }
    }

    /// Looks until something is so, which nothing tells of by itself.
    func until(_ isSo: () async throws -> Bool) async throws {
        _ = try await eventually { try await isSo() ? true : nil }
    }

    // MARK: - Errors

    @Test func unknownTagsAreTheDocumentedError() async throws {
        try await ResourceBench.with { bench in
            let app = try await bench.launch()
            _ = try await app.ask("make a one,nowhere")
            #expect(try await app.ask("conditionally a") == "ok false")
            #expect(try await app.ask("begin a") == "ok failed NSCocoaErrorDomain 4994")
            // A tag that nobody knows has no priority, and none can be set.
            #expect(try await app.ask("preserve nowhere 0.5") == "ok nowhere")
            #expect(try await app.ask("preservation nowhere") == "ok 0.0")
            #expect(app.errorText.contains("nowhere"))
        }
    }

    @Test func anObjectServesOneTime() async throws {
        try await ResourceBench.with { bench in
            let app = try await bench.launch()
            _ = try await app.ask("make a one")
            // Ending what was not begun does nothing.
            #expect(try await app.ask("end a") == "ok a")
            #expect(try await app.ask("begin a") == "ok a")
            #expect(try await app.ask("begin a") == "ok failed _NSBundleResourceRequestErrorDomain 101")
            #expect(try await bench.state("one") == .inUse)
            _ = try await app.ask("end a")
            _ = try await app.ask("end a")
            #expect(try await app.ask("begin a") == "ok failed _NSBundleResourceRequestErrorDomain 101")
            #expect(try await app.ask("conditionally a") == "ok false")
            #expect(try await bench.state("one") == .downloaded)
        }
    }

    @Test func aListThatNamesAMissingPackIsTheDocumentedError() async throws {
        try await ResourceBench.with { bench in
            let app = try await bench.launch(extra: ["ghost": "\(ResourceBench.bundleID).asset-pack-ghost"])
            _ = try await app.ask("make a ghost")
            #expect(try await app.ask("begin a") == "ok failed NSCocoaErrorDomain 4994")
            _ = try await app.ask("make b one")
            #expect(try await app.ask("begin b") == "ok b")
        }
    }

    @Test func anAppWithoutAListIsTold() async throws {
        try await ResourceBench.with { bench in
            let app = try await bench.launch { $0.files["OnDemandResources.plist"] = nil }
            _ = try await app.ask("make a one")
            #expect(try await app.ask("begin a") == "ok failed NSCocoaErrorDomain 4994")
        }
    }

    @Test func moreThanTheLimitInUseIsTheDocumentedError() async throws {
        try await ResourceBench.with({ ResourceBench.levels(size: 700_000, using: &$0) }) { bench in
            let app = try await bench.launch()
            let connection = try await bench.device.connect()
            _ = try await connection.send(SettingsSetRequest(name: "resourcesInUse", app: nil, value: "3MiB"))
            _ = try await app.ask("make a one")
            #expect(try await app.ask("begin a") == "ok a")
            _ = try await app.ask("make b three")
            #expect(try await app.ask("begin b") == "ok failed NSCocoaErrorDomain 4993")
            _ = try await app.ask("end a")
            _ = try await app.ask("make c three")
            #expect(try await app.ask("begin c") == "ok c")
            // What is local already is held to it as well, by whichever process, and without the service.
            let other = try await bench.device.launch()
            _ = try await other.ask("make d one")
            #expect(try await other.ask("conditionally d") == "ok false")
            try await bench.device.kill()
            #expect(try await other.ask("begin d") == "ok failed NSCocoaErrorDomain 4993")
            _ = try await app.ask("end c")
            _ = try await other.ask("make e one")
            #expect(try await other.ask("conditionally e") == "ok true")
            try await bench.device.start()
            _ = try await bench.device.connect().send(
                SettingsSetRequest(name: "resourcesInUse", app: nil, value: nil))
            _ = try await app.ask("make f three")
            #expect(try await app.ask("conditionally f") == "ok true")
        }
    }

    // MARK: - Life cycle

    @Test func initialTagsComeWithTheAppAndPrefetchTagsInOrder() async throws {
        try await ResourceBench.with({ generator in
            func part(_ tag: String, _ policy: String, _ priority: Double?) -> TaggedApp.Part {
                TaggedApp.Part(
                    [tag], ["\(tag).bin": generator.bytes(40_000, redundancy: false)], policy: policy,
                    priority: priority)
            }
            return TaggedApp([
                part("a", "prefetch", 0.05), part("b", "prefetch", 0.35), part("c", "prefetch", 0.65),
                part("d", "prefetch", 0.95), part("e", "prefetch", 0.5), part("start", "essential", 1),
            ])
        }) { bench in
            let app = try await bench.launch()
            let order = bench.server.records.map(\.path).filter { $0.hasPrefix("/assets/") }
                .map { String($0.split(separator: "-").last ?? "") }
            #expect(order.first == "start")
            // Four places: those with the greatest priorities began, in whatever order they ended.
            #expect(Set(order.dropFirst().prefix(1)).isSubset(of: ["d", "c", "e", "b"]))
            #expect(order.last == "a", "\(order)")
            #expect(try await bench.state("start") == .downloaded)
            // Never asked for: it may go.
            let purged = try await bench.device.connect().send(StoragePurgeRequest(bytes: 1 << 40)).purged
            #expect(purged.contains { $0.download.hasSuffix("-start") })
            #expect(try await bench.state("start") == .purged)
            #expect(try await app.ask("lookup start.bin") == "ok nil")
            _ = try await app.ask("make s start")
            #expect(try await app.ask("begin s") == "ok s")
            let content = try #require(bench.content("start.bin"))
            #expect(try await app.ask("lookup start.bin") == "ok " + summary(content))
        }
    }

    @Test func whatIsLeastPreservedAndLongestUnusedGoesFirst() async throws {
        try await ResourceBench.with { bench in
            let app = try await bench.launch()
            for tag in ["three", "two", "one"] {
                _ = try await app.ask("make \(tag) \(tag)")
                #expect(try await app.ask("begin \(tag)") == "ok \(tag)")
            }
            #expect(try await app.ask("preserve two 0.9") == "ok two")
            #expect(try await app.ask("preservation two") == "ok 0.9")
            let end = Timestamp.now
            for tag in ["three", "two", "one"] { _ = try await app.ask("end \(tag)") }
            let connection = try await bench.device.connect()
            func purge() async throws -> [String] {
                try await connection.send(StoragePurgeRequest(bytes: 1)).purged.map {
                    String($0.download.dropFirst("\(ResourceBench.bundleID).asset-pack-".count))
                }
            }
            // The last uses are told behind the app's back.
            try await until { try await bench.tags().values.allSatisfy { $0.lastUse.map { $0 > end } ?? false } }
            #expect(try await purge() == ["three"])
            #expect(try await purge() == ["one"])
            // The forest is as much preserved as the second level, which has it, and was used after it.
            #expect(Set(try await purge() + purge()) == ["one-two", "two"])
            #expect(try await purge() == [])
            #expect(try await bench.state("three") == .purged)
        }
    }

    @Test func nothingInUseGoesAndTheServicesWordIsExact() async throws {
        try await ResourceBench.with { bench in
            let first = try await bench.launch()
            let second = try await bench.device.launch()
            _ = try await first.ask("make a one")
            _ = try await first.ask("begin a")
            _ = try await second.ask("make b two")
            _ = try await second.ask("begin b")
            let connection = try await bench.device.connect()
            #expect(try await connection.send(StoragePurgeRequest(bytes: 1 << 40)).purged.isEmpty)
            _ = try await first.ask("end a")
            // The forest is the second process's, too.
            let purged = try await connection.send(StoragePurgeRequest(bytes: 1 << 40)).purged.map(\.download)
            #expect(purged == ["\(ResourceBench.bundleID).asset-pack-one"])
            let content = try #require(bench.content("Places/forest.bin"))
            #expect(try await second.ask("lookup Places/forest.bin") == "ok " + summary(content))
            try await second.kill()
            #expect(try await connection.send(StoragePurgeRequest(bytes: 1 << 40)).purged.count == 2)
        }
    }

    @Test func anUpdateOfTheAppKeepsWhatIsLocalInSight() async throws {
        try await ResourceBench.with { bench in
            let app = try await bench.launch()
            _ = try await app.ask("make a one")
            _ = try await app.ask("begin a")
            try await app.kill()
            let newer = try await bench.launch { $0.version = "2.0" }
            _ = try await newer.ask("make a one")
            #expect(try await newer.ask("conditionally a") == "ok true")
            let content = try #require(bench.content("Levels/1/map.bin"))
            #expect(try await newer.ask("lookup Levels/1/map.bin") == "ok " + summary(content))
        }
    }

    // MARK: - Room

    /// The disk has room for two of three levels of 12 MB beside the app.
    @Test func whoIsToldOfLowSpaceMakesRoom() async throws {
        let base =
            try FileDescriptor.currentDirectory.status(at: Binaries.path("ProbeApp")).size
            + FileDescriptor.currentDirectory.status(at: Binaries.path("ProbeExtension")).size
        try await ResourceBench.with(
            { generator in
                TaggedApp(
                    ["one", "two", "three"].map {
                        TaggedApp.Part([$0], ["\($0).bin": generator.bytes(12 << 20, redundancy: false)])
                    })
            }, diskSize: base + (38 << 20)
        ) { bench in
            let app = try await bench.launch()
            for tag in ["one", "two"] {
                _ = try await app.ask("make \(tag) \(tag)")
                #expect(try await app.ask("begin \(tag)") == "ok \(tag)")
            }
            // Nobody lets go of anything: there is no room.
            _ = try await app.ask("make three three")
            #expect(try await app.ask("begin three") == "ok failed NSCocoaErrorDomain 4992")
            #expect(try await bench.state("one") == .inUse)
            _ = try await app.ask("releaseOnNotice one")
            _ = try await app.ask("make again three")
            #expect(try await app.ask("begin again") == "ok again")
            #expect(app.lines.contains("update notice"))
            #expect(try await bench.state("one") == .purged)
            #expect(try await bench.state("two") == .inUse)
            #expect(try await bench.state("three") == .inUse)
        }
    }
}
