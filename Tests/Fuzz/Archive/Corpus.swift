// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import TestSupport

/// Good archives to start from, of every kind.
enum Corpus {
    static func archives() throws -> [[UInt8]] {
        var generator = SeededGenerator(seed: 1)
        var result: [[UInt8]] = []
        for compression in Compression.allCases {
            for blockSize in [1 << 10, 1 << 14] {
                let archive = try self.archive(compression, blockSize: blockSize, &generator)
                result.append(archive)
                // One block's payload alone is a bare compressed stream.
                if compression != .none, blockSize == 1 << 14 { result.append(Array(archive.dropFirst(28))) }
            }
        }
        // LZBITMAP and LZVN are only read, so others write them here: a block of each, and LZBITMAP as a whole.
        let small = try archive(.none, blockSize: 1 << 10, &generator)
        let bitmap = LZBitmapEncoder.encode(small, &generator)
        result += [wrapper("b", small.count, bitmap), bitmap, wrapper("f", small.count, literalLZVN(small))]
        // The entries alone again, where mutations reach the headers, bare and behind a wrapper that stores them.
        let entries = try archive(.none, blockSize: 1 << 10, &generator)
        let size = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(entries.count) >> UInt64(56 - 8 * $0)) }
        result += [entries, entries, Array("pbze".utf8) + [0, 0, 0, 0, 1, 0, 0, 0] + size + size + entries]
        return result
    }

    private static func wrapper(_ letter: Character, _ size: Int, _ payload: [UInt8]) -> [UInt8] {
        func big(_ number: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
        return Array("pbz\(letter)".utf8) + big(1 << 20) + big(size) + big(payload.count) + payload
    }

    /// Literals of 15 bytes and the end: the plainest LZVN there is. A match or two come by mutation.
    private static func literalLZVN(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 15) {
            let part = bytes[start..<min(bytes.count, start + 15)]
            result += [0xe0 | UInt8(part.count)] + part
        }
        return result + [0x06, 0, 0, 0, 0, 0, 0, 0]
    }

    private static func archive(
        _ compression: Compression, blockSize: Int, _ generator: inout SeededGenerator
    ) throws -> [UInt8] {
        var result: [UInt8] = []
        let writer = try ArchiveWriter(output: { result += $0 }, compression: compression, blockSize: blockSize)
        for index in 0..<6 {
            var folder = EntryHeader(type: .directory, path: "d\(index)")
            folder.mode = 0o755
            try writer.append(folder)
            var file = EntryHeader(type: .regularFile, path: "d\(index)/file")
            file.modificationTime = Timestamp(seconds: 1_700_000_000, nanoseconds: Int32(index))
            file.hardLinkCluster = index % 2 == 0 ? 1 : nil
            let content = generator.bytes(Int.random(in: 0...1500, using: &generator), redundancy: true)
            try writer.append(
                file, data: BytesDataSource(content), extendedAttributes: index % 3 == 0 ? Array("attribute".utf8) : [])
            var link = EntryHeader(type: .symbolicLink, path: "d\(index)/link")
            link.linkTarget = "file"
            try writer.append(link)
        }
        try writer.finish()
        return result
    }
}
