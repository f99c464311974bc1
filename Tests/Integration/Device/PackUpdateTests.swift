// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import DeviceSupport
import Glibc
import Kit
import System
import TestSupport
import Testing

/// Updates that move only what changed, by larderd from ba-serve (G1, G4).
@Suite(.serialized) struct PackUpdateTests {
    /// Two versions, the first on the device, whose app runs.
    private struct Stage {
        let bench: Bench
        var series: PackSeries
        let server: ServeProgram
        let app: RunningProgram
        var old: SamplePack { series.versions[0] }
        var new: SamplePack { series.versions[1] }

        /// Brings the pack to what the server has.
        func update() async throws -> String {
            _ = try await app.ask("check")
            return try await app.ask("ensureLatest \(PackSeries.id)", atMost: .seconds(120))
        }

        /// How the local version came, as `larder packs` tells.
        func arrival() async throws -> (version: Int?, how: PackArrival) {
            let output = try await bench.device.larder("packs", SampleApp.bundleID, "--json")
            #expect(output.exitCode == 0, "\(output.errorText)")
            let packs = try output.outputText.split(separator: "\n").map {
                try JSONCoder.decode(PackListing.self, from: Array($0.utf8))
            }
            let pack = try #require(packs.first { $0.id == PackSeries.id })
            return (pack.localVersion, try #require(pack.arrival))
        }

        /// Every file is there, and no other.
        func expect(_ pack: SamplePack, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            try await bench.expectWhole(pack, through: app, sourceLocation: sourceLocation)
            let files = try bench.files(in: try await bench.folder(of: pack, through: app))
            #expect(files.keys.sorted() == pack.files.keys.sorted(), sourceLocation: sourceLocation)
            let isSame = files == pack.files
            #expect(isSame, "a file is not as it should be", sourceLocation: sourceLocation)
        }
    }

    private static func with(
        name: String = #function,
        files: (inout SeededGenerator) -> [String: [UInt8]] = { PackSeries.files(using: &$0) },
        changed: ([String: [UInt8]], inout SeededGenerator) -> [String: [UInt8]] = {
            PackSeries.changed($0, using: &$1)
        }, _ body: (Stage) async throws -> Void
    ) async throws {
        var generator = SeededGenerator.forTest(name)
        try await Bench.with(fileCount: 1, fileSize: 100, start: false, name: name) { bench in
            var series = try PackSeries(bench.scratch)
            let first = files(&generator)
            let old = try await series.add(first)
            try await series.add(changed(first, &generator))
            let server = try await ServeProgram([old], bench)
            try await bench.device.start()
            #expect(try await bench.device.larder("trust", server.authority).exitCode == 0)
            let events = try await bench.device.install(
                try bench.app { $0.manifestURL = server.url + "/manifest" }, until: .complete)
            #expect(events.last?.error == nil, "\(String(describing: events.last))")
            let stage = Stage(bench: bench, series: series, server: server, app: try await bench.device.launch())
            try await stage.expect(old)
            try await body(stage)
        }
    }

    // MARK: - Ways

