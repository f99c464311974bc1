// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto

/// What is in a pack's archive and where: every file with its digest and its place in the uncompressed stream, and where
/// every block of the archive is. With it a device fetches the blocks that hold what it has not.
///
/// A value of this type is sound: its parts fit each other, and its paths are safe. `docs/formats/pack-index.md` is the
/// file. One that was made of a `PackList` knows contents and entries only (`Archive.hasBlocks`): with that patches are applied.
package struct PackIndex: Hashable, Sendable {
    /// What an index's file name ends with, behind that of the archive.
    package static let fileSuffix = ".index"

    package let archive: Archive
    /// The different contents of files, each once, in the order in which they first come in the stream.
    package let contents: [Content]
    /// Files and links in the order of the stream, and folders that hold nothing.
    package let entries: [Entry]
    /// The average of `chunks`, in bytes.
    package let chunkAverage: Int
    /// The chunks of all contents that have some, one after the other; `Content.chunks` says which are whose.
    package let chunks: [ContentChunker.Chunk]
    /// Chunks that did not come with the rest; nil when all are known.
    package let pendingChunks: PendingChunks?
    /// What is known of contents whose digests are not.
    package let unnamed: Unnamed?

    /// Contents that only a patch gives. Each has a digest that stands for it and that no content has; its own is known once it is made.
    package struct Unnamed: Hashable, Sendable {
        /// Their numbers, ascending.
        package let contents: [Int]
        /// SHA-256 of their digests, one behind the other.
        package let digest: Digest

        /// Whether contents are those that are meant.
        /// - Parameter found: gives the digest of what was made; nil for what was not.
        package func fits(_ found: (_ content: Int) -> Digest?) -> Bool {
            var hash = SHA256()
            for content in contents {
                guard let digest = found(content) else { return false }
                hash.update(digest.bytes)
            }
            return hash.finish() == digest
        }

        /// Stands for the digest of a content.
        static func placeholder(_ content: Int, of digest: Digest) -> Digest {
            var bytes = digest.bytes
            bytes.append(littleEndian: UInt64(content))
            return SHA256.hash(Array("unnamed content".utf8) + bytes)
        }
    }

    /// The archive as a whole, and its blocks.
    package struct Archive: Hashable, Sendable {
        /// In bytes.
        package let size: Int64
        /// The archive's tree digest.
        package let digest: Digest
        /// The letter behind `pbz`.
        package let letter: UInt8
        /// Bytes of the uncompressed stream in every block but the last, which may have fewer.
        package let blockSize: Int
        /// Bytes of the uncompressed stream.
        package let streamSize: Int64
        /// How many bytes the payload of each block has.
        package let storedSizes: [Int]
    }

    /// One content, in whatever files it is.
    package struct Content: Hashable, Sendable {
        /// SHA-256 of all of it.
        package let digest: Digest
        package let size: Int64
        /// Where it first begins in the uncompressed stream.
        package let offset: Int64
        /// Its chunks in the index's list; empty when it has none, because it is small.
        package let chunks: Range<Int>
    }

    /// A file, a link, or an empty folder.
    package struct Entry: Hashable, Sendable {
        /// As in the archive: `manifest.json`, or below `Contents/`.
        package let path: String
        package let kind: Kind

        package enum Kind: Hashable, Sendable {
            /// - Parameters:
            ///   - content: which of the index's contents.
            ///   - offset: where it begins in the uncompressed stream, this time.
            case file(content: Int, offset: Int64, isExecutable: Bool)
            case link(target: String)
            case folder
        }
    }

    /// - Throws: `PackUpdateError.damagedIndex` when the parts do not fit each other.
    init(
        archive: Archive, contents: [Content], entries: [Entry], chunkAverage: Int, chunks: [ContentChunker.Chunk],
        pendingChunks: PendingChunks? = nil
    ) throws {
        self.archive = archive
        self.contents = contents
        self.entries = entries
        self.chunkAverage = chunkAverage
        self.chunks = chunks
        self.pendingChunks = pendingChunks
        unnamed = nil
        try validate()
    }

    /// What a list says of a version: its contents and entries, and nothing of where they lie in the archive.
    /// - Parameters:
    ///   - unnamed: of which contents the digests are not known.
    ///   - size: of the archive, in bytes.
    ///   - digest: the archive's tree digest.
    /// - Throws: `PackUpdateError.damagedIndex` when the parts do not fit each other.
    init(
        listed contents: [Content], entries: [Entry], unnamed: Unnamed? = nil, inArchiveOf size: Int64, digest: Digest
    ) throws {
        // Places are those in a stream that holds nothing but the files.
        var end: Int64 = 0
        for entry in entries {
            if case .file(let content, let offset, _) = entry.kind { end = offset + contents[content].size }
        }
        archive = Archive(
            size: size, digest: digest, letter: 0, blockSize: Limits.blockSize, streamSize: end, storedSizes: [])
        self.contents = contents
        self.entries = entries
        chunkAverage = ContentChunker.averages.upperBound
        chunks = []
        pendingChunks = nil
        self.unnamed = unnamed
        try Self.validate(entries, of: contents, streamSize: end)
    }

    /// What a list tells of the version.
    var listed: PackIndex? {
        let contents = contents.map { Content(digest: $0.digest, size: $0.size, offset: $0.offset, chunks: 0..<0) }
        return try? PackIndex(listed: contents, entries: entries, inArchiveOf: archive.size, digest: archive.digest)
    }

    /// Whether any entry is a symbolic link.
    package var hasLinks: Bool { entries.contains { if case .link = $0.kind { true } else { false } } }

    /// A content's chunks; empty when it has none.
    package func chunks(of content: Int) -> ArraySlice<ContentChunker.Chunk> { chunks[contents[content].chunks] }

    /// The contents that only the pack's manifest has, by their numbers: it stays in the archive, so that no device wants them.
    package var manifestContents: Set<Int> { Self.manifestContents(of: entries) }

    static func manifestContents(of entries: [Entry]) -> Set<Int> {
        var (manifest, others): (Set<Int>, Set<Int>) = ([], [])
        for entry in entries {
            guard case .file(let content, _, _) = entry.kind else { continue }
            if entry.path == manifestPath { manifest.insert(content) } else { others.insert(content) }
        }
        return manifest.subtracting(others)
    }

    /// The sum of the sizes of the pack's files, its manifest not counted, in bytes.
    package var installedSize: Int64 {
        entries.reduce(0) { sum, entry in
            guard case .file(let content, _, _) = entry.kind, entry.path != Self.manifestPath else { return sum }
            return sum + contents[content].size
        }
    }
}
