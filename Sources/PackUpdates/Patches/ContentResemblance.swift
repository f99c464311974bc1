// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Which old contents the small new ones resemble, wherever they stand: files that were renamed and changed, or put together, of which
/// neither paths nor chunks tell. Looked at only when files went from their paths.
struct ContentResemblance {
    /// The most bytes of old contents that are looked at.
    private static let mostBytes: Int64 = 64 << 20

    /// Old contents that the new version has nowhere.
    private(set) var candidates: [Int] = []
    /// New contents that the old version has nowhere.
    private(set) var targets: [Int] = []
    /// Of all these, in bytes.
    private(set) var size: Int64 = 0
    private var candidateSize: Int64 = 0

    init(from old: PackIndex, to new: PackIndex) {
        let kept = Set(new.contents.map(\.digest))
        let gone = old.contents.indices.filter { content in
            let what = old.contents[content]
            return (1...PatchPlan.smallContent).contains(what.size) && !kept.contains(what.digest)
        }
        let newPaths = Set(new.entries.map(\.path))
        let hasPath = Set(
            old.entries.compactMap { entry -> Int? in
                guard case .file(let content, _, _) = entry.kind, newPaths.contains(entry.path) else { return nil }
                return content
            })
        guard gone.contains(where: { !hasPath.contains($0) }) else { return }
        for content in gone where candidateSize + old.contents[content].size <= Self.mostBytes {
            candidates.append(content)
            candidateSize += old.contents[content].size
        }
        let known = Set(old.contents.map(\.digest))
        targets = new.contents.indices.filter { content in
            let what = new.contents[content]
            return (1...PatchPlan.smallContent).contains(what.size) && !known.contains(what.digest)
        }
        size = targets.reduce(candidateSize) { $0 + new.contents[$1].size }
    }

    /// For each new content the old ones that it shares most with, if it does with any. Blocks.
    /// - Parameter unpack: gives a file in which a layout of the old and one of the new version are unpacked.
    func bases(
        from old: PackIndex, to new: PackIndex,
        unpack: (_ old: ContentLayout, _ new: ContentLayout, _ size: Int64) throws -> MappedContents
    ) throws -> [Int: [Int]] {
        guard !candidates.isEmpty, !targets.isEmpty else { return [:] }
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
        var bases: [Int: [Int]] = [:]
        for (content, range) in zip(targets, newRanges) {
            let found = finder.contents(sharing: UnsafeRawBufferPointer(rebasing: contents.bytes[range]))
            if !found.isEmpty { bases[content] = found }
            contents.release(range)
        }
        return bases
    }
}