    @Test func aPatchIsFetchedWhereThereIsOne() async throws {
        try await Self.with { stage in
            let patch = try await stage.series.makePatch(from: 1, to: 2)
            try await stage.server.again([stage.new])
            // What it would take is known before, without a pack.
            let shown = try await stage.bench.device.larder("packs", SampleApp.bundleID, "--updates")
            #expect(shown.exitCode == 0 && shown.outputText.contains("1 -> 2"), "\(shown)")
            #expect(shown.outputText.contains("patch"), "\(shown.outputText)")
            let lines = try await stage.bench.device.larder("packs", SampleApp.bundleID, "--updates", "--json")
            let forecast = try JSONCoder.decode(PackUpdateForecast.self, from: Array(lines.outputText.utf8))
            #expect(forecast.localVersion == 1 && forecast.availableVersion == 2 && forecast.method == "patch")
            let looks = try await stage.server.again([stage.new])
            #expect(looks.bytes("") == 0 && looks.filter { $0.path.hasSuffix("patch") }.allSatisfy { $0.status == 206 })
            #expect(try await stage.arrival().version == 1)

            #expect(try await stage.update() == "ok Isles")
            try await stage.expect(stage.new)
            let (version, arrival) = try await stage.arrival()
            #expect(version == 2 && !arrival.isWhole && arrival.notes == [], "\(arrival)")
            // Parts of the patch that nobody needs may come along.
            #expect((0..<1000).contains(arrival.moved - forecast.toMove), "\(arrival) \(forecast)")
            #expect(arrival.written == forecast.toWrite, "\(arrival) \(forecast)")
            let current = try await stage.bench.device.larder("packs", SampleApp.bundleID, "--updates")
            #expect(current.outputText.contains("up to date"), "\(current.outputText)")
            #expect(arrival.patched > 0 && arrival.moved < stage.new.archiveSize / 4, "\(arrival)")
            let answers = try await stage.server.end()
            #expect(answers.bytes("") == 0 && answers.bytes(".from-1.patch") == patch, "\(answers)")
            #expect(arrival.moved == patch + answers.bytes(".from-1.list"), "\(arrival) \(answers)")
        }
    }

    /// Of many small files the index is larger than what changed: a list of them comes in its place.
    @Test func aListIsFetchedInPlaceOfALargeIndex() async throws {
        let files: (inout SeededGenerator) -> [String: [UInt8]] = { generator in
            PackSeries.files(count: 500, size: 900, using: &generator)
        }
        let changed: ([String: [UInt8]], inout SeededGenerator) -> [String: [UInt8]] = {
            PackSeries.changed($0, each: 25, using: &$1)
        }
        try await Self.with(files: files, changed: changed) { stage in
            var stage = stage
            var generator = SeededGenerator.forTest()
            for version in 2...3 {
                let new = stage.series.versions[version - 1]
                let patch = try await stage.series.makePatch(from: version - 1, to: version)
                // The second time a list that is damaged on the way.
                try await stage.server.again([new], faults: version == 3 ? ["list=Isles:wrong-byte"] : [])
                #expect(try await stage.update() == "ok Isles")
                try await stage.expect(new)
                let (local, arrival) = try await stage.arrival()
                #expect(local == version && !arrival.isWhole && arrival.patched > 0, "\(arrival)")
                let answers = try await stage.server.again([new])
                let list = answers.bytes(".from-\(version - 1).list")
                #expect(list > 0 && list < 4000, "\(answers)")
                #expect(answers.bytes("") == 0 && answers.bytes(".from-\(version - 1).patch") == patch, "\(answers)")
                #expect((answers.bytes(".index") > 12_000) == (version == 3), "\(answers)")
                #expect(arrival.moved == patch + list + answers.bytes(".index"), "\(arrival) \(answers)")
                #expect(arrival.notes.contains { $0.contains("not the one that is listed") } == (version == 3))
                if version == 2 { try await stage.series.add(changed(new.files, &generator)) }
            }
        }
    }

    @Test func blocksAreFetchedWhereThereIsNoPatch() async throws {
        let changed: ([String: [UInt8]], inout SeededGenerator) -> [String: [UInt8]] = { files, generator in
            // A few files change: the rest is there.
            var files = files
            let paths = files.keys.sorted()
            for path in paths.prefix(4) { files[path]?[2000] ^= 0x55 }
            files["Isles/renamed.bin"] = files.removeValue(forKey: paths[paths.count - 1])
            return files
        }
        try await Self.with(changed: changed) { stage in
            try await stage.server.again([stage.new])
            #expect(try await stage.update() == "ok Isles")
            try await stage.expect(stage.new)
            let (version, arrival) = try await stage.arrival()
            #expect(version == 2 && !arrival.isWhole && arrival.notes == [] && arrival.patched == 0, "\(arrival)")
            let answers = try await stage.server.end()
            #expect(answers.bytes("") > 0 && answers.bytes("") < stage.new.archiveSize / 2, "\(answers)")
            #expect(arrival.moved <= answers.bytes("") + answers.bytes(".index"), "\(arrival) \(answers)")
            #expect(arrival.written < stage.new.contents.installedSize / 3, "\(arrival)")
        }
    }

