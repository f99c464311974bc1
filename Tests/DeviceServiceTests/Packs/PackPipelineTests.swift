// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Kit
import PackNamespace
import System
import TestSupport
import Testing

@testable import DeviceService

@Suite struct PackPipelineTests {
    /// An app root of its own, its generations made ready, and random numbers to make packs of.
    private func withAppRoot(_ body: (FilePath, AppGenerations, inout SeededGenerator) throws -> Void) throws {
        try Scratch.with { scratch in
            var random = SeededGenerator.forTest()
            let generations = AppGenerations(layout: AppRootLayout(root: scratch.path))
            try generations.prepare()
            try body(scratch.path, generations, &random)
        }
    }

    @Test func unpacksChecksAndCommits() throws {
        try withAppRoot { root, generations, random in
            let fixture = PackFixture.random("levels", bytes: 600_000, &random)
            try install(fixture, in: generations)
            #expect(try readableFiles(root) == fixture.files)
            let pack = try #require(try generations.localPacks().first)
            #expect(pack.fileCount == UInt64(fixture.files.count))
            #expect(pack.installedSize == UInt64(fixture.files.values.reduce(0) { $0 + $1.count }))
            #expect(pack.allocatedSize >= pack.installedSize)
            #expect(try FileDescriptor.currentDirectory.entries(at: generations.layout.staging) == [])
            let file = root.appending(pack.directory).appending(fixture.files.keys.sorted()[0])
            #expect(try FileDescriptor.currentDirectory.status(at: file).permissions.rawValue == 0o444)
        }
    }

    /// A process killed after any piece goes on from its last checkpoint; it fetches at most a block and a span again.
    @Test(arguments: [Compression.lz4, .lzfse, .none]) func goesOnAfterAnyInterruption(compression: Compression) throws
    {
        try withAppRoot { root, generations, random in
            var fixture = PackFixture.random("levels", bytes: 9_000_000, &random)
            fixture.compression = compression
            fixture.blockSize = 64 << 10
            let archive = try fixture.archive()
            let staged = StagedPack(layout: generations.layout, id: "levels")
            var reached = 0
            var fetched = 0
            for _ in 0..<12 {
                let pipeline = try PackPipeline(fixture.download(archive), staged: staged, previous: nil)
                let start = Int(pipeline.position)
                // A checkpoint interval, a span, and the blocks on their way through the decoder.
                let interval = compression == .none ? 4 << 20 : (1 << 20) + 16 * fixture.blockSize
                #expect(reached - start <= interval + (1 << 20), "seed \(random.seed)")
                let end = min(archive.count, start + Int.random(in: 1...4_700_000, using: &random))
                try pipeline.feed(archive, upTo: end, pieces: Int.random(in: 1...200_000, using: &random))
                fetched += end - start
                reached = max(reached, end)
                if end == archive.count { break }
                // Here the process dies: nothing is told, nothing flushed.
            }
            let pipeline = try PackPipeline(fixture.download(archive), staged: staged, previous: nil)
            try pipeline.feed(archive)
            _ = try pipeline.finish(directory: "packs/levels/1-0000")
            try generations.commit(staged)
            #expect(try readableFiles(root) == fixture.files, "seed \(random.seed)")
        }
    }

    /// After a power cut only what was flushed is certain: files may be short, the later checkpoint is of another boot.
    @Test func goesOnFromTheDurableCheckpointAfterAPowerCut() throws {
        try withAppRoot { root, generations, random in
            var fixture = PackFixture("levels", files: ["big": random.bytes(6_000_000)])
            fixture.blockSize = 64 << 10
            let archive = try fixture.archive()
            let staged = StagedPack(layout: generations.layout, id: "levels")
            var options = PackPipeline.Options()
            options.durableInterval = 1 << 20
            var pipeline: PackPipeline? = try PackPipeline(
                fixture.download(archive), staged: staged, previous: nil, options: options)
            try pipeline?.feed(archive, upTo: 5_000_000)
            pipeline = nil
            let durable = try StagedPack.read(StagingCheckpoint.self, staged.durableCheckpoint)
            var later = try StagedPack.read(StagingCheckpoint.self, staged.checkpoint)
            #expect(durable.archive.archiveOffset <= later.archive.archiveOffset)
            later.boot = "another"
            try StagedPack.write(later, to: staged.checkpoint, durable: false)
            let written = try #require(durable.sink.current?.written)
            let big = try OwnedDescriptor(staged.contents.appending("big"), .readOnly)
            let size = try big.borrowed.status().size
            #expect(size >= Int64(written))
            // What came after the flush is lost.
            try FileDescriptor.currentDirectory.setPermissions(.fileDefault, at: staged.contents.appending("big"))
            try AtomicFile.write(
                try File.read(staged.contents.appending("big")).prefix(Int(written)),
                to: staged.contents.appending("big"),
                durable: false, permissions: FilePermissions(rawValue: 0o444))

            let again = try PackPipeline(fixture.download(archive), staged: staged, previous: nil)
            #expect(again.position == durable.fetchOffset)
            #expect(again.position > 0)
            try again.feed(archive)
            _ = try again.finish(directory: "packs/levels/1-0000")
            try generations.commit(staged)
            #expect(try readableFiles(root) == fixture.files)
        }
    }

