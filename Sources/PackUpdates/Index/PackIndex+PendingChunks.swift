// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import System

extension PackIndex {
    /// Where in the index's file the chunks of contents are that did not come with the rest.
    package struct PendingChunks: Hashable, Sendable {
        /// Bytes of one chunk in the file: its size in 3, and the first 8 of its SHA-256.
        static let rowSize = 3 + 8

        /// How many each content has; 0 also for what is known by now.
        private(set) var counts: [Int]
        /// Where each content's begin, and behind the last one their end.
        private let starts: [Int64]

        init(start: Int64, counts: [Int]) {
            self.counts = counts
            var next = start
            var starts = [start]
            starts.reserveCapacity(counts.count + 1)
            for count in counts {
                next += Int64(count * Self.rowSize)
                starts.append(next)
            }
            self.starts = starts
        }

        var isEmpty: Bool { counts.allSatisfy { $0 == 0 } }

        /// All of them in the file.
        package var range: Range<Int64> { (starts.first ?? 0)..<(starts.last ?? 0) }

        /// Those of a content in the index's file; empty when it has none, or they are known.
        package func range(of content: Int) -> Range<Int64> {
            guard counts.indices.contains(content) else { return 0..<0 }
            return starts[content]..<starts[content] + Int64(counts[content] * Self.rowSize)
        }

        /// How many bytes those take that are not known yet.
        package var size: Int64 { counts.reduce(0) { $0 + Int64($1 * Self.rowSize) } }

        fileprivate mutating func remove(_ content: Int) { counts[content] = 0 }
    }

    /// The index with chunks that were fetched for themselves. Nothing vouches for them: what is made with them is held against the
    /// content's digest.
    /// - Parameter rows: of some contents, the bytes that `pendingChunks` names.
    /// - Throws: `PackUpdateError.damagedIndex` when they do not fit.
    package func adding(chunkRows rows: [Int: ArraySlice<UInt8>]) throws -> PackIndex {
        guard var pending = pendingChunks else { return self }
        var contents: [Content] = []
        contents.reserveCapacity(self.contents.count)
        var chunks: [ContentChunker.Chunk] = []
        for (number, content) in self.contents.enumerated() {
            let start = chunks.count
            if let rows = rows[number], pending.counts[number] > 0 {
                chunks += try Self.chunks(rows, count: pending.counts[number])
                pending.remove(number)
            } else {
                chunks += self.chunks[content.chunks]
            }
            contents.append(
                Content(
                    digest: content.digest, size: content.size, offset: content.offset, chunks: start..<chunks.count))
        }
        return try PackIndex(
            archive: archive, contents: contents, entries: entries, chunkAverage: chunkAverage, chunks: chunks,
            pendingChunks: pending.isEmpty ? nil : pending)
    }

    static func chunks(_ rows: ArraySlice<UInt8>, count: Int) throws -> [ContentChunker.Chunk] {
        guard rows.count == count * PendingChunks.rowSize else { throw damaged("chunks of a content are cut off") }
        var reader = IndexReader(rows)
        return try (0..<count).map { _ in
            ContentChunker.Chunk(size: Int(try reader.fixed(3)), digestPrefix: try reader.fixed(8).byteSwapped)
        }
    }

    /// The contents of which some file has another path than these.
    /// - Parameter known: below the pack's contents.
    package func contents(atOtherPathsThan known: Set<String>) -> Set<Int> {
        var found: Set<Int> = []
        for entry in entries {
            guard case .file(let content, _, _) = entry.kind,
                let path = entry.path.removing(pathPrefix: Self.contentsPrefix), !known.contains(path)
            else { continue }
            found.insert(content)
        }
        return found
    }
}