    /// Of a server that knows no ranges the patch is fetched, or the archive whole.
    @Test(arguments: [true, false]) func aServerWithoutRangesWillDo(hasPatch: Bool) async throws {
        try await Self.with(name: "\(#function) \(hasPatch)") { stage in
            if hasPatch { try await stage.series.makePatch(from: 1, to: 2) }
            try await stage.server.again([stage.new], faults: ["no-ranges"])
            #expect(try await stage.update() == "ok Isles")
            try await stage.expect(stage.new)
            let (_, arrival) = try await stage.arrival()
            #expect(arrival.isWhole == !hasPatch && (arrival.patched > 0) == hasPatch, "\(arrival)")
            let answers = try await stage.server.end()
            #expect(answers.allSatisfy { $0.status == 200 }, "\(answers)")
            if hasPatch { #expect(answers.bytes("") == 0 && arrival.moved < stage.new.archiveSize / 4, "\(arrival)") }
        }
    }

    // MARK: - Kills

    /// A service that is killed in the midst goes on from its checkpoint, and until then the app reads the old version.
    @Test(arguments: [true, false]) func aKilledUpdateGoesOn(hasPatch: Bool) async throws {
        let files: (inout SeededGenerator) -> [String: [UInt8]] = { generator in
            var files = PackSeries.files(using: &generator)
            for number in 0..<10 { files["Isles/large-\(number).bin"] = generator.bytes(1 << 20) }
            return files
        }
        let changed: ([String: [UInt8]], inout SeededGenerator) -> [String: [UInt8]] = { files, generator in
            var files = PackSeries.changed(files, using: &generator)
            for number in 0..<10 { files["Isles/large-\(number).bin"] = generator.bytes(1 << 20) }
            return files
        }
        try await Self.with(name: "\(#function) \(hasPatch)", files: files, changed: changed) { stage in
            let bench = stage.bench
            let (kind, path) = hasPatch ? ("patch", ".from-1.patch") : ("asset", "")
            let patch = hasPatch ? try await stage.series.makePatch(from: 1, to: 2) : 0
            let stop: Int64 = 9 << 20
            try await stage.server.again(
                [stage.new], faults: ["\(kind)=\(PackSeries.id):stall,after=\(stop),times=1"])
            #expect(try await stage.app.ask("check").contains(PackSeries.id))
            // All that came is kept although the server falls silent, but for the block or piece that was under way.
            let (staging, kept) = Self.kept(stage)
            try await FolderWatch.wait(below: staging) { kept() > stop - (1 << 20) }
            try await bench.device.kill()
            let reached = kept()
            // The service is down, and the old version is whole.
            try await stage.expect(stage.old)
            try await bench.device.start()
            #expect(try await stage.update() == "ok Isles")
            try await stage.expect(stage.new)
            let (version, arrival) = try await stage.arrival()
            #expect(version == 2 && !arrival.isWhole && arrival.notes == [], "\(arrival)")
            let answers = try await stage.server.end()
            #expect((arrival.patched >= 10 << 20) == hasPatch, "\(arrival) \(answers)")
            // From the start it would be all of it, and what came before once more.
            let all = hasPatch ? patch : stage.new.archiveSize
            #expect(answers.bytes(path) < all + stop - reached + (2 << 20), "\(reached) kept, \(answers)")
            #expect(answers.filter { $0.path.hasSuffix(path) && $0.range != nil }.count > 0, "\(answers)")
            #expect(try bench.staged() == [])
        }
    }

    /// Little of one large file came in all: over a slow connection that counts, too.
    @Test func aSlowUpdateThatIsKilledGoesOn() async throws {
        let path = "Isles/large.bin"
        let changed: ([String: [UInt8]], inout SeededGenerator) -> [String: [UInt8]] = {
            [path: ($0[path] ?? []) + $1.bytes(3 << 20)]
        }
        try await Self.with(files: { [path: $0.bytes(600 << 10)] }, changed: changed) { stage in
            let bench = stage.bench
            try await stage.server.again([stage.new], faults: ["asset=\(PackSeries.id):slow,rate=600k,times=1"])
            #expect(try await stage.app.ask("check").contains(PackSeries.id))
            let (staging, kept) = Self.kept(stage)
            try await FolderWatch.wait(below: staging) { kept() > 500 << 10 }
            try await bench.device.kill()
            let reached = kept()
            #expect(reached < 3 << 20, "all came before it was killed")
            try await stage.expect(stage.old)
            try await stage.server.again([stage.new])
            try await bench.device.start()
            #expect(try await stage.update() == "ok Isles")
            try await stage.expect(stage.new)
            let answers = try await stage.server.end()
            // Whole blocks count.
            #expect(answers.bytes("") < (3 << 20) + (300 << 10) - reached, "\(reached) kept, \(answers)")
        }
    }

    /// Where an update is staged, and how many bytes that came its checkpoint counts.
    private static func kept(_ stage: Stage) -> (FilePath, @Sendable () -> Int64) {
        let staging = stage.bench.device.paths.appRoot(SampleApp.bundleID).appending("staging")
        return (
            staging,
            {
                let bytes = try? File.read(staging.appending(PackSeries.id).appending("checkpoint"))
                let checkpoint = bytes.flatMap { try? JSONParser.parse(String(decoding: $0, as: UTF8.self)).value }
                return checkpoint?["tally"]?["moved"]?.integerValue ?? 0
            }
        )
    }

    // MARK: - Damage

    @Test func whatIsDamagedOnTheDeviceIsFetched() async throws {
        try await Self.with { stage in
            let bench = stage.bench
            // Not from the end, which the next version has no more.
            let paths = stage.old.files.keys.sorted()
            try await damage(paths[2], stage)
            try FileDescriptor.currentDirectory.remove(at: try await place(of: paths[4], stage))
            let found = try await bench.device.larder("verify", SampleApp.bundleID)
            #expect(found.exitCode == 4, "\(found.outputText)")
            #expect(found.outputText.contains(paths[2]) && found.outputText.contains(paths[4]), "\(found.outputText)")
            try await stage.server.again([stage.old])
            let repair = try await bench.device.larder("verify", SampleApp.bundleID, "--repair")
            #expect(repair.exitCode == 0, "\(repair.outputText) \(repair.errorText)")
            _ = try await eventually {
                try await bench.device.larder("verify", SampleApp.bundleID).outputText.contains("all as they were")
                    ? true : nil
            }
            try await stage.expect(stage.old)
            let (_, mended) = try await stage.arrival()
            #expect(!mended.isWhole && mended.moved < stage.old.archiveSize / 3, "\(mended)")

            // A file that was damaged without a trace, from which the patch starts.
            try await stage.series.makePatch(from: 1, to: 2)
            try await damage(paths[2], stage)
            let answers = try await stage.server.again([stage.new])
            #expect(answers.bytes("") < stage.old.archiveSize / 3, "\(answers)")
            #expect(try await stage.update() == "ok Isles")
            try await stage.expect(stage.new)
            let (version, arrival) = try await stage.arrival()
            #expect(version == 2 && arrival.patched > 0 && !arrival.isWhole, "\(arrival)")
            #expect(arrival.notes.contains { $0.contains("gave other files than its list means") }, "\(arrival)")
            #expect(arrival.moved < stage.new.archiveSize / 2, "\(arrival)")
        }
    }

    private func place(of path: String, _ stage: Stage) async throws -> FilePath {
        try await stage.bench.folder(of: stage.old, through: stage.app).appending(path)
    }

    /// Writes into a file, and leaves its size and times as they were.
    private func damage(_ path: String, _ stage: Stage) async throws {
        let (place, here) = (try await place(of: path, stage), FileDescriptor.currentDirectory)
        let time = try here.status(at: place).modificationTime
        try here.setPermissions(.fileDefault, at: place)
        let file = try OwnedDescriptor(place, .readWrite)
        try file.borrowed.seek(offset: 5000, from: .start)
        try file.borrowed.writeAll([UInt8](repeating: 0x77, count: 1000))
        let times = timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds))
        guard futimens(file.borrowed.rawValue, [times, times]) == 0 else { throw Errno.ioError }
    }