    @Test func damagedStagingBeginsAgain() throws {
        try withAppRoot { root, generations, random in
            var fixture = PackFixture("levels", files: ["big": random.bytes(4_000_000)])
            fixture.blockSize = 64 << 10
            let archive = try fixture.archive()
            let staged = StagedPack(layout: generations.layout, id: "levels")
            let damages: [(String, () throws -> Void)] = [
                ("checkpoint", { try AtomicFile.write("{}".utf8, to: staged.checkpoint, durable: false) }),
                ("leaves", { try AtomicFile.write([1, 2, 3], to: staged.leaves, durable: false) }),
                ("identity", { try AtomicFile.write("{".utf8, to: staged.identity, durable: false) }),
                ("file", { try FileDescriptor.currentDirectory.remove(at: staged.contents.appending("big")) }),
            ]
            for (name, damage) in damages {
                try staged.remove()
                var pipeline: PackPipeline? = try PackPipeline(fixture.download(archive), staged: staged, previous: nil)
                try pipeline?.feed(archive, upTo: 3_000_000)
                pipeline = nil
                try damage()
                let again = try PackPipeline(fixture.download(archive), staged: staged, previous: nil)
                #expect(again.position == 0, "\(name)")
                try again.feed(archive)
                _ = try again.finish(directory: "packs/levels/1-0000")
            }
        }
    }

    @Test func anotherVersionVoidsWhatIsStaged() throws {
        try withAppRoot { root, generations, random in
            var fixture = PackFixture("levels", files: ["big": random.bytes(4_000_000)])
            fixture.blockSize = 64 << 10
            let staged = StagedPack(layout: generations.layout, id: "levels")
            let archive = try fixture.archive()
            var pipeline: PackPipeline? = try PackPipeline(fixture.download(archive), staged: staged, previous: nil)
            try pipeline?.feed(archive, upTo: 3_000_000)
            pipeline = nil
            fixture.version = 2
            #expect(try PackPipeline(fixture.download(archive), staged: staged, previous: nil).position == 0)
        }
    }

    @Test func unchangedFilesAreLinkedFromTheVersionBefore() throws {
        try withAppRoot { root, generations, random in
            var old = PackFixture("levels", files: [:])
            old.files["same"] = random.bytes(300_000)
            old.files["d/changedAtEnd"] = random.bytes(300_000)
            old.files["changedAtStart"] = random.bytes(1000)
            old.files["grown"] = [1, 2, 3]
            old.files["empty"] = []
            old.files["gone"] = [1]
            try install(old, in: generations)
            let oldSame = root.appending("packs/levels/1-0000/same")
            let before = try FileDescriptor.currentDirectory.status(at: oldSame)

            var new = old
            new.version = 2
            new.files["gone"] = nil
            new.files["d/changedAtEnd"]?[299_999] ^= 1
            new.files["changedAtStart"]?[0] ^= 1
            new.files["grown"] = [1, 2, 3, 4]
            try install(new, in: generations)
            #expect(try readableFiles(root) == new.files)
            let after = try FileDescriptor.currentDirectory.status(
                at: root.appending("packs/levels/2-0000/same"))
            #expect(after.isSameFile(as: before))
            #expect(!FileDescriptor.currentDirectory.exists(at: root.appending("packs/levels/1-0000")))
        }
    }

    /// An interruption in the midst of comparing, too, ends in the right bytes, and the old version stays whole.
    @Test func interruptedUpdatesNeverTouchTheVersionBefore() throws {
        try withAppRoot { root, generations, random in
            var old = PackFixture("levels", files: ["a": random.bytes(3_000_000), "b": random.bytes(3_000_000)])
            old.blockSize = 64 << 10
            try install(old, in: generations)
            var new = old
            new.version = 2
            new.files["b"]?[2_900_000] ^= 1
            let archive = try new.archive()
            let staged = StagedPack(layout: generations.layout, id: "levels")
            let previous = root.appending("packs/levels/1-0000")
            for _ in 0..<6 {
                let pipeline = try PackPipeline(new.download(archive), staged: staged, previous: previous)
                let end = min(archive.count, Int(pipeline.position) + Int.random(in: 1...2_000_000, using: &random))
                try pipeline.feed(archive, upTo: end)
                #expect(try readableFiles(root) == old.files)
            }
            let pipeline = try PackPipeline(new.download(archive), staged: staged, previous: previous)
            try pipeline.feed(archive)
            _ = try pipeline.finish(directory: "packs/levels/2-0000")
            #expect(try readableFiles(root) == old.files)
            try generations.commit(staged)
            #expect(try readableFiles(root) == new.files, "seed \(random.seed)")
        }
    }

