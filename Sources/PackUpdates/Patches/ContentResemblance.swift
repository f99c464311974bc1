// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Which old contents new ones resemble, wherever they stand: files that were renamed and changed, or put together, of which
/// neither paths nor chunks tell. Looked at only when files went from their paths, and of large files only those that did.
struct ContentResemblance {
    /// The most bytes of old contents, and of new ones, that are looked at.
    private static let mostBytes: Int64 = 64 << 20
    /// Larger contents are not looked at: these have chunks in common, if anything.
    private static let largest: Int64 = 16 << 20

    /// Old contents that the new version has nowhere.
    private(set) var candidates: [Int] = []
    /// New contents that the old version has nowhere.
    private(set) var targets: [Int] = []
    /// Of all these, in bytes.
    private(set) var size: Int64 = 0
    private var candidateSize: Int64 = 0

    init(from old: PackIndex, to new: PackIndex) {
        let oldOnes = Self.worthALook(old, beside: new)
        guard oldOnes.hasMoved else { return }
        let gone = oldOnes.contents
        for content in gone where candidateSize + old.contents[content].size <= Self.mostBytes {
            candidates.append(content)
            candidateSize += old.contents[content].size
        }
        var targetSize: Int64 = 0
        for content in Self.worthALook(new, beside: old).contents
        where targetSize + new.contents[content].size <= Self.mostBytes {
            targets.append(content)
            targetSize += new.contents[content].size
        }
        size = candidateSize + targetSize
    }

    /// Contents of one version that the other has not: the small ones, unless the index tells most of them, and those of others that
    /// have other paths there.
    private static func worthALook(_ index: PackIndex, beside other: PackIndex) -> (contents: [Int], hasMoved: Bool) {
        let known = Set(other.contents.map(\.digest))
        let others = Dictionary(
            other.entries.compactMap { entry -> (String, Int)? in
                guard case .file(let content, _, _) = entry.kind else { return nil }
                return (entry.path, content)
            }, uniquingKeysWith: { first, _ in first })
        /// What stands in the other version at a content's path.
        var inPlace: [Int: Int] = [:]
        for entry in index.entries {
            guard case .file(let content, _, _) = entry.kind, let there = others[entry.path] else { continue }
            inPlace[content] = there
        }
        let contents = index.contents.indices.filter { content in
            let (size, digest) = (index.contents[content].size, index.contents[content].digest)
            guard (1...largest).contains(size), !known.contains(digest) else { return false }
            guard let there = inPlace[content] else { return true }
            return size <= PatchPlan.smallContent && !isTold(index.chunks(of: content), by: other.chunks(of: there))
        }
        return (contents, contents.contains { inPlace[$0] == nil })
    }

    /// Whether seven eighths of a content are in another one: what the rest is from is hardly worth the search.
    private static func isTold(
        _ chunks: ArraySlice<ContentChunker.Chunk>, by others: ArraySlice<ContentChunker.Chunk>
    ) -> Bool {
        guard !chunks.isEmpty, !others.isEmpty else { return false }
        let there = Set(others)
        var (shared, all) = (0, 0)
        for chunk in chunks {
            all += chunk.size
            if there.contains(chunk) { shared += chunk.size }
        }
        return shared >= all / 8 * 7
    }

    /// Looks at them. Blocks.
    /// - Parameter unpack: gives a file in which a layout of the old and one of the new version are unpacked.
    func examined(
        from old: PackIndex, to new: PackIndex,
        unpack: (_ old: ContentLayout, _ new: ContentLayout, _ size: Int64) throws -> MappedContents
    ) throws -> ExaminedContents {
        guard !candidates.isEmpty, !targets.isEmpty else { return ExaminedContents() }
        var (oldLayout, newLayout) = (ContentLayout(index: old), ContentLayout(index: new))
        var end: Int64 = 0
        let oldRanges = candidates.map { oldLayout.place([$0], at: &end) }
        let newRanges = targets.map { newLayout.place([$0], at: &end) }
        let contents = try unpack(oldLayout, newLayout, end)
        var finder = ResemblanceFinder(size: candidateSize)
        for (content, range) in zip(candidates, oldRanges) {
            finder.add(content, UnsafeRawBufferPointer(rebasing: contents.bytes[range]))
            contents.release(range)
        }
        var examined = ExaminedContents()
        for (content, range) in zip(targets, newRanges) {
            let found = finder.contents(sharing: UnsafeRawBufferPointer(rebasing: contents.bytes[range]))
            if !found.isEmpty { examined.bases[content] = found }
            contents.release(range)
        }
        examined.contents = contents
        examined.old = Dictionary(zip(candidates, oldRanges), uniquingKeysWith: { first, _ in first })
        examined.new = Dictionary(zip(targets, newRanges), uniquingKeysWith: { first, _ in first })
        return examined
    }
}
