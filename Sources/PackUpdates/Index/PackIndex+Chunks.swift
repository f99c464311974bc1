// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension PackIndex {
    /// The chunks of a content that hold some of its bytes, in order and each once. Looks at every chunk and range at most once.
    /// - Parameter ranges: bytes of the content, by where they begin; they may lie over each other.
    /// - Returns: where in the content each chunk is, and the chunk; empty when the content has none.
    func chunks(
        of content: Int, holding ranges: [Range<Int64>]
    ) -> [(part: Range<Int64>, chunk: ContentChunker.Chunk)] {
        var found: [(part: Range<Int64>, chunk: ContentChunker.Chunk)] = []
        var position: Int64 = 0
        var next = 0
        for chunk in chunks(of: content) {
            let part = position..<position + Int64(chunk.size)
            position = part.upperBound
            while next < ranges.count, ranges[next].isEmpty || ranges[next].upperBound <= part.lowerBound {
                next += 1
            }
            guard next < ranges.count else { break }
            if ranges[next].overlaps(part) { found.append((part, chunk)) }
        }
        return found
    }
}
