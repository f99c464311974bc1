// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import Glibc
import Kit
import PackNamespace
import PackUpdates
import System
import TestSupport
import Testing

@testable import DeviceService

/// What local files have already is copied everywhere, and shared where the file system does that.
@Suite struct LocalCopyTests {
    @Test func copiesAnyRangesOnAnyFileSystem() throws {
        var random = SeededGenerator.forTest()
        try Scratch.with { scratch in try copyRanges(in: scratch.path, &random) }
    }

    /// A local file that is shorter than it was is told of by what is missing.
    @Test func saysHowMuchWasThere() throws {
        var random = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let old = random.bytes(700_000)
            let source = try OwnedDescriptor(try scratch.write(old, to: "old"), .readOnly)
            let sink = try makeSink(in: scratch.path)
            try sink.begin(file: "new", size: 900_000)
            #expect(throws: Errno.ioError) { try sink.copy(900_000, of: source.borrowed, from: 0) }
            #expect(sink.written == 700_000)
        }
    }

    /// A file system gives a file so many names and no more (ext4 65,000).
    @Test func linksBeyondWhatAFileMayHaveAreNamesOfACopy() throws {
        try Scratch.with { scratch in
            let here = FileDescriptor.currentDirectory
            let layout = AppRootLayout(root: try scratch.makeDirectory("app"))
            try AppGenerations(layout: layout).prepare()
            let (staged, pack) = (StagedPack(layout: layout, id: "levels"), PackFixture("levels", files: [:]))
            try staged.begin(pack.download(try pack.archive()).identity)
            let sink = try StagingSink(staged, resuming: nil, previous: nil, blockSize: 4096)
            sink.state.manifestWasRead = true
            try sink.begin(file: "a", size: 3)
            try ([1, 2, 3] as [UInt8]).withUnsafeBytes { try sink.data($0) }
            #expect(try sink.end(expecting: SHA256.hash([1, 2, 3])))
            for name in ["b", "c"] { try sink.addLink(name, target: "a") }

            let names = try scratch.makeDirectory("names")
            var isFull = false
            for number in 0..<70_000 where !isFull {
                do {
                    try here.link(from: staged.contents.appending("a"), to: names.appending("\(number)"))
                } catch Errno.tooManyLinks {
                    isFull = true
                }
            }
            try sink.finish()
            let files = try ["a", "b", "c"].map { try here.status(at: staged.contents.appending($0)) }
            #expect(files[1].isSameFile(as: files[0]) == !isFull)
            #expect(files[2].isSameFile(as: files[1]))
            #expect(try File.read(staged.contents.appending("c"), limit: 10) == [1, 2, 3])
            #expect(sink.state.fileCount == 3)
        }
    }
}

@Suite(.serialized, .enabled(if: SharingDisk.isAvailable, "needs btrfs-progs and the right to mount"))
struct SharedBlocksTests {
    @Test func copiesAnyRanges() throws {
        var random = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let disk = try SharingDisk(in: scratch)
            for _ in 0..<4 { try copyRanges(in: disk.path, &random) }
        }
    }

    @Test func takesNoSpaceForWhatIsShared() throws {
        var random = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let disk = try SharingDisk(in: scratch)
            let old = random.bytes(24 << 20) + random.bytes(77)
            let file = disk.path.appending("old")
            try AtomicFile.write(old, to: file, durable: true)
            let sink = try makeSink(in: disk.path)
            let source = try OwnedDescriptor(file, .readOnly)
            let before = try disk.used()
            try sink.begin(file: "new", size: UInt64(old.count) + 5096)
            // Another beginning, as long as some blocks and a bit, and then the old file from the same place in a block on.
            let head = random.bytes(8192 + 1000)
            try head.withUnsafeBytes { try sink.data($0) }
            try sink.copy(1 << 16, of: source.borrowed, from: 4096)
            #expect(sink.sharesBlocks == nil, "the places in a block differ")
            try sink.abandon()

            try sink.begin(file: "new", size: UInt64(old.count) + 8192 - 4096)
            try head.withUnsafeBytes { try sink.data($0) }
            try sink.copy(UInt64(old.count) - 5096, of: source.borrowed, from: 5096)
            #expect(sink.sharesBlocks == true)
            let new = head + old.dropFirst(5096)
            #expect(try sink.end(expecting: SHA256.hash(Array(new))))
            #expect(try File.read(sink.folder.appending("new")) == Array(new))
            let taken = try disk.used() - before
            #expect(taken < 4 << 20, "\(taken) bytes, seed \(random.seed)")
        }
    }

    /// Two subvolumes are two devices: no file of one has a name in the other, and yet they can share.
    @Test func whatCannotBeLinkedIsShared() throws {
        var random = SeededGenerator.forTest()
        try Scratch.with { scratch in
            let disk = try SharingDisk(in: scratch)
            let apps = disk.path.appending("apps")
            try FileDescriptor.currentDirectory.makeDirectories(at: apps)
            for name in ["one", "two"] { try SharingDisk.run("btrfs", "subvolume", "create", "\(apps)/\(name)") }
            let first = AppGenerations(layout: AppRootLayout(root: apps.appending("one")))
            let second = AppGenerations(layout: AppRootLayout(root: apps.appending("two")))
            for generations in [first, second] { try generations.prepare() }
            let pack = PackFixture("levels", files: ["large": random.bytes(20 << 20), "small": random.bytes(100)])
            try install(pack, in: first)
            let archive = try pack.archive()
            let index = try PackIndex.make(
                ofArchive: try scratch.write(archive, to: "levels.aar"), chunkAverage: 16 << 10)
            let staged = StagedPack(layout: second.layout, id: pack.id)
            let pipeline = try UpdatePipeline(
                pack.download(archive), staged: staged, index: index, digest: SHA256.hash([1]), options: .init())
            let found = try LocalVersions(appRoot: second.layout.root).find(
                Set(index.contents.map(\.digest)), first: [], by: { $0 }, isCancelled: {})
            var local: [Int: LocalFile] = [:]
            for (content, what) in index.contents.enumerated() { local[content] = found[what.digest] }
            let before = try disk.used()
            #expect(try pipeline.link(local, isCancelled: {}) == [])
            #expect(pipeline.tally.linked == 0)
            #expect(pipeline.tally.copied == (20 << 20) + 100)
            _ = try pipeline.finish(directory: "packs/levels/1-0000")
            try second.commit(staged)
            #expect(try readableFiles(second.layout.root) == pack.files)
            let taken = try disk.used() - before
            #expect(taken < 4 << 20, "\(taken) bytes")
        }
    }
}

