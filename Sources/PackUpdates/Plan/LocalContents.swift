// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto

/// What is on the device already, as far as it can serve to make one pack: whole contents by their digests, and chunks of
/// those that the wanted pack has in common.
package struct LocalContents: Sendable {
    /// A content on the device: a number for the pack's version that the caller has given, and the content's number in
    /// that one's index.
    package struct Source: Hashable, Sendable {
        package let pack: Int
        package let content: Int

        package init(pack: Int, content: Int) {
            self.pack = pack
            self.content = content
        }
    }

    /// Where in a local content a chunk begins.
    struct Place: Hashable, Sendable {
        let source: Source
        let offset: Int64
    }

    private var sources: [Digest: Source] = [:]
    private var places: [ContentChunker.Chunk: Place] = [:]
    /// The chunks that the wanted pack has: others are of no use.
    package let wantedChunks: Set<ContentChunker.Chunk>
    /// Those of them that stand in it more than once, as long as one place may be copied from another.
    private(set) var repeatedChunks: Set<ContentChunker.Chunk>
    package let chunkAverage: Int

    /// - Parameter target: the index of the wanted pack; only its chunks are kept in mind.
    package init(for target: PackIndex) {
        var (wanted, repeated): (Set<ContentChunker.Chunk>, Set<ContentChunker.Chunk>) = ([], [])
        wanted.reserveCapacity(target.chunks.count)
        for chunk in target.chunks where !wanted.insert(chunk).inserted { repeated.insert(chunk) }
        (wantedChunks, repeatedChunks) = (wanted, repeated)
        chunkAverage = target.chunkAverage
    }

    /// Adds what a local version has. What came first is preferred: add the version that is most alike first.
    /// - Parameters:
    ///   - pack: how `Source` will name the version.
    ///   - isUsable: whether a content, by its number, is there and undamaged.
    package mutating func add(_ index: PackIndex, as pack: Int, isUsable: (Int) -> Bool = { _ in true }) {
        for (number, content) in index.contents.enumerated() where isUsable(number) {
            let source = Source(pack: pack, content: number)
            add(content.digest, at: source)
            guard index.chunkAverage == chunkAverage else { continue }
            var offset: Int64 = 0
            for chunk in index.chunks(of: number) {
                add(chunk, at: source, offset: offset)
                offset += Int64(chunk.size)
            }
        }
    }

    /// Adds a whole content, unless it is known from elsewhere.
    package mutating func add(_ digest: Digest, at source: Source) {
        if sources[digest] == nil { sources[digest] = source }
    }

    /// Adds a chunk of a local content, if it is wanted and not known from elsewhere. Chunks are cut with `chunkAverage`.
    /// - Parameter offset: where in the content it begins.
    package mutating func add(_ chunk: ContentChunker.Chunk, at source: Source, offset: Int64) {
        if wantedChunks.contains(chunk), places[chunk] == nil { places[chunk] = Place(source: source, offset: offset) }
    }

    /// Whether every wanted chunk is known.
    package var hasAllChunks: Bool { places.count == wantedChunks.count }

    /// Whether any wanted chunk is known, or may be copied within the wanted pack.
    package var hasAnyChunk: Bool { !places.isEmpty || !repeatedChunks.isEmpty }

    /// Takes a whole content out again: it turned out to be another.
    package mutating func remove(_ digest: Digest) { sources[digest] = nil }

    /// Takes all chunks out again: what was made of them was wrong. Files that were linked may be, so that nothing is copied within
    /// the pack either.
    package mutating func removeChunks() { (places, repeatedChunks) = ([:], []) }

    /// Where the whole of a content is.
    package func source(of digest: Digest) -> Source? { sources[digest] }

    func place(of chunk: ContentChunker.Chunk) -> Place? { places[chunk] }
}
