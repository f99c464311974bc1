// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit

extension PackList {
    /// The entries, one behind the other in a stream that holds nothing but their files.
    /// - Parameter sizes: of the contents, by their numbers.
    /// - Throws: `PackUpdateError.damagedIndex`, `.notIndexable`
    static func entries(
        _ reader: inout IndexReader, _ sizes: [Int64], _ memory: inout IndexMemory
    ) throws -> [PackIndex.Entry] {
        let count = try reader.count(upTo: PackIndex.Limits.entries, ofAtLeast: 3)
        try memory.add(count, .entry)
        let kinds = try (0..<count).map { _ in try reader.byte() }
        let paths = try reader.paths(count, &memory)
        var end: Int64 = 0
        var known = 0
        let files = try kinds.map { kind -> PackIndex.Entry.Kind? in
            guard PackIndex.KindNumber.isFile(kind) else { return nil }
            // What comes anew moves nothing behind it.
            let content = known - Int(try reader.number(upTo: Int64(sizes.count)))
            guard sizes.indices.contains(content), content <= known else {
                throw PackIndex.damaged("a file has a content that is not listed")
            }
            known += content == known ? 1 : 0
            let offset = end
            end = offset + sizes[content]
            guard end <= PackIndex.Limits.size else { throw PackIndex.damaged("a file does not lie in the archive") }
            return .file(content: content, offset: offset, isExecutable: kind == PackIndex.KindNumber.executable)
        }
        return try kinds.indices.map { index in
            if let file = files[index] { return PackIndex.Entry(path: paths[index], kind: file) }
            switch kinds[index] {
            case PackIndex.KindNumber.folder: return PackIndex.Entry(path: paths[index], kind: .folder)
            case PackIndex.KindNumber.link:
                return PackIndex.Entry(path: paths[index], kind: .link(target: try reader.target(&memory)))
            default: throw PackIndex.damaged("an entry is of no known kind")
            }
        }
    }

    /// Gives each content the place of the first file that has it.
    /// - Throws: `PackUpdateError.damagedIndex`
    static func contents(_ sizes: [Int64], _ digests: [Digest], of entries: [PackIndex.Entry]) throws
        -> [PackIndex.Content]
    {
        var offsets = [Int64?](repeating: nil, count: sizes.count)
        for entry in entries {
            if case .file(let content, let offset, _) = entry.kind, offsets[content] == nil {
                offsets[content] = offset
            }
        }
        return try sizes.indices.map { index in
            guard let offset = offsets[index] else { throw PackIndex.damaged("a content belongs to no file") }
            return PackIndex.Content(digest: digests[index], size: sizes[index], offset: offset, chunks: 0..<0)
        }
    }
}
