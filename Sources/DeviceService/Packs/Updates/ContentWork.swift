// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import PackUpdates

/// What it takes to put contents together from pieces of local files and blocks of the archive. A value; it touches nothing.
///
/// Contents lie in the archive's stream one behind the other, so blocks that come in order complete one content after the other.
struct ContentWork: Hashable, Sendable {
    /// A stretch of a content.
    struct Piece: Hashable, Sendable {
        /// Within the content.
        var range: Range<Int64>
        var source: Source
    }

    enum Source: Hashable, Sendable {
        /// The archive's stream.
        case archive
        /// A local file, by number, from an offset on.
        case local(file: Int, offset: Int64)
    }

    struct Item: Hashable, Sendable {
        /// Its number in the index.
        var content: Int
        /// Without gaps, to the content's end.
        var pieces: [Piece]
    }

    /// Where a chunk is that a content has.
    typealias ChunkPlace = (file: Int, offset: Int64)

    /// In the order of the stream.
    private(set) var items: [Item] = []
    /// The blocks that hold pieces, ascending.
    private(set) var blocks: [Int] = []

    /// - Parameters:
    ///   - contents: which are to be made; of each the first byte that is not there yet.
    ///   - place: where a chunk is local, if it is.
    init(_ index: PackIndex, _ contents: [Int: Int64], place: (_ content: Int, ContentChunker.Chunk) -> ChunkPlace?) {
        for content in contents.keys.sorted() where index.contents.indices.contains(content) {
            let size = index.contents[content].size
            let start = min(max(0, contents[content] ?? 0), size)
            var item = Item(content: content, pieces: [])
            let chunks = index.chunks(of: content)
            if chunks.isEmpty, start < size {
                item.append(Piece(range: start..<size, source: .archive))
            }
            var offset: Int64 = 0
            for chunk in chunks {
                let range = offset..<offset + Int64(chunk.size)
                offset = range.upperBound
                guard range.upperBound > start else { continue }
                let part = max(range.lowerBound, start)..<range.upperBound
                let source = place(content, chunk).map {
                    Source.local(file: $0.file, offset: $0.offset + part.lowerBound - range.lowerBound)
                }
                item.append(Piece(range: part, source: source ?? .archive))
            }
            items.append(item)
        }
        blocks = neededBlocks(index)
    }

    private func neededBlocks(_ index: PackIndex) -> [Int] {
        var blocks: [Int] = []
        for item in items {
            let start = index.contents[item.content].offset
            for piece in item.pieces where piece.source == .archive {
                let range = start + piece.range.lowerBound..<start + piece.range.upperBound
                for block in index.archive.blocks(holding: range) where blocks.last.map({ $0 < block }) ?? true {
                    blocks.append(block)
                }
            }
        }
        return blocks
    }
}

extension ContentWork.Item {
    /// Joins what continues the piece before.
    fileprivate mutating func append(_ piece: ContentWork.Piece) {
        if let last = pieces.last, last.range.upperBound == piece.range.lowerBound {
            switch (last.source, piece.source) {
            case (.archive, .archive):
                pieces[pieces.count - 1].range = last.range.lowerBound..<piece.range.upperBound
                return
            case (.local(let file, let offset), .local(let other, let next))
            where file == other && next == offset + last.range.upperBound - last.range.lowerBound:
                pieces[pieces.count - 1].range = last.range.lowerBound..<piece.range.upperBound
                return
            default: break
            }
        }
        pieces.append(piece)
    }
}
