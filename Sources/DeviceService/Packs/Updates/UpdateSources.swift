// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import PackUpdates
import System

/// The local files that an update can take from, and what a planner is told of them.
struct UpdateSources {
    /// A `LocalContents.Source` names a file of these by its number.
    private(set) var files: [LocalFile] = []
    private(set) var contents: LocalContents
    /// Whether the chunks of local files are known, as far as they are wanted.
    private(set) var hasChunks: Bool

    init(for index: PackIndex) {
        contents = LocalContents(for: index)
        hasChunks = index.chunks.isEmpty && index.pendingChunks == nil
    }

    /// The file that a planner means.
    func file(_ source: LocalContents.Source) -> LocalFile? {
        files.indices.contains(source.content) ? files[source.content] : nil
    }

    /// Adds files that hold wanted contents whole.
    mutating func add(_ found: [Digest: LocalFile]) {
        for (digest, file) in found { contents.add(digest, at: source(file)) }
    }

    /// Adds the chunks of what the wanted version has itself and is here, and then of what only the old version has. Blocks.
    /// - Parameters:
    ///   - own: the pack's local version, if there is one.
    ///   - find: says where contents are on the device.
    /// - Throws: what `find` and `isCancelled` throw.
    mutating func addChunks(
        for index: PackIndex, of own: UpdateFetch.Own?, finding find: (Set<Digest>) throws -> [Digest: LocalFile],
        isCancelled: () throws -> Void
    ) throws {
        addChunks(of: try find(Set(index.contents.lazy.filter { !$0.chunks.isEmpty }.map(\.digest))), knownBy: index)
        try addChunks(of: own.map { LocalVersions.files(of: $0, without: index) } ?? [], isCancelled: isCancelled)
    }

    /// Its index says how they are cut.
    private mutating func addChunks(of found: [Digest: LocalFile], knownBy index: PackIndex) {
        for (number, content) in index.contents.enumerated() {
            guard let file = found[content.digest], Int64(clamping: file.size) == content.size else { continue }
            let source = source(file)
            var offset: Int64 = 0
            for chunk in index.chunks(of: number) {
                contents.add(chunk, at: source, offset: offset)
                offset += Int64(chunk.size)
            }
        }
    }

    /// Cuts files as the index's contents are cut, and keeps what is wanted. Blocks.
    /// - Throws: what `isCancelled` throws.
    mutating func addChunks(of files: [LocalFile], isCancelled: () throws -> Void) throws {
        hasChunks = true
        for file in files where !contents.hasAllChunks {
            guard let descriptor = file.open() else { continue }
            let source = source(file)
            var chunker = ContentChunker(average: contents.chunkAverage)
            var offset: Int64 = 0
            func note(_ chunk: ContentChunker.Chunk) {
                contents.add(chunk, at: source, offset: offset)
                offset += Int64(chunk.size)
            }
            do {
                try FilePieces(descriptor.borrowed).forEach(file.size) { bytes in
                    try isCancelled()
                    chunker.update(bytes, note)
                }
            } catch is Errno {
                // A file that cannot be read has nothing more to give.
                continue
            }
            if let last = chunker.finish() { note(last) }
        }
    }

    /// A file turned out not to hold what was recorded.
    mutating func remove(_ digest: Digest) { contents.remove(digest) }

    /// What was made of chunks was wrong: they are not looked for again.
    mutating func removeChunks() {
        contents.removeChunks()
        hasChunks = true
    }

    private mutating func source(_ file: LocalFile) -> LocalContents.Source {
        // Most files that come again are those that hold a wanted content whole.
        if let known = contents.source(of: file.digest), self.file(known) == file { return known }
        files.append(file)
        return LocalContents.Source(pack: 0, content: files.count - 1)
    }
}
