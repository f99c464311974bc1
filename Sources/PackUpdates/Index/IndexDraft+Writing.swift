// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Crypto
import Kit
import System

extension IndexDraft {
    /// The file's bytes; the same index gives the same.
    /// - Parameter compressed: whether what is smaller then is compressed.
    /// - Throws: `ArchiveError.inputOutput` when there is no memory to compress it; `PackUpdateError.io`
    func encoded(compressed: Bool) throws -> [UInt8] {
        let (front, parts) = try frontAndParts(compressed: compressed)
        return front + parts + (try columns.chunks.bytes())
    }

    /// Writes the file, complete or not at all.
    /// - Throws: `AssetPackError`; `outputExists` when something is at `path`. `PackUpdateError.notIndexable` when nobody would
    ///   read it.
    func write(to path: FilePath) throws -> PackIndex.Written {
        // What may be read fits in memory, but for chunks by the million.
        try checkMemory()
        let (front, parts) = try frontAndParts(compressed: true)
        let size = Int64(front.count + parts.count) + columns.chunks.size
        guard size <= Int64(PackIndex.maximumSize) else {
            throw PackUpdateError.notIndexable("its index would have \(ByteCount.formatted(size))")
        }
        do {
            var file = try NewFile(at: path)
            var digest = SHA256()
            func write(_ bytes: UnsafeRawBufferPointer) throws {
                digest.update(bytes)
                try file.descriptor.writeFully(bytes)
            }
            try front.withUnsafeBytes(write)
            try parts.withUnsafeBytes(write)
            try columns.chunks.forEachPiece(write)
            try file.publish()
            return PackIndex.Written(
                size: size, sha256: digest.finish().hex,
                front: .init(size: Int64(front.count), sha256: SHA256.hash(front).hex))
        } catch {
            throw Packager.describe(error, writing: path)
        }
    }

    /// Devices would not read it.
    private func checkMemory() throws {
        var memory = IndexMemory()
        try memory.add(columns.storedSizes.count, .block)
        try memory.add(contents.count, .content)
        try memory.add(columns.chunks.count, .chunk)
        try memory.add(entries.count, .entry)
        for entry in entries {
            try memory.add(entry.path.utf8.count, .nameByte)
            if case .link(let target) = entry.kind { try memory.add(target.utf8.count, .nameByte) }
        }
    }

    private func frontAndParts(compressed: Bool) throws -> (front: [UInt8], parts: [UInt8]) {
        var parts: [UInt8] = []
        var size = 0
        var list: [UInt8] = []
        var digest = SHA256()
        let cut = IndexRows.parts(entries, path: \.path)
        list.append(number: cut.count)
        for part in cut {
            let body = IndexRows.encode(part.map(row))
            digest.update(body)
            size += body.count
            let stored = try Self.stored(body, compressed: compressed)
            list.append(number: part.count)
            list.append(number: body.count)
            list.append(number: stored.count)
            list += VersionMark(SHA256.hash(body)).bytes
            parts += stored
        }
        let body = try archiveColumns() + entryColumns() + contentColumns() + list + digest.finish().bytes
        size += body.count
        guard size <= PackIndex.maximumSize else {
            throw PackUpdateError.notIndexable("its index would have \(ByteCount.formatted(Int64(size))) uncompressed")
        }
        let stored = try Self.stored(body, compressed: compressed)
        var head = PackIndex.magic
        head.append(littleEndian: PackIndex.version)
        head.append(littleEndian: UInt32(clamping: stored.count))
        head.append(littleEndian: UInt32(clamping: body.count))
        return (head + stored, parts)
    }

    /// As it stands in the file: compressed where that makes it smaller.
    private static func stored(_ body: [UInt8], compressed: Bool) throws -> [UInt8] {
        guard compressed else { return body }
        let encoder = try XZEncoder(size: Int64(body.count))
        var packed: [UInt8] = []
        try body.withUnsafeBytes { try encoder.encode($0) { packed += $0 } }
        try encoder.finish { packed += $0 }
        return packed.count < body.count ? packed : body
    }

    // MARK: - Columns of the front

    private func archiveColumns() throws -> [UInt8] {
        var body: [UInt8] = []
        body.append(number: size)
        body += digest.bytes
        body.append(letter)
        body.append(number: blockSize)
        body.append(number: streamSize)
        return body + (try columns.storedSizes.bytes())
    }

    private func entryColumns() -> [UInt8] {
        var body: [UInt8] = []
        body.append(number: entries.count)
        for entry in entries { body.append(entry.kind.number) }
        var end: Int64 = 0
        for entry in entries {
            guard case .file(let content, let offset, _) = entry.kind else { continue }
            // What stands before a file has its path, so that the rest is the same for most.
            body.append(signedNumber: offset - end - Int64(entry.path.utf8.count))
            end = offset + contents[content].size
        }
        return body
    }

    private func contentColumns() -> [UInt8] {
        var body: [UInt8] = []
        body.append(number: contents.count)
        body.append(number: chunkAverage)
        for content in contents { body.append(number: content.chunks.count) }
        return body
    }

    private func row(_ entry: PackIndex.Entry) -> IndexRows.Row {
        switch entry.kind {
        case .file(let number, _, let isExecutable):
            let content = contents[number]
            return .init(
                path: entry.path,
                kind: .file(size: content.size, digest: content.digest, isExecutable: isExecutable))
        case .link(let target): return .init(path: entry.path, kind: .link(target: target))
        case .folder: return .init(path: entry.path, kind: .folder)
        }
    }
}
