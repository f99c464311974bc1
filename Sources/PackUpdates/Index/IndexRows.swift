// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Kit

/// The entries of one part of an index: paths, sizes, and digests, and nothing that moves when another part changes. So whoever has
/// files knows the part that lists them.
struct IndexRows {
    struct Row {
        enum Kind {
            case file(size: Int64, digest: Digest, isExecutable: Bool)
            case link(target: String)
            case folder
        }

        let path: String
        let kind: Kind

        /// For what is no file.
        var other: PackIndex.Entry.Kind {
            if case .link(let target) = kind { .link(target: target) } else { .folder }
        }
    }

    let rows: [Row]

    // MARK: - Where parts begin

    /// A part ends before one entry of so many, told by its path.
    private static let average = 64
    /// It has at most so many.
    private static let most = 256

    /// Cuts entries in parts where their paths say so: what comes and goes moves few of the others' ends. The pack's manifest, which no
    /// device has as a file, is a part of its own.
    static func parts<Entries: RandomAccessCollection>(
        _ entries: Entries, path: (Entries.Element) -> String
    ) -> [Entries.SubSequence] where Entries.Index == Int {
        var parts: [Entries.SubSequence] = []
        var start = entries.startIndex
        for index in entries.indices.dropFirst() {
            let begins =
                index - start == most || path(entries[index - 1]) == PackIndex.manifestPath
                || SHA256.hash(Array(path(entries[index]).utf8)).bytes[0] < 256 / average
            guard begins else { continue }
            parts.append(entries[start..<index])
            start = index
        }
        if start < entries.endIndex { parts.append(entries[start...]) }
        return parts
    }

    // MARK: - Writing

    /// Columns rather than rows: like stands beside like, which compresses better.
    static func encode(_ rows: [Row]) -> [UInt8] {
        var body: [UInt8] = []
        var previous: [UInt8] = []
        for row in rows {
            let path = Array(row.path.utf8)
            body.append(path: path, behind: previous)
            previous = path
        }
        for row in rows { if case .file(let size, _, _) = row.kind { body.append(number: size) } }
        for row in rows { if case .file(_, let digest, _) = row.kind { body += digest.bytes } }
        for row in rows {
            guard case .link(let target) = row.kind else { continue }
            body.append(number: target.utf8.count)
            body += Array(target.utf8)
        }
        return body
    }

    // MARK: - Reading

    /// - Parameter kinds: of its entries.
    /// - Throws: `PackUpdateError.damagedIndex`, `.notIndexable`
    init(_ body: [UInt8], kinds: ArraySlice<UInt8>, _ memory: inout IndexMemory) throws {
        var reader = IndexReader(body[...])
        let paths = try reader.paths(kinds.count, &memory)
        let files = kinds.count(where: PackIndex.KindNumber.isFile)
        let sizes = try (0..<files).map { _ in try reader.size() }
        let digests = try (0..<files).map { _ in try reader.digest() }
        var file = 0
        rows = try zip(paths, kinds).map { path, kind in
            switch kind {
            case PackIndex.KindNumber.folder: return Row(path: path, kind: .folder)
            case PackIndex.KindNumber.link: return Row(path: path, kind: .link(target: try reader.target(&memory)))
            default:
                defer { file += 1 }
                return Row(
                    path: path,
                    kind: .file(
                        size: sizes[file], digest: digests[file],
                        isExecutable: kind == PackIndex.KindNumber.executable))
            }
        }
        guard reader.remaining == 0 else { throw PackIndex.damaged("something follows the end of a part") }
    }
}