extension StagingSink {
    /// Where its files are.
    fileprivate var folder: FilePath {
        get throws {
            let link = FilePath("/proc/self/fd/\(contents.borrowed.rawValue)")
            return FilePath(try FileDescriptor.currentDirectory.readLink(at: link))
        }
    }
}

private func makeSink(in folder: FilePath) throws -> StagingSink {
    let name = "app-\(UInt32.random(in: 0 ... .max))"
    let staged = StagedPack(layout: AppRootLayout(root: folder.appending(name)), id: "levels")
    try FileDescriptor.currentDirectory.makeDirectories(at: staged.contents)
    return try StagingSink(staged, resuming: nil, previous: nil, blockSize: FileSystemSpace(at: folder).blockSize)
}

/// Puts a file together of new bytes and ranges of an old one, some of them where blocks of both begin together.
private func copyRanges(in folder: FilePath, _ random: inout SeededGenerator) throws {
    let old = random.bytes(3 << 20) + random.bytes(Int.random(in: 0..<5000, using: &random))
    let file = folder.appending("old-\(UInt32.random(in: 0 ... .max))")
    try AtomicFile.write(old, to: file, durable: true)
    let source = try OwnedDescriptor(file, .readOnly)
    let sink = try makeSink(in: folder)
    var new: [UInt8] = []
    var steps: [() throws -> Void] = []
    for _ in 0..<24 {
        if Bool.random(using: &random) {
            let bytes = random.bytes(Int.random(in: 1..<100_000, using: &random))
            new += bytes
            steps.append { try bytes.withUnsafeBytes { try sink.data($0) } }
        } else {
            var start = Int.random(in: 0..<old.count, using: &random)
            if Bool.random(using: &random) { start = start / 4096 * 4096 + new.count % 4096 }
            start = min(start, old.count)
            let isRest = Bool.random(using: &random)
            let length = isRest ? old.count - start : Int.random(in: 0...old.count - start, using: &random)
            new += old[start..<start + length]
            steps.append { try sink.copy(UInt64(length), of: source.borrowed, from: UInt64(start)) }
        }
    }
    try sink.begin(file: "a/new", size: UInt64(new.count))
    for step in steps { try step() }
    #expect(try sink.end(expecting: SHA256.hash(new)), "seed \(random.seed)")
    #expect(try File.read(sink.folder.appending("a").appending("new")) == new, "seed \(random.seed)")
}

/// A file system in a file whose files can share blocks.
private struct SharingDisk {
    let path: FilePath

    static let isAvailable: Bool = {
        guard geteuid() == 0, (try? Scratch.with { _ = try SharingDisk(in: $0) }) != nil else { return false }
        return true
    }()

    init(in scratch: Scratch) throws {
        let image = try scratch.write([], to: "disk.image")
        path = try scratch.makeDirectory("disk")
        try Self.run("truncate", "-s", "256M", image.string)
        try Self.run("mkfs.btrfs", "-q", image.string)
        try Self.run("mount", "-o", "loop", image.string, path.string)
        let mounted = path
        scratch.addCleanup { try? Self.run("umount", "-l", mounted.string) }
    }

    /// Bytes that are in use when everything is on the disk.
    func used() throws -> Int64 {
        let folder = try OwnedDescriptor(path, .readOnly, options: .directory)
        try folder.borrowed.synchronizeFileSystem()
        let space = try FileSystemSpace(at: path)
        return space.total - space.available
    }

    static func run(_ program: String, _ arguments: String...) throws {
        let result = try ChildProcess.run(executable: FilePath(program), arguments: arguments)
        guard result.exitCode == 0 else { throw StoreError(.system, "\(program): \(result.errorText)") }
    }
}