    // MARK: - Servers

    /// What a server does wrong, and what comes of it.
    private struct Trouble {
        let faults: [String]
        var hasPatch = false
        /// What is noted of it; nil when nothing is.
        var note: String?
        /// Whether the archive is fetched whole.
        var isWhole = false
        /// Whether the update fails.
        var fails = false
    }

    private static let troubles: [Trouble] = [
        Trouble(faults: ["index=Isles:wrong-byte"], note: "not the one that is listed", isWhole: true),
        Trouble(faults: ["index=Isles:404"], note: "404", isWhole: true),
        Trouble(faults: ["index=Isles:long,by=10"], note: "Isles.index", isWhole: true),
        Trouble(faults: ["index=Isles:short,by=10"], note: "Isles.index", isWhole: true),
        Trouble(faults: ["index=Isles:endless"], note: "Isles.index", isWhole: true),
        Trouble(faults: ["index=Isles:503,times=2", "index=Isles:cut,times=2"]),
        Trouble(faults: ["patch=Isles:wrong-byte"], hasPatch: true, note: "patch"),
        Trouble(faults: ["patch=Isles:wrong-byte,at=20"], hasPatch: true, note: "patch"),
        Trouble(faults: ["patch=Isles:404"], hasPatch: true, note: "404"),
        Trouble(faults: ["patch=Isles:short,by=1000"], hasPatch: true, note: "bytes long"),
        Trouble(faults: ["patch=Isles:endless"], hasPatch: true, note: "more than"),
        Trouble(faults: ["patch=Isles:cut,times=2", "patch=Isles:reset,times=1"], hasPatch: true),
        Trouble(faults: ["asset=Isles:first-range"], note: "no several ranges"),
        Trouble(faults: ["asset=Isles:wrong-range"], note: "the bytes", isWhole: true),
        Trouble(faults: ["asset=Isles:shifted"], note: "archive", isWhole: true),
        Trouble(faults: ["asset=Isles:416,times=1"], note: "no several ranges"),
        Trouble(faults: ["asset=Isles:cut,after=30kB,times=3", "asset=Isles:503,times=1"]),
        Trouble(faults: ["asset=Isles:404"], fails: true),
        Trouble(faults: ["asset=Isles:endless"], note: "no several ranges"),
        Trouble(faults: ["index=Isles:404", "asset=Isles:wrong-byte"], fails: true),
    ]

