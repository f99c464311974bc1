// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import System

/// What an index says, on its way into a file: a `PackIndex` whose blocks and chunks, which grow with the archive's bytes, need
/// not be in memory.
struct IndexDraft {
    /// The archive as a whole, as in `PackIndex.Archive`.
    let size: Int64
    let digest: Digest
    let letter: UInt8
    let blockSize: Int
    let streamSize: Int64
    let contents: [PackIndex.Content]
    let entries: [PackIndex.Entry]
    let chunkAverage: Int
    let columns: Columns

    /// What there is for each block and each chunk.
    struct Columns {
        let storedSizes: IndexColumn
        /// As they stand in the index's file.
        let chunks: IndexColumn

        /// - Parameter folder: nil keeps all in memory.
        init(in folder: FilePath? = nil) {
            storedSizes = IndexColumn(in: folder)
            chunks = IndexColumn(in: folder)
        }

        /// - Throws: `PackUpdateError.io`
        func append(_ chunk: ContentChunker.Chunk) throws {
            try chunks.append { row in
                row.append(littleEndian: UInt16(truncatingIfNeeded: chunk.size))
                row.append(UInt8(truncatingIfNeeded: chunk.size >> 16))
                row.append(bigEndian: chunk.digestPrefix)
            }
        }
    }

    init(
        size: Int64, digest: Digest, letter: UInt8, blockSize: Int, streamSize: Int64, contents: [PackIndex.Content],
        entries: [PackIndex.Entry], chunkAverage: Int, columns: Columns
    ) {
        self.size = size
        self.digest = digest
        self.letter = letter
        self.blockSize = blockSize
        self.streamSize = streamSize
        self.contents = contents
        self.entries = entries
        self.chunkAverage = chunkAverage
        self.columns = columns
    }

    init(_ index: PackIndex) throws {
        let columns = Columns()
        for size in index.archive.storedSizes { try columns.storedSizes.append(number: size) }
        for chunk in index.chunks { try columns.append(chunk) }
        let archive = index.archive
        self.init(
            size: archive.size, digest: archive.digest, letter: archive.letter, blockSize: archive.blockSize,
            streamSize: archive.streamSize, contents: index.contents, entries: index.entries,
            chunkAverage: index.chunkAverage, columns: columns)
    }

    /// All of it in memory.
    /// - Throws: `PackUpdateError.damagedIndex` when the parts do not fit each other; `.io`
    func index() throws -> PackIndex {
        var reader = IndexReader(try columns.storedSizes.bytes()[...])
        let storedSizes = try (0..<columns.storedSizes.count).map { _ in
            Int(try reader.number(upTo: Int64(PackIndex.Limits.blockSize)))
        }
        let rows = try columns.chunks.bytes()
        let chunks = try PackIndex.chunks(rows[...], count: columns.chunks.count)
        return try PackIndex(
            archive: .init(
                size: size, digest: digest, letter: letter, blockSize: blockSize, streamSize: streamSize,
                storedSizes: storedSizes),
            contents: contents, entries: entries, chunkAverage: chunkAverage, chunks: chunks)
    }
}
