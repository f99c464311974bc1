// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Kit

extension PackIndex {
    /// The largest file and the largest body that are read, in bytes.
    package static let maximumSize = 32 << 20

    /// Reads an index from a server or a file, of which nothing is believed.
    /// - Throws: `PackUpdateError.damagedIndex`, `.unknownVersion`; `.notIndexable` when it would take too much memory.
    package init(decoding file: [UInt8]) throws {
        guard file.count <= Self.maximumSize else {
            throw Self.damaged("it is larger than the \(Self.maximumSize >> 20) MiB that one may have")
        }
        guard file.starts(with: Self.magic) else {
            throw PackUpdateError(.damagedIndex, "This is no index of a pack: nothing at its start says so.")
        }
        var head = IndexReader(file[Self.magic.count...])
        let version = UInt32(truncatingIfNeeded: try head.fixed(4))
        guard version == Self.version else {
            throw PackUpdateError(
                .unknownVersion,
                "The index has format version \(version), and only \(Self.version) is known; update Larder.")
        }
        guard let form = BodyForm(rawValue: try head.byte()), try head.fixed(3) == 0 else {
            throw Self.damaged("its body is in no form that is known")
        }
        let size = try head.fixed(8)
        guard size <= UInt64(Self.maximumSize) else { throw Self.damaged("its body claims \(size) bytes") }
        let rest = file[Self.headSize...]
        switch form {
        case .plain:
            guard rest.count == Int(size) else { throw Self.damaged("its body is not as long as it says") }
            try self.init(body: rest)
        case .xz:
            let body: [UInt8]
            do {
                body = try rest.withUnsafeBytes { try XZ.decompress($0, size: Int(size)) }
            } catch {
                throw PackUpdateError(
                    .damagedIndex,
                    "The index of the pack is damaged: its body cannot be decompressed. Fetch it or make it again.",
                    cause: error)
            }
            try self.init(body: body[...])
        }
    }

    private init(body: ArraySlice<UInt8>) throws {
        var reader = IndexReader(body)
        var memory = IndexMemory()
        let archive = try Archive(&reader, &memory)
        let sizes = try reader.count(upTo: Limits.entries, ofAtLeast: 1 + Digest.byteCount)
        try memory.add(sizes, .content)
        let contentSizes = try (0..<sizes).map { _ in try reader.size() }
        let digests = try (0..<sizes).map { _ in try reader.digest() }
        let average = try reader.number(upTo: Int64(ContentChunker.averages.upperBound))
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(sizes)
        for _ in 0..<sizes {
            let start = ranges.last?.upperBound ?? 0
            let count = try reader.number(upTo: Int64(Limits.chunks - start))
            ranges.append(start..<start + Int(count))
        }
        let chunkCount = ranges.last?.upperBound ?? 0
        guard chunkCount <= reader.remaining / 9 else { throw Self.damaged("it ends too early") }
        try memory.add(chunkCount, .chunk)
        let chunkSizes = try (0..<chunkCount).map { _ in
            Int(try reader.number(upTo: Int64(ContentChunker.averages.upperBound * 4)))
        }
        let chunks = try chunkSizes.map { size in
            ContentChunker.Chunk(size: size, digestPrefix: try reader.fixed(8).byteSwapped)
        }
        let entries = try Self.entries(&reader, contentSizes, &memory)
        guard reader.remaining == 0 else { throw Self.damaged("something follows its end") }
        let contents = try Self.contents(contentSizes, digests, ranges, of: entries)
        try self.init(
            archive: archive, contents: contents, entries: entries, chunkAverage: Int(average), chunks: chunks)
    }

