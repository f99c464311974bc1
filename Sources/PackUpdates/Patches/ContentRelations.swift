// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto

/// Which contents of an old version a content of a new one is likely made of: by path, by chunks in common, by name.
struct ContentRelations {
    private let old: PackIndex
    private let new: PackIndex
    private let oldDigests: Set<Digest>
    /// What no device wants.
    private let manifest: Set<Int>
    /// The first path of each new content.
    private var paths: [Int: String] = [:]
    private var oldByPath: [String: Int] = [:]
    /// Contents that the new version has no more, and those that it has, by the names of their files.
    private var goneByName: [String: Int] = [:]
    private var keptByName: [String: Int] = [:]
    private var oldByChunk: [ContentChunker.Chunk: Int] = [:]

    init(from old: PackIndex, to new: PackIndex) {
        self.old = old
        self.new = new
        oldDigests = Set(old.contents.map(\.digest))
        manifest = new.manifestContents
        for entry in new.entries {
            guard case .file(let content, _, _) = entry.kind, paths[content] == nil else { continue }
            paths[content] = entry.path
        }
        // Devices have no file with it.
        let unknown = old.manifestContents
        for entry in old.entries {
            guard case .file(let content, _, _) = entry.kind, !unknown.contains(content) else { continue }
            oldByPath[entry.path] = content
        }
        let newDigests = Set(new.contents.map(\.digest))
        for entry in old.entries {
            guard case .file(let content, _, _) = entry.kind, !unknown.contains(content) else { continue }
            let name = Self.name(entry.path)
            if newDigests.contains(old.contents[content].digest) {
                if keptByName[name] == nil { keptByName[name] = content }
            } else {
                if goneByName[name] == nil { goneByName[name] = content }
            }
        }
        for content in old.contents.indices where !unknown.contains(content) {
            for chunk in old.chunks(of: content) where oldByChunk[chunk] == nil { oldByChunk[chunk] = content }
        }
    }

    /// Whether devices need a new content that is not in the old version, and that has any bytes.
    func isChanged(_ target: Int) -> Bool {
        new.contents[target].size > 0 && !manifest.contains(target) && !oldDigests.contains(new.contents[target].digest)
    }

    /// The old content at the same path.
    func oldAtPath(of target: Int) -> Int? { paths[target].flatMap { oldByPath[$0] } }

    /// Whether an old content has the chunk.
    func isOld(_ chunk: ContentChunker.Chunk) -> Bool { oldByChunk[chunk] != nil }

    /// What a content's name ends with, in lower case; its last path component when that has no dot.
    func kind(of target: Int) -> String {
        let name = Self.name(paths[target] ?? "")
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return name[dot...].lowercased()
    }

    /// As many old contents are said to be bases for whatever they share; others only if a fair part of them is in the new one, as of
    /// files that were put together.
    private static let usualBases = 8
    private static let leastPart: Int64 = 4

    /// Old contents, the best first: those that share most chunks, before them the one at the same path.
    func bases(of target: Int, atMost limit: Int) -> [Int] {
        var shared: [Int: Int] = [:]
        for chunk in new.chunks(of: target) {
            if let content = oldByChunk[chunk] { shared[content, default: 0] += chunk.size }
        }
        var bases: [Int] = []
        if let path = paths[target], let content = oldByPath[path] { bases.append(content) }
        bases += shared.keys.sorted { left, right in
            let (many, few) = (shared[left] ?? 0, shared[right] ?? 0)
            return many == few ? left < right : many > few
        }.filter { !bases.contains($0) }
        if bases.isEmpty, let content = namesake(of: target) { bases.append(content) }
        let others = bases.dropFirst(Self.usualBases).filter { content in
            Int64(shared[content] ?? 0) >= old.contents[content].size / Self.leastPart
        }
        return (bases.prefix(Self.usualBases) + others).prefix(limit).filter { old.contents[$0].size > 0 }
    }

    /// An old content by its name alone. A large one that is still there has hardly become another as well, unless they are about
    /// as large.
    private func namesake(of target: Int) -> Int? {
        guard let name = paths[target].map(Self.name) else { return nil }
        if let gone = goneByName[name] { return gone }
        guard let kept = keptByName[name] else { return nil }
        let (size, others) = (new.contents[target].size, old.contents[kept].size)
        return others <= PatchPlan.smallContent || abs(size - others) <= others / 8 ? kept : nil
    }

    private static func name(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }
}