    /// Whatever the server sends, the app has the old version or the new one, and never anything between.
    @Test func serversInTrouble() async throws {
        var generator = SeededGenerator.forTest("troubles")
        try await Self.with { stage in
            var series = stage.series
            try await stage.server.again([stage.new])
            #expect(try await stage.update() == "ok Isles")
            for trouble in Self.troubles {
                // One that was never here: what is left of old versions would be linked.
                let old = series.versions[series.versions.count - 1]
                // With gaps between the blocks that change, so that several ranges are asked for.
                let new = try await series.add(PackSeries.changed(old.files, each: 5, using: &generator))
                if trouble.hasPatch { try await series.makePatch(from: old.version, to: new.version) }
                try await stage.server.again([new], faults: trouble.faults)
                let answer = try await stage.update()
                let (version, arrival) = try await stage.arrival()
                let what = "\(trouble.faults): \(answer), \(arrival)"
                if trouble.fails {
                    #expect(answer.hasPrefix("error") && answer.contains(PackSeries.id), "\(what)")
                    #expect(version == old.version, "\(what)")
                    try await stage.expect(old)
                    // And from a server that has come to its senses.
                    try await stage.server.again([new])
                    #expect(try await stage.update() == "ok Isles", "\(what)")
                } else {
                    #expect(answer == "ok Isles" && version == new.version, "\(what)")
                    #expect(arrival.isWhole == trouble.isWhole, "\(what)")
                    if let note = trouble.note {
                        #expect(arrival.notes.contains { $0.contains(note) }, "\(what)")
                    } else {
                        #expect(arrival.notes == [], "\(what)")
                    }
                }
                try await stage.expect(new)
                #expect(try stage.bench.staged() == [], "\(what)")
            }
        }
    }
}