    /// Gives each content the place of the first file that has it.
    static func contents(_ sizes: [Int64], _ digests: [Digest], _ chunks: [Range<Int>], of entries: [Entry]) throws
        -> [Content]
    {
        var offsets = [Int64?](repeating: nil, count: sizes.count)
        for entry in entries {
            if case .file(let content, let offset, _) = entry.kind, offsets[content] == nil {
                offsets[content] = offset
            }
        }
        return try sizes.indices.map { index in
            guard let offset = offsets[index] else { throw damaged("a content belongs to no file") }
            return Content(digest: digests[index], size: sizes[index], offset: offset, chunks: chunks[index])
        }
    }

    /// How entries are told: in an index with where they lie, and in a list so that what comes anew moves nothing behind it.
    enum EntryForm {
        case index, list
    }

    static func entries(
        _ reader: inout IndexReader, _ contentSizes: [Int64], _ memory: inout IndexMemory, as form: EntryForm = .index
    ) throws -> [Entry] {
        let count = try reader.count(upTo: Limits.entries, ofAtLeast: 3)
        try memory.add(count, .entry)
        let kinds = try (0..<count).map { _ in try reader.byte() }
        var paths: [String] = []
        paths.reserveCapacity(count)
        var path: [UInt8] = []
        for _ in 0..<count {
            let shared = Int(try reader.number(upTo: Int64(path.count)))
            path.removeLast(path.count - shared)
            path += try reader.bytes(Int(try reader.number(upTo: Int64(ArchivePath.lengthLimit))))
            guard path.count < ArchivePath.lengthLimit, let text = String(validating: path, as: UTF8.self) else {
                throw damaged("a path is too long, or no text")
            }
            try memory.add(path.count, .nameByte)
            paths.append(text)
        }
        var end: Int64 = 0
        var known = 0
        let files = try kinds.map { kind -> Entry.Kind? in
            guard kind == KindNumber.file || kind == KindNumber.executable else { return nil }
            let number = try reader.number(upTo: Int64(contentSizes.count))
            let content =
                switch form {
                case .index: number == 0 ? known : Int(number) - 1
                case .list: known - Int(number)
                }
            guard contentSizes.indices.contains(content), content <= known else {
                throw damaged("a file has a content that is not listed")
            }
            known += content == known ? 1 : 0
            let offset = end + (form == .index ? try reader.size() : 0)
            end = offset + contentSizes[content]
            guard end <= Limits.size else { throw damaged("a file does not lie in the archive") }
            return .file(content: content, offset: offset, isExecutable: kind == KindNumber.executable)
        }
        return try kinds.indices.map { index in
            if let file = files[index] { return Entry(path: paths[index], kind: file) }
            switch kinds[index] {
            case KindNumber.folder: return Entry(path: paths[index], kind: .folder)
            case KindNumber.link:
                let target = try reader.bytes(Int(try reader.number(upTo: Int64(Limits.linkTarget))))
                try memory.add(target.count, .nameByte)
                guard let text = String(validating: target, as: UTF8.self) else {
                    throw damaged("a link's target is no text")
                }
                return Entry(path: paths[index], kind: .link(target: text))
            default: throw damaged("an entry is of no known kind")
            }
        }
    }
}

extension PackIndex.Archive {
    fileprivate init(_ reader: inout IndexReader, _ memory: inout IndexMemory) throws {
        size = try reader.size()
        digest = try reader.digest()
        letter = try reader.byte()
        blockSize = Int(try reader.number(upTo: Int64(PackIndex.Limits.blockSize)))
        streamSize = try reader.size()
        guard blockSize > 0 else { throw PackIndex.damaged("its blocks have 0 bytes") }
        let count = Self.blockCount(streamSize: streamSize, blockSize: blockSize)
        guard count <= Int64(PackIndex.Limits.blocks), count <= Int64(reader.remaining) else {
            throw PackIndex.damaged("it claims \(count) blocks")
        }
        try memory.add(Int(count), .block)
        var sizes: [Int] = []
        sizes.reserveCapacity(Int(count))
        for _ in 0..<count { sizes.append(Int(try reader.number(upTo: Int64(PackIndex.Limits.blockSize)))) }
        storedSizes = sizes
    }
}
