// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackUpdates
import System

/// Where wanted chunks are in local files. Chunk digests are prefixes: they find, and what they found is checked with its content.
struct ChunkPlaces {
    private(set) var files: [LocalFile] = []
    private(set) var places: [ContentChunker.Chunk: ContentWork.ChunkPlace] = [:]

    init() {}

    /// Cuts local files as the index's contents are cut, and keeps what is wanted. Blocks.
    /// - Throws: what `isCancelled` throws.
    init(
        of wanted: Set<ContentChunker.Chunk>, in files: [LocalFile], average: Int, isCancelled: () throws -> Void
    ) throws {
        self.files = files
        for (number, file) in files.enumerated() where places.count < wanted.count {
            guard let descriptor = file.open() else { continue }
            var chunker = ContentChunker(average: average)
            var offset: Int64 = 0
            func note(_ chunk: ContentChunker.Chunk) {
                if wanted.contains(chunk), places[chunk] == nil { places[chunk] = (number, offset) }
                offset += Int64(chunk.size)
            }
            do {
                try FilePieces(descriptor.borrowed).forEach(file.size) { bytes in
                    try isCancelled()
                    chunker.update(bytes, note)
                }
            } catch is Errno {
                // A file that cannot be read has nothing to give.
                continue
            }
            if let last = chunker.finish() { note(last) }
        }
    }
}
