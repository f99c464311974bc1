// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System
import TestSupport
import Testing

/// What is written is read back, and written again the same.
@Suite struct RoundTripTests {
    @Test(arguments: Compression.allCases) func readsWhatItWrote(_ compression: Compression) throws {
        var generator = SeededGenerator.forTest()
        for _ in 0..<8 {
            let sample = SampleArchive(&generator, count: 30, largest: 3000)
            let blockSize = Int.random(in: 1 << 10...1 << 16, using: &generator)
            let archive = try sample.archive(compression, blockSize: blockSize)
            let piece = Int.random(in: 1...5000, using: &generator)
            #expect(try decode(archive, piece: piece).calls == sample.calls)
        }
    }

    @Test(arguments: Compression.allCases) func writesTheSameBytesWithAnyThreads(_ compression: Compression) throws {
        var generator = SeededGenerator.forTest()
        let sample = SampleArchive(&generator, count: 60, largest: 5000)
        let archives = try [1, 2, 3, 7].map { try sample.archive(compression, threads: $0) }
        #expect(Set(archives).count == 1)
    }

    /// One after the other, of any kind and size, and also after one that broke off.
    @Test func memoryThatIsUsedAgainMakesNoDifference() throws {
        struct Full: Error {}
        var generator = SeededGenerator.forTest()
        let workspace = ArchiveWorkspace()
        for _ in 0..<30 {
            let sample = SampleArchive(&generator, count: Int.random(in: 0...20, using: &generator), largest: 5000)
            let compression = Compression.allCases.randomElement(using: &generator) ?? .none
            let blockSize = Int.random(in: 1 << 10...1 << 15, using: &generator)
            let alone = try sample.archive(compression, blockSize: blockSize)
            #expect(try sample.archive(compression, blockSize: blockSize, workspace: workspace) == alone)
            let broken = try ArchiveWriter(
                output: { if $0.count > 16 { throw Full() } }, compression: compression, blockSize: blockSize,
                workspace: workspace)
            #expect(throws: Full.self) {
                try broken.append(
                    EntryHeader(type: .regularFile, path: "x"), bytes: generator.bytes(100_000, redundancy: true))
                try broken.finish()
            }
        }
    }

    @Test(arguments: Compression.allCases) func takesOneByteAtATime(_ compression: Compression) throws {
        var generator = SeededGenerator.forTest()
        let sample = SampleArchive(&generator, count: 10, largest: 800)
        #expect(try decode(try sample.archive(compression), piece: 1).calls == sample.calls)
    }

    @Test(arguments: Compression.allCases) func storesWhatDoesNotShrink(_ compression: Compression) throws {
        var generator = SeededGenerator.forTest()
        let noise = generator.bytes(50_000)
        var archive: [UInt8] = []
        let writer = try ArchiveWriter(output: { archive += $0 }, compression: compression, blockSize: 1 << 14)
        try writer.append(EntryHeader(type: .regularFile, path: "noise"), bytes: noise)
        try writer.finish()
        // The wrapper's head, a head for each of four blocks, and the entry's header: nothing else is added.
        #expect(archive.count <= noise.count + 12 + 4 * 16 + 64)
        #expect(writer.archiveSize == UInt64(archive.count))
        #expect(try decode(archive).content("noise") == noise)
    }

    /// Decoding LZMA takes longer than fetching what it saves on media.
    @Test func lzmaStoresWhatHardlyShrinks() throws {
        var generator = SeededGenerator.forTest()
        for (zeros, isStored) in [(300, true), (2_000, false)] {
            let content = generator.bytes(20_000 - zeros) + [UInt8](repeating: 0, count: zeros)
            var archive: [UInt8] = []
            let writer = try ArchiveWriter(output: { archive += $0 }, compression: .lzma, blockSize: 1 << 15)
            try writer.append(EntryHeader(type: .regularFile, path: "media"), bytes: content)
            try writer.finish()
            #expect((archive.count > content.count) == isStored)
            #expect(try decode(archive).content("media") == content)
        }
    }

    /// Within a block too, what LZFSE does not shrink is stored, which is read faster; what follows still refers to it.
    @Test func storesPartsOfLZFSEBlocksThatDoNotShrink() throws {
        var generator = SeededGenerator.forTest()
        let noise = generator.bytes(150_000)
        let text = (0..<2000).flatMap { "line \($0 % 977)\n".utf8 }
        let content = text + noise + text + noise + text
        var archive: [UInt8] = []
        let writer = try ArchiveWriter(output: { archive += $0 }, compression: .lzfse)
        try writer.append(EntryHeader(type: .regularFile, path: "mixed"), bytes: content)
        try writer.finish()
        #expect(archive.count < noise.count * 5 / 4, "the second half is matched with the first")
        #expect(archive.firstRange(of: noise[60_000..<70_000]) != nil)
        var limits = ArchiveLimits()
        for largestHeldBlock in [limits.largestHeldBlock, 1] {
            limits.largestHeldBlock = largestHeldBlock
            #expect(try decode(archive, piece: 5000, limits: limits).content("mixed") == content)
        }
    }

    @Test func anEmptyArchiveIsItsHead() throws {
        var archive: [UInt8] = []
        let writer = try ArchiveWriter(output: { archive += $0 })
        try writer.finish()
        #expect(archive == Array("pbze".utf8) + [0, 0, 0, 0, 0, 0x40, 0, 0])
        #expect(try decode(archive).calls.isEmpty)
    }

    @Test func packsFilesFromDisk() throws {
        try Scratch.with { scratch in
            var generator = SeededGenerator.forTest()
            let large = generator.bytes(200_000, redundancy: true)
            try scratch.write(large, to: "in/sub/large")
            try scratch.write("hello", to: "in/sub.txt")
            try scratch.write([], to: "in/sub/empty")
            try FileDescriptor.currentDirectory.makeSymbolicLink(to: "sub/large", at: scratch("in/link"))
            var archive: [UInt8] = []
            let writer = try ArchiveWriter(output: { archive += $0 }, blockSize: 1 << 14, fields: .normalized)
            try writer.appendTree(scratch("in"))
            try writer.finish()
            let recording = try decode(archive)
            #expect(recording.entries.map(\.path) == ["link", "sub", "sub.txt", "sub/empty", "sub/large"])
            #expect(recording.content("sub/large") == large)
            #expect(recording.entries.allSatisfy { $0.modificationTime == nil && $0.userID == nil && $0.mode != nil })
        }
    }

    @Test func noticesAFileThatChanges() throws {
        try Scratch.with { scratch in
            let file = try scratch.write("before", to: "file")
            let source = try FileDataSource(path: file)
            try scratch.write("after, and longer", to: "file")
            let writer = try ArchiveWriter(output: { _ in })
            let error = try #require(throws: ArchiveError.self) {
                try writer.append(EntryHeader(type: .regularFile, path: "file"), data: source)
                try writer.finish()
            }
            #expect(error.code == .sourceChanged)
        }
    }

    @Test func passesOnWhatTheOutputSays() throws {
        struct Full: Error {}
        var count = 0
        let writer = try ArchiveWriter(
            output: { bytes in
                count += bytes.count
                if count > 3000 { throw Full() }
            }, compression: .zlib, blockSize: 1 << 10)
        var generator = SeededGenerator.forTest()
        let noise = generator.bytes(100_000)
        #expect(throws: Full.self) {
            try writer.append(EntryHeader(type: .regularFile, path: "f"), bytes: noise)
            try writer.finish()
        }
        #expect(throws: Full.self) { try writer.finish() }
    }

    @Test func refusesEntriesThatNoReaderTakes() throws {
        let writer = try ArchiveWriter(output: { _ in })
        #expect(throws: ArchiveError.self) { try writer.append(EntryHeader(type: .directory, path: "a/../b")) }
        let other = try ArchiveWriter(output: { _ in })
        #expect(throws: ArchiveError.self) {
            try other.append(EntryHeader(type: .directory, path: "a"), data: BytesDataSource([1]))
        }
        #expect(throws: ArchiveError.self) { _ = try ArchiveWriter(output: { _ in }, blockSize: 10) }
    }
}
