// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Crypto
import Kit
import System
import TestSupport
import Testing

@testable import PackUpdates

@Suite struct PackIndexTests {
    private func files() -> [String: [UInt8]] {
        var generator = SeededGenerator(seed: 3)
        let map = generator.bytes(300_000, redundancy: true)
        return [
            "a/map": map, "b/same": map, "b/other": generator.bytes(5000), "empty": [], "z": Array("z".utf8),
            "noise": generator.bytes(200_000),
        ]
    }

    @Test(arguments: [Compression.lzfse, .lzma, .zlib, .lz4])
    func madeWhilePackingItIsThatOfTheArchive(compression: Compression) throws {
        try Scratch.with { scratch in
            let pack = try IndexedPack(scratch, files())
            let index = try pack.package(compression: compression)
            #expect(try PackIndex.make(ofArchive: scratch("X.aar")) == index)
        }
    }

    @Test func chunksThatHoldRangesAreFoundInOnePass() throws {
        var generator = SeededGenerator.forTest()
        let index = try ModelPack(["big": generator.bytes(400_000), "small": generator.bytes(1000)]).index
        for content in index.contents.indices {
            let size = index.contents[content].size
            var position: Int64 = 0
            let all = index.chunks(of: content).map { chunk in
                defer { position += Int64(chunk.size) }
                return (part: position..<position + Int64(chunk.size), chunk: chunk)
            }
            for count in [0, 1, 2, 30, 3000] {
                var ranges = (0..<count).map { _ in
                    let start = Int64.random(in: 0...size, using: &generator)
                    return start..<min(size, start + .random(in: 0...(count < 30 ? 20_000 : 300), using: &generator))
                }
                ranges.sort { $0.lowerBound < $1.lowerBound }
                let found = index.chunks(of: content, holding: ranges)
                let expected = all.filter { piece in ranges.contains { $0.overlaps(piece.part) } }
                #expect(found.map(\.part) == expected.map(\.part))
                #expect(found.map(\.chunk) == expected.map(\.chunk))
            }
            #expect(index.chunks(of: content, holding: [0..<size]).count == all.count)
        }
    }

    @Test func everyContentLiesWhereItSays() throws {
        try Scratch.with { scratch in
            let files = files()
            let pack = try IndexedPack(scratch, files)
            try FileDescriptor.currentDirectory.makeSymbolicLink(to: "map", at: scratch("src/a/link"))
            try FileDescriptor.currentDirectory.setPermissions(.ownerReadWriteExecute, at: scratch("src/z"))
            let index = try pack.package()
            let archive = try File.read(scratch("X.aar"))
            #expect(index.archive.size == Int64(archive.count))
            #expect(index.archive.digest == TreeDigest.hash(archive))
            let stream = try IndexedPack.stream(index, of: archive)
            #expect(Int64(stream.count) == index.archive.streamSize)
            var seen: [String] = []
            for entry in index.entries {
                guard case .file(let number, let offset, let isExecutable) = entry.kind else { continue }
                let content = index.contents[number]
                let bytes = Array(stream[Int(offset)..<Int(offset + content.size)])
                #expect(SHA256.hash(bytes) == content.digest)
                #expect(isExecutable == (entry.path == "Contents/z"))
                #expect(index.chunks(of: number).isEmpty == (content.size < 128 << 10))
                seen.append(entry.path)
                if entry.path != "manifest.json" { #expect(bytes == files[String(entry.path.dropFirst(9))]) }
            }
            #expect(seen == ["manifest.json"] + files.keys.sorted().map { "Contents/\($0)" })
            #expect(index.contents.count == seen.count - 1)
            #expect(index.entries.contains { $0 == .init(path: "Contents/a/link", kind: .link(target: "map")) })
            #expect(!index.entries.contains { $0.kind == .folder })
            #expect(index.installedSize == files.values.reduce(0) { $0 + Int64($1.count) })
        }
    }

    @Test func emptyFoldersAreListed() throws {
        try Scratch.with { scratch in
            let pack = try IndexedPack(scratch, [:])
            let path = try pack.archive("X.aar") { writer in
                try writer.append(EntryHeader(type: .regularFile, path: "manifest.json"), bytes: [1])
                for folder in ["Contents", "Contents/a", "Contents/a/b"] {
                    try writer.append(EntryHeader(type: .directory, path: folder))
                }
            }
            let index = try PackIndex.make(ofArchive: path)
            #expect(index.entries.map(\.path) == ["manifest.json", "Contents/a/b"])
            #expect(try PackIndex(decoding: index.encoded()) == index)
        }
    }

    @Test func foldersBetweenNeedNotBeListed() throws {
        try Scratch.with { scratch in
            let pack = try IndexedPack(scratch, [:])
            let path = try pack.archive("X.aar") { writer in
                try writer.append(EntryHeader(type: .regularFile, path: "manifest.json"), bytes: [1])
                try writer.append(EntryHeader(type: .directory, path: "Contents"))
                try writer.append(EntryHeader(type: .regularFile, path: "Contents/a/b/file"), bytes: [2])
            }
            let index = try PackIndex.make(ofArchive: path)
            #expect(index.entries.map(\.path) == ["manifest.json", "Contents/a/b/file"])
        }
    }

    /// What goes to a file piece by piece, with chunks on the disk meanwhile, is what comes of an index in memory; also of files
    /// whose chunks are taken back, because another file has them.
    @Test(arguments: [0, 7_000_000]) func writtenItIsAsInMemory(size: Int) throws {
        try Scratch.with { scratch in
            var generator = SeededGenerator.forTest()
            var files = files()
            let large = generator.bytes(size)
            for name in ["c/1", "c/2", "d/3"] { files[name] = large }
            files["d/1"] = Array(large.dropFirst(3000))
            let pack = try IndexedPack(scratch, files)
            let inMemory = try PackIndexRecorder(
                format: .init(compression: .lzfse, blockSize: 4096), chunkAverage: 1024)
            let onDisk = try PackIndexRecorder(
                format: .init(compression: .lzfse, blockSize: 4096), chunkAverage: 1024, in: scratch.path)
            var packager = try pack.packager(blockSize: 4096)
            packager.blockSize = 4096
            _ = try packager.package(
                to: scratch("X.aar"),
                observer: { for recorder in [inMemory, onDisk] { recorder.record(archive: $0) } },
                blockObserver: { content, storedSize in
                    for recorder in [inMemory, onDisk] { try recorder.record(block: content, storedSize: storedSize) }
                })
            let index = try inMemory.finish()
            let outcome = try onDisk.write(to: scratch("X.index"))
            let bytes = try File.read(scratch("X.index"))
            #expect(bytes == (try index.encoded()))
            #expect(
                outcome
                    == .written(
                        .init(
                            size: Int64(bytes.count), sha256: SHA256.hash(bytes).hex,
                            front: PackIndex.front(of: bytes))))
            #expect(try PackIndex(decoding: bytes) == index)
            #expect(index.chunks.count > size / 4096)
        }
    }

