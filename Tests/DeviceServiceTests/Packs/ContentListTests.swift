// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import DeviceProtocol
import Kit
import PackNamespace
import System
import TestSupport
import Testing

@testable import DeviceService

/// What is recorded of a local pack's files beside them.
@Suite struct ContentListTests {
    private func withAppRoot(_ body: (AppGenerations, inout SeededGenerator) throws -> Void) throws {
        try Scratch.with { scratch in
            var random = SeededGenerator.forTest()
            let generations = AppGenerations(layout: AppRootLayout(root: scratch.path))
            try generations.prepare()
            try body(generations, &random)
        }
    }

    private func records(_ generations: AppGenerations) throws -> (folder: FilePath, records: [String: FileRecord]) {
        let pack = try #require(try generations.localPacks().first)
        let folder = generations.layout.root.appending(pack.directory)
        let list = try #require(ContentList(ContentList.path(of: folder)))
        var records: [String: FileRecord] = [:]
        list.forEach { view in
            if let record = view.record { records[record.path] = record }
        }
        return (folder, records)
    }

    private func expectAll(_ files: [String: [UInt8]], _ generations: AppGenerations) throws {
        let (folder, records) = try records(generations)
        #expect(Set(records.keys) == Set(files.keys))
        for (path, bytes) in files {
            let status = try FileDescriptor.currentDirectory.status(at: folder.appending(path))
            #expect(
                records[path]
                    == FileRecord(
                        path: path, size: UInt64(bytes.count), stamp: FileStamp(status), digest: SHA256.hash(bytes)),
                "\(path)")
        }
    }

    @Test func aCommitRecordsEveryFile() throws {
        try withAppRoot { generations, random in
            var fixture = PackFixture.random("levels", bytes: 400_000, &random)
            fixture.files["empty"] = []
            fixture.entries = [.link("Contents/second", "empty"), .link("Contents/third", "second")]
            try install(fixture, in: generations)
            var expected = fixture.files
            expected["second"] = []
            expected["third"] = []
            try expectAll(expected, generations)
        }
    }

    /// What was written, linked or compared before an interruption counts as well.
    @Test func interruptionsChangeNoDigest() throws {
        try withAppRoot { generations, random in
            var old = PackFixture("levels", files: ["a": random.bytes(3_000_000), "b": random.bytes(3_000_000)])
            old.blockSize = 64 << 10
            try install(old, in: generations)
            var new = old
            new.version = 2
            new.files["b"]?[2_900_000] ^= 1
            new.files["c"] = random.bytes(1_500_000)
            let archive = try new.archive()
            let staged = StagedPack(layout: generations.layout, id: "levels")
            let previous = generations.layout.root.appending("packs/levels/1-0000")
            for _ in 0..<8 {
                let pipeline = try PackPipeline(new.download(archive), staged: staged, previous: previous)
                let end = min(archive.count, Int(pipeline.position) + Int.random(in: 1...2_000_000, using: &random))
                try pipeline.feed(archive, upTo: end)
            }
            let pipeline = try PackPipeline(new.download(archive), staged: staged, previous: previous)
            try pipeline.feed(archive)
            _ = try pipeline.finish(directory: "packs/levels/2-0000")
            try generations.commit(staged)
            try expectAll(new.files, generations)
            // The version before went, and its list with it.
            let left = try FileDescriptor.currentDirectory.entries(at: generations.layout.pack("levels")).map(\.name)
            #expect(left.sorted() == ["2-0000", "2-0000.contents"], "seed \(random.seed)")
        }
    }

    /// The bytes of a list as they were before they named the archive.
    static func asBefore(_ list: [UInt8]) -> [UInt8] {
        var old = Array(list[..<16]) + list[48...].dropLast(Digest.byteCount)
        old[8] = 1
        return old + SHA256.hash(old).bytes
    }

    /// The archive that a version came in is known, whether it was promised or not.
    @Test(arguments: [true, false]) func theArchiveIsRecorded(_ givesDigest: Bool) throws {
        try withAppRoot { generations, random in
            var fixture = PackFixture.random("levels", bytes: 50_000, &random)
            fixture.givesDigest = givesDigest
            try install(fixture, in: generations)
            let pack = try #require(try generations.localPacks().first)
            let folder = generations.layout.root.appending(pack.directory)
            let path = ContentList.path(of: folder)
            let digest = TreeDigest.hash(try fixture.archive())
            #expect(ContentList(path)?.archive == digest && ContentList.archive(path) == digest)
            // A list that verifying has written anew still knows it.
            let file = try #require(fixture.files.first { !$0.value.isEmpty }?.key)
            try FileDescriptor.currentDirectory.remove(at: folder.appending(file))
            #expect(try PackVerifier(generations, app: "app").verify(LocalPack(pack)).damaged == [file])
            #expect(ContentList(path)?.archive == digest)
            // One of the format before knows none.
            try AtomicFile.write(Self.asBefore(try File.read(path)), to: path, durable: false)
            #expect(ContentList(path) != nil && ContentList(path)?.archive == nil && ContentList.archive(path) == nil)
        }
    }

    @Test func aDamagedListIsNone() throws {
        try withAppRoot { generations, random in
            try install(PackFixture.random("levels", bytes: 50_000, &random), in: generations)
            let path = ContentList.path(of: generations.layout.root.appending("packs/levels/1-0000"))
            let bytes = try File.read(path)
            for _ in 0..<200 {
                var broken = bytes
                if Bool.random(using: &random) {
                    broken[Int.random(in: 0..<broken.count, using: &random)] ^=
                        1 << UInt8.random(in: 0...7, using: &random)
                } else {
                    broken.removeLast(Int.random(in: 1...broken.count, using: &random))
                }
                try AtomicFile.write(broken, to: path, durable: false)
                #expect(ContentList(path) == nil, "seed \(random.seed)")
            }
            try AtomicFile.write(bytes, to: path, durable: false)
            #expect(ContentList(path) != nil)
        }
    }

    @Test func removingAPackRemovesItsList() throws {
        try withAppRoot { generations, random in
            try install(PackFixture.random("levels", bytes: 5000, &random), in: generations)
            try generations.remove(["levels"])
            #expect(try FileDescriptor.currentDirectory.entries(at: generations.layout.packs) == [])
        }
    }

    /// What another version of the service staged is fetched again rather than misread.
    @Test func stagingOfAnotherFormatIsThrownAway() throws {
        try withAppRoot { generations, random in
            let fixture = PackFixture.random("levels", bytes: 200_000, &random)
            let archive = try fixture.archive()
            let staged = StagedPack(layout: generations.layout, id: "levels")
            let pipeline = try PackPipeline(fixture.download(archive), staged: staged, previous: nil)
            try pipeline.feed(archive)
            _ = try pipeline.finish(directory: "packs/levels/1-0000")
            for path in [staged.seal, staged.identity] {
                let text = String(decoding: try File.read(path), as: UTF8.self)
                let old = text.replacing("\"format\":2", with: "\"format\":1")
                try #require(old != text)
                try AtomicFile.write(old.utf8, to: path, durable: false)
            }
            #expect(throws: StoreError.self) { try generations.commit(staged) }
            try generations.recover(keeping: [])
            #expect(!staged.exists)
            #expect(try generations.localPacks() == [])
        }
    }
}
