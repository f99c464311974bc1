// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Which new contents have which chunks, of those that earlier groups of a patch make.
struct NewChunks {
    /// A content is worth being a base from so many bytes on: what it has moreover takes memory and time.
    private static let leastShared = 64 << 10

    private let index: PackIndex
    private var contents: [ContentChunker.Chunk: Int] = [:]

    init(of index: PackIndex) { self.index = index }

    mutating func add(_ content: Int) {
        for chunk in index.chunks(of: content) where contents[chunk] == nil { contents[chunk] = content }
    }

    /// Contents that share with a later one what no old content has, the best first.
    func bases(of target: Int, atMost limit: Int, isOld: (ContentChunker.Chunk) -> Bool) -> [Int] {
        var shared: [Int: Int] = [:]
        for chunk in index.chunks(of: target) {
            if let content = contents[chunk], !isOld(chunk) { shared[content, default: 0] += chunk.size }
        }
        let worthwhile = shared.filter { $0.value >= Self.leastShared }
        return worthwhile.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(limit).map(\.key)
    }
}
