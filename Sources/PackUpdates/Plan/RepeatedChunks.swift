// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Chunks that stand in a version more than once: they are fetched once, and copied from the content that has them first. Contents
/// are made in order, so that a copy always comes later.
struct RepeatedChunks: Sendable {
    /// Where in a content of the version itself a chunk begins.
    struct Place: Hashable, Sendable {
        let content: Int
        let offset: Int64
    }

    private let repeated: Set<ContentChunker.Chunk>
    private var places: [ContentChunker.Chunk: Place] = [:]

    /// - Parameter repeated: the chunks that are of interest.
    init(_ repeated: Set<ContentChunker.Chunk>) { self.repeated = repeated }

    var isEmpty: Bool { repeated.isEmpty }

    /// A content gives the chunk, if no other does.
    mutating func add(_ chunk: ContentChunker.Chunk, at content: Int, offset: Int64) {
        guard !isEmpty, repeated.contains(chunk), places[chunk] == nil else { return }
        places[chunk] = Place(content: content, offset: offset)
    }

    /// A content that will be there gives all that it has.
    mutating func add(_ content: Int, of index: PackIndex) {
        var offset: Int64 = 0
        for chunk in index.chunks(of: content) {
            add(chunk, at: content, offset: offset)
            offset += Int64(chunk.size)
        }
    }

    /// Where a chunk is that is wanted at some place: nil when this place is the first.
    func place(of chunk: ContentChunker.Chunk, wantedAt content: Int, offset: Int64) -> Place? {
        guard !isEmpty, let place = places[chunk], place != Place(content: content, offset: offset) else { return nil }
        return place
    }
}