    @Test func archivesThatCanHaveNoneSayWhy() throws {
        try Scratch.with { scratch in
            let pack = try IndexedPack(scratch, [:])
            func reason(_ name: String, _ compression: Compression = .lzfse, _ body: (ArchiveWriter) throws -> Void)
                throws
                -> String
            {
                let path = try pack.archive(name, compression: compression, body)
                let error = #expect(throws: PackUpdateError.self) { try PackIndex.make(ofArchive: path) }
                #expect(error?.code == .notIndexable)
                return error?.message ?? ""
            }
            let manifest = EntryHeader(type: .regularFile, path: "manifest.json")
            #expect(try reason("bare.aar", .none) { try $0.append(manifest, bytes: [1]) }.contains("blocks"))
            #expect(
                try reason("none.aar") {
                    try $0.append(EntryHeader(type: .regularFile, path: "Contents/a"), bytes: [1])
                }
                .contains("manifest.json"))
            var cluster = EntryHeader(type: .regularFile, path: "Contents/a")
            cluster.hardLinkCluster = 7
            #expect(
                try reason("link.aar") { writer in
                    try writer.append(manifest, bytes: [1])
                    try writer.append(cluster, bytes: [2])
                }.contains("hard link"))
            #expect(
                try reason("outside.aar") { writer in
                    try writer.append(manifest, bytes: [1])
                    try writer.append(EntryHeader(type: .regularFile, path: "Elsewhere/a"), bytes: [2])
                }.contains("Elsewhere/a"))
        }
    }

    @Test func nothingIsOverwritten() throws {
        try Scratch.with { scratch in
            let pack = try IndexedPack(scratch, ["a": [1]])
            try scratch.write("mine", to: "X.aar.index")
            let error = #expect(throws: AssetPackError.self) {
                try pack.packager().packageWithIndex(to: scratch("X.aar"))
            }
            #expect(error?.code == .outputExists)
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("X.aar")))
            #expect(try File.read(scratch("X.aar.index")) == Array("mine".utf8))
        }
    }

    @Test func anUncompressedArchiveIsPackedWithoutOne() throws {
        try Scratch.with { scratch in
            let pack = try IndexedPack(scratch, ["a": [1]])
            let outcome = try pack.packager(compression: .none).packageWithIndex(to: scratch("X.aar")).index
            guard case .impossible(let reason) = outcome else {
                Issue.record("an index of an archive without blocks")
                return
            }
            #expect(reason.contains("blocks"))
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("X.aar.index")))
        }
    }
}
