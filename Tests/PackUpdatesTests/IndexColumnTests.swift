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

/// What of an index grows with an archive's bytes, and need not be in memory.
@Suite struct IndexColumnTests {
    /// Whatever is appended and taken back, a column in a file holds what one in memory does.
    @Test func aColumnInAFileHoldsWhatOneInMemoryDoes() throws {
        try Scratch.with { scratch in
            var generator = SeededGenerator.forTest()
            for _ in 0..<20 {
                let (inMemory, inFile) = (IndexColumn(), IndexColumn(in: scratch.path))
                var marks = [(inMemory.mark, inFile.mark)]
                for _ in 0..<Int.random(in: 0...60, using: &generator) {
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: marks.append((inMemory.mark, inFile.mark))
                    case 1:
                        // Marks behind it are worth nothing any more.
                        let number = Int.random(in: 0..<marks.count, using: &generator)
                        inMemory.rollBack(to: marks[number].0)
                        inFile.rollBack(to: marks[number].1)
                        marks.removeSubrange((number + 1)...)
                    default:
                        for _ in 0..<Int.random(in: 1...4000, using: &generator) {
                            let value = generator.next()
                            try inMemory.append { $0.append(bigEndian: value) }
                            try inFile.append { $0.append(bigEndian: value) }
                        }
                    }
                    #expect(inFile.size == inMemory.size)
                    #expect(inFile.count == inMemory.count)
                }
                #expect(try inFile.bytes() == inMemory.bytes())
            }
            #expect(try FileDescriptor.currentDirectory.entries(at: scratch.path).isEmpty)
        }
    }

    @Test func withoutItsFolderItSaysSo() throws {
        try Scratch.with { scratch in
            let column = IndexColumn(in: scratch("none"))
            let error = #expect(throws: PackUpdateError.self) {
                for number in 0..<IndexColumn.pageSize { try column.append(number: number) }
            }
            #expect(error?.code == .io)
            #expect(error?.message.contains(scratch("none").string) == true)
        }
    }

    /// Chunks of one gigabyte and of sixteen, at the average that indexes are made with, are as many as those of these.
    private static let sizes = (small: 32 << 20, large: 512 << 20)

    /// In a process of its own, of whose memory the largest so far counts.
    @Test func whatAnIndexTakesDoesNotGrowWithTheBytes() async {
        await #expect(processExitsWith: .success) {
            try Scratch.with { scratch in
                Memory.keepSmall()
                try Self.makeIndex(of: Self.sizes.small, in: scratch, name: "small")
                let small = try Self.peakResidentBytes()
                try Self.makeIndex(of: Self.sizes.large, in: scratch, name: "large")
                let growth = try Self.peakResidentBytes() - small
                #expect(growth < 2 << 20, "\(growth >> 10) KiB more")
                #expect(try PackIndex.read(scratch("large")).chunks.count > Self.sizes.large >> 11)
            }
        }
    }

    private static func makeIndex(of size: Int, in scratch: Scratch, name: String) throws {
        let format = ArchiveBlockFormat(compression: .lzfse, blockSize: 1 << 20)
        let maker = PackIndexMaker(chunkAverage: 1 << 10, in: scratch.path)
        if let format { maker.format(format) }
        var stream: UInt64 = 0
        for (path, size) in [("manifest.json", 1), ("Contents/file", size)] {
            maker.locate(dataAt: stream)
            var header = EntryHeader(type: .regularFile, path: path)
            header.blobs = [.init(key: .data, size: UInt64(size))]
            maker.begin(header)
            var generator = SeededGenerator(seed: UInt64(size))
            let piece = generator.bytes(1 << 20)
            for start in stride(from: 0, to: size, by: piece.count) {
                try piece.withUnsafeBytes {
                    try maker.data(UnsafeRawBufferPointer(rebasing: $0.prefix(size - start)))
                }
            }
            try maker.end()
            stream += UInt64(size)
        }
        var archive = UInt64(ArchiveBlock.wrapperHeadSize)
        for start in stride(from: 0, to: stream, by: 1 << 20) {
            let count = min(1 << 20, stream - start)
            try maker.block(contentSize: count, storedSize: count)
            archive += UInt64(ArchiveBlock.headSize) + count
        }
        maker.archive(ArchiveReading(size: Int64(archive), digest: TreeDigest.hash([])))
        let written = try maker.finish().write(to: scratch(name))
        #expect(written.size == (try FileDescriptor.currentDirectory.status(at: scratch(name)).size))
    }

    private static func peakResidentBytes() throws -> Int {
        let status = String(decoding: try File.read("/proc/self/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber))) << 10
    }
}