    @Test func linksInsideThePackBecomeSecondNames() throws {
        try withAppRoot { root, generations, random in
            var fixture = PackFixture("levels", files: ["a/real": [1, 2, 3], "b/x": [9]])
            fixture.entries = [
                .link("Contents/b/link", "../a/real"), .link("Contents/chain", "zlast"),
                .link("Contents/zlast", "a/real"),
            ]
            try install(fixture, in: generations)
            #expect(
                try readableFiles(root)
                    == [
                        "a/real": [1, 2, 3], "b/x": [9], "b/link": [1, 2, 3], "chain": [1, 2, 3], "zlast": [1, 2, 3],
                    ])
            #expect(try generations.localPacks().first?.fileCount == 5)
        }
    }

    /// Each link names the next one: they are looked at once each, not over and over until no more can be made.
    @Test(.timeLimit(.minutes(1))) func aLongChainOfLinksIsMadeInOneGo() throws {
        try withAppRoot { root, generations, _ in
            let count = 20_000
            var fixture = PackFixture("levels", files: ["z": [1, 2, 3]])
            fixture.entries = (0..<count).map {
                .link("Contents/l\(100_000 + $0)", $0 == count - 1 ? "z" : "l\(100_001 + $0)")
            }
            try install(fixture, in: generations)
            #expect(try generations.localPacks().first?.fileCount == UInt64(count) + 1)
            let folder = root.appending(try #require(try generations.localPacks().first).directory)
            #expect(try File.read(folder.appending("l100000"), limit: 10) == [1, 2, 3])
        }
    }

    /// What costs few bytes in an archive, and would cost the device much.
    @Test(arguments: [
        BadPack(
            testDescription: "names of links",
            change: { fixture in
                fixture.entries = (0..<20).map { .link("Contents/l\($0)", "a/f") }
            }, says: "links whose names"),
        BadPack(
            testDescription: "names of hard links",
            change: { fixture in
                fixture.entries = (0..<30).map { number in
                    var entry = EntryHeader(type: .regularFile, path: "Contents/h\(number)")
                    entry.hardLinkCluster = UInt64(number)
                    return entry
                }
            }, says: "links whose names"),
        BadPack(
            testDescription: "folders",
            change: {
                $0.entries = [
                    EntryHeader(type: .directory, path: "Contents/" + String(repeating: "d/", count: 20) + "d")
                ]
            },
            says: "more than the 20 folders"),
        BadPack(
            testDescription: "entries",
            change: { fixture in
                fixture.entries = (0..<40).map { EntryHeader(type: .regularFile, path: "Contents/f\($0)") }
            }, says: "more than 40 entries"),
        BadPack(
            testDescription: "names",
            change: { fixture in
                fixture.entries = (0..<30).map {
                    EntryHeader(type: .regularFile, path: "Contents/" + String(repeating: "n", count: 100) + "\($0)")
                }
            }, says: "more than the 3000 bytes allowed"),
    ])
    func whatCostsMuchIsRefused(_ bad: BadPack) throws {
        try withAppRoot { (_, generations, _) throws in
            var options = PackPipeline.Options()
            options.maximumEntries = 40
            options.maximumNameSize = 3000
            options.bounds = StagingSink.Bounds(linkSize: 1000, folders: 20)
            func take(_ fixture: PackFixture) throws {
                let archive = try fixture.archive()
                let staged = StagedPack(layout: generations.layout, id: "levels")
                let pipeline = try PackPipeline(
                    fixture.download(archive), staged: staged, previous: nil, options: options)
                try pipeline.feed(archive)
                _ = try pipeline.finish(directory: "packs/levels/1-0000")
            }
            var fixture = PackFixture("levels", files: ["a/f": [1, 2, 3]])
            fixture.entries = [.link("Contents/l", "a/f")]
            try take(fixture)
            bad.change(&fixture)
            fixture.version = 2
            let thrown = #expect(throws: (any Error).self) { try take(fixture) }
            let error = try #require(thrown as? any LarderError)
            #expect(error.message.contains(bad.says), "\(error)")
        }
    }

    struct BadPack: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout PackFixture) -> Void
        var says: String
    }

    @Test(arguments: [
        BadPack(
            testDescription: "link out", change: { $0.entries = [.link("Contents/l", "../../x")] }, says: "leads out"),
        BadPack(testDescription: "link up", change: { $0.entries = [.link("Contents/l", "../x")] }, says: "leads out"),
        BadPack(
            testDescription: "absolute link", change: { $0.entries = [.link("Contents/l", "/etc/passwd")] },
            says: "leads out"),
        BadPack(
            testDescription: "dangling", change: { $0.entries = [.link("Contents/l", "nowhere")] },
            says: "does not hold"),
        BadPack(
            testDescription: "loop", change: { $0.entries = [.link("Contents/l", "m"), .link("Contents/m", "l")] },
            says: "does not hold"),
        BadPack(
            testDescription: "into itself", change: { $0.entries = [.link("Contents/a/l", "../a")] }, says: "no end"),
        BadPack(
            testDescription: "link for Contents", change: { $0.entries = [.link("Contents", "/tmp")] }, says: "outside"),
        BadPack(
            testDescription: "twice", change: { $0.entries = [EntryHeader(type: .regularFile, path: "Contents/a/f")] },
            says: "twice"),
        BadPack(
            testDescription: "file as folder",
            change: { $0.entries = [EntryHeader(type: .regularFile, path: "Contents/a/f/g")] },
            says: "folder and as a file"),
        BadPack(
            testDescription: "device",
            change: { $0.entries = [EntryHeader(type: .characterDevice, path: "Contents/dev")] },
            says: "character device"),
        BadPack(
            testDescription: "other pack", change: { $0.manifest = #"{"assetPackID": "other"}"# },
            says: "another pack, other"),
        BadPack(testDescription: "no id", change: { $0.manifest = "{}" }, says: "assetPackID"),
        BadPack(testDescription: "no JSON", change: { $0.manifest = "{" }, says: "no JSON"),
        BadPack(
            testDescription: "two manifests",
            change: { $0.entries = [EntryHeader(type: .regularFile, path: "manifest.json")] }, says: "two manifest.json"
        ),
    ])
    func hostilePacksAreRefused(_ bad: BadPack) throws {
        try withAppRoot { (_, generations, _) throws in
            var fixture = PackFixture("levels", files: ["a/f": [1, 2, 3]])
            bad.change(&fixture)
            let error = #expect(throws: StoreError.self) { try install(fixture, in: generations) }
            #expect(error?.code == .badArchive)
            #expect(error?.message.contains(bad.says) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("levels") == true)
            #expect(try generations.localPacks() == [])
        }
    }

    @Test func wrongBytesAreRefused() throws {
        try withAppRoot { root, generations, random in
            let fixture = PackFixture("levels", files: ["f": random.bytes(100_000)])
            let archive = try fixture.archive()
            let staged = StagedPack(layout: generations.layout, id: "levels")
            var broken = archive
            broken[90_000] ^= 1
            let pipeline = try PackPipeline(fixture.download(archive), staged: staged, previous: nil)
            #expect(throws: (any Error).self) {
                try pipeline.feed(broken)
                _ = try pipeline.finish(directory: "packs/levels/1-0000")
            }
            #expect(!staged.isSealed)

            let longer = try PackPipeline(fixture.download(archive), staged: staged, previous: nil)
            try longer.restart()
            #expect(#expect(throws: StoreError.self) { try longer.feed(archive + [0]) }?.code == .wrongSize)

            let shorter = try PackPipeline(fixture.download(archive), staged: staged, previous: nil)
            try shorter.feed(archive, upTo: archive.count - 1)
            let error = #expect(throws: StoreError.self) { _ = try shorter.finish(directory: "packs/levels/1-0000") }
            #expect(error?.code == .wrongSize)
        }
    }

    @Test func anArchiveMayNotHoldMoreThanTheManifestSays() throws {
        try withAppRoot { root, generations, random in
            let fixture = PackFixture("levels", files: ["zeroes": [UInt8](repeating: 0, count: 40 << 20)])
            let archive = try fixture.archive()
            var download = fixture.download(archive)
            download.installedSize = 1000
            let pipeline = try PackPipeline(
                download, staged: StagedPack(layout: generations.layout, id: "levels"), previous: nil)
            #expect(#expect(throws: ArchiveError.self) { try pipeline.feed(archive) }?.code == .limitExceeded)
        }
    }
}

extension EntryHeader {
    static func link(_ path: String, _ target: String) -> EntryHeader {
        var entry = EntryHeader(type: .symbolicLink, path: path)
        entry.linkTarget = target
        return entry
    }
}
