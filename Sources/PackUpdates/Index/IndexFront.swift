// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
import Kit

/// The beginning of an index: where the archive's blocks are, and of which parts the rest consists. A device that has a version of the
/// pack knows most parts without fetching them, and learns from the front which. `docs/formats/pack-index.md` is the file.
package struct IndexFront: Sendable {
    /// How many bytes the head has: magic, version, bytes of the front's body as it stands, and uncompressed.
    package static let headSize = 8 + 4 + 4 + 4

    /// Some entries that stand one behind the other.
    package struct Part: Sendable {
        /// How many.
        let entries: Int
        /// Uncompressed, in bytes.
        package let size: Int
        package let mark: VersionMark
        /// Where it is in the index's file, as it stands there.
        package let range: Range<Int64>
    }

    /// In the index's file, in bytes.
    package let size: Int
    let archive: PackIndex.Archive
    /// Of each entry.
    let kinds: [UInt8]
    /// For each file the bytes of the stream that lie before it and behind the file before.
    let gaps: [Int64]
    let chunkAverage: Int
    let pendingChunks: PackIndex.PendingChunks
    package let parts: [Part]
    /// SHA-256 of all parts, uncompressed, one behind the other.
    package let partsDigest: Digest
    /// What the whole index takes of which this is the front; names come on top.
    let memory: IndexMemory

    /// How many bytes the whole file has, as its front tells.
    package var fileSize: Int64 { pendingChunks.range.upperBound }

    // MARK: - Reading

    /// Reads the front of an index from a server or a file, of which nothing is believed.
    /// - Parameter file: begins with the front.
    /// - Throws: `PackUpdateError.damagedIndex`, `.unknownVersion`; `.notIndexable` when it would take too much memory.
    package init(decoding file: ArraySlice<UInt8>) throws {
        let head = try Head(file)
        size = Self.headSize + head.stored
        let body = try PackIndex.body(file.dropFirst(Self.headSize).prefix(head.stored), size: head.size)
        var reader = IndexReader(body[...])
        var memory = IndexMemory()
        archive = try PackIndex.Archive(&reader, &memory)
        let entries = try reader.count(upTo: PackIndex.Limits.entries, ofAtLeast: 1)
        try memory.add(entries, .entry)
        kinds = Array(try reader.bytes(entries))
        guard kinds.allSatisfy({ $0 <= PackIndex.KindNumber.folder }) else {
            throw PackIndex.damaged("an entry is of no known kind")
        }
        let files = kinds.count(where: PackIndex.KindNumber.isFile)
        gaps = try (0..<files).map { _ in try reader.signedNumber(upTo: PackIndex.Limits.size) }
        let contents = try reader.count(upTo: files, ofAtLeast: 1)
        try memory.add(contents, .content)
        chunkAverage = Int(try reader.number(upTo: Int64(ContentChunker.averages.upperBound)))
        var chunks = 0
        let counts = try (0..<contents).map { _ in
            let count = Int(try reader.number(upTo: Int64(PackIndex.Limits.chunks - chunks)))
            chunks += count
            return count
        }
        try memory.add(chunks, .chunk)
        self.memory = memory
        parts = try Self.parts(&reader, behind: Int64(size), besides: head.size, entries: entries)
        partsDigest = try reader.digest()
        guard reader.remaining == 0 else { throw PackIndex.damaged("something follows the end of its front") }
        pendingChunks = PackIndex.PendingChunks(start: parts.last?.range.upperBound ?? Int64(size), counts: counts)
    }

    /// - Parameter front: uncompressed, in bytes.
    private static func parts(
        _ reader: inout IndexReader, behind start: Int64, besides front: Int, entries: Int
    ) throws -> [Part] {
        let count = try reader.count(upTo: entries, ofAtLeast: 3 + VersionMark.byteCount)
        var (end, rest, size) = (start, entries, front)
        let parts = try (0..<count).map { _ in
            let entries = Int(try reader.number(upTo: Int64(rest)))
            let bytes = Int(try reader.number(upTo: Int64(PackIndex.maximumSize - size)))
            let stored = try reader.number(upTo: Int64(bytes))
            guard entries > 0, stored > 0 else { throw PackIndex.damaged("a part of it is empty") }
            rest -= entries
            size += bytes
            defer { end += stored }
            return Part(entries: entries, size: bytes, mark: try VersionMark(&reader), range: end..<end + stored)
        }
        guard rest == 0 else { throw PackIndex.damaged("its parts do not have all of its entries") }
        return parts
    }

    /// How many bytes the front of a file has, head and body; nil for what is no index of this version.
    /// - Parameter head: `headSize` bytes, or more.
    package static func size(head: ArraySlice<UInt8>) -> Int? { (try? Head(head)).map { headSize + $0.stored } }

    struct Head {
        /// Bytes of the front's body as it stands.
        let stored: Int
        /// Uncompressed.
        let size: Int

        init(_ file: ArraySlice<UInt8>) throws {
            guard file.starts(with: PackIndex.magic) else {
                throw PackUpdateError(.damagedIndex, "This is no index of a pack: nothing at its start says so.")
            }
            var reader = IndexReader(file.dropFirst(PackIndex.magic.count))
            let version = try reader.fixed(4)
            guard version == UInt64(PackIndex.version) else {
                throw PackUpdateError(
                    .unknownVersion,
                    "The index has format version \(version), and only \(PackIndex.version) is known: update Larder, or make "
                        + "the index again.")
            }
            (stored, size) = (Int(try reader.fixed(4)), Int(try reader.fixed(4)))
            guard stored <= size, size <= PackIndex.maximumSize else {
                throw PackIndex.damaged("its front claims \(size) bytes")
            }
        }
    }
}
