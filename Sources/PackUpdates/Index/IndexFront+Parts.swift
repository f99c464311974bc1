// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Kit

extension IndexFront {
    /// A part as it stands in the file, uncompressed.
    /// - Throws: `PackUpdateError.damagedIndex`
    package func body(of part: Part, stored: ArraySlice<UInt8>) throws -> [UInt8] {
        guard Int64(stored.count) == part.range.upperBound - part.range.lowerBound else {
            throw PackIndex.damaged("a part of it is cut off")
        }
        return try PackIndex.body(stored, size: part.size)
    }

    /// Puts the index together. Its chunks are not known then; `PackIndex.pendingChunks` tells where they are.
    /// - Parameter bodies: of all parts, uncompressed, from wherever they are.
    /// - Throws: `PackUpdateError.damagedIndex` when they are not those that are meant, or do not fit; `.notIndexable`
    package func index(of bodies: [[UInt8]]) throws -> PackIndex {
        guard bodies.count == parts.count else { throw PackIndex.damaged("it has not all of its parts") }
        var hash = SHA256()
        for body in bodies { hash.update(body) }
        guard hash.finish() == partsDigest else { throw PackIndex.damaged("its parts are not those of its front") }
        var memory = memory
        var (first, file) = (0, 0)
        var entries: [PackIndex.Entry] = []
        entries.reserveCapacity(kinds.count)
        var contents: [PackIndex.Content] = []
        var numbers: [Digest: Int] = [:]
        var end: Int64 = 0
        for (part, body) in zip(parts, bodies) {
            let rows = try IndexRows(body, kinds: kinds[first..<first + part.entries], &memory)
            first += part.entries
            for row in rows.rows {
                guard case .file(let size, let digest, let isExecutable) = row.kind else {
                    entries.append(.init(path: row.path, kind: row.other))
                    continue
                }
                let (offset, isOver) = (end + Int64(row.path.utf8.count)).addingReportingOverflow(gaps[file])
                file += 1
                guard !isOver, offset >= end, offset <= PackIndex.Limits.size - size else {
                    throw PackIndex.damaged("\"\(row.path)\" does not lie in the archive")
                }
                end = offset + size
                let number = numbers[digest] ?? contents.count
                if number == contents.count {
                    numbers[digest] = number
                    contents.append(.init(digest: digest, size: size, offset: offset, chunks: 0..<0))
                }
                guard contents[number].size == size else { throw PackIndex.damaged("a content has two sizes") }
                entries.append(
                    .init(path: row.path, kind: .file(content: number, offset: offset, isExecutable: isExecutable)))
            }
        }
        guard contents.count == pendingChunks.counts.count else {
            throw PackIndex.damaged("it has \(contents.count) contents, and not as many as it says")
        }
        return try PackIndex(
            archive: archive, contents: contents, entries: entries, chunkAverage: chunkAverage, chunks: [],
            pendingChunks: pendingChunks.isEmpty ? nil : pendingChunks)
    }

    /// A file whose front has the digest of its parts as they stand, for tests of what a front cannot vouch for; nil when it cannot be
    /// read, or anything is compressed.
    package static func sealed(_ file: [UInt8]) -> [UInt8]? {
        guard let front = try? IndexFront(decoding: file[...]), let last = front.parts.last,
            last.range.upperBound <= Int64(file.count), front.parts.allSatisfy({ $0.size == $0.range.count }),
            front.size - headSize >= Digest.byteCount
        else { return nil }
        let digest = SHA256.hash(Array(file[front.size..<Int(last.range.upperBound)]))
        return file[..<(front.size - Digest.byteCount)] + digest.bytes + file[front.size...]
    }
}
