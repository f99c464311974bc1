// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto

/// What an update from one version of a pack to another would cost, before it is published. Pure.
package struct PackDifference: Sendable {
    /// What became of a file.
    package enum Change: String, Hashable, Sendable {
        case added, changed, moved, removed
    }

    package struct File: Hashable, Sendable {
        /// As in the archive.
        package let path: String
        package let change: Change
        /// Of the new file, or of one that was removed, in bytes.
        package let size: Int64
        /// Bytes of the blocks that hold what of it is neither in the old version nor in a file before it; files that share a
        /// block count it each.
        package let blockBytes: Int64
        /// Its part of the patch, in bytes; nil without a patch, or when the patch does not give the file. Files that a
        /// patch makes together share what that costs by what of each is not in the old version.
        package let patchBytes: Int64?
        /// Of a file that moved, or was copied, where the old version has it.
        package var origin: String?
        /// The file before it that has the same content, and counts what that costs.
        package var twin: String?
        /// Whether nothing but embedded times is different.
        package var hasOnlyOtherStamps = false

        /// What it costs by the way that a device takes.
        package func bytes(withPatch: Bool) -> Int64 { withPatch ? patchBytes ?? blockBytes : blockBytes }
    }

    /// What became of other things of the pack, none of which takes more than the index.
    package struct Others: Hashable, Sendable {
        /// Symbolic links by what became of them: added, changed, to another target, or removed.
        package var links: [Change: Int] = [:]
        /// Folders that hold nothing: added or removed.
        package var emptyFolders: [Change: Int] = [:]
        /// Files of both versions that are executable in one of them.
        package var executables = 0
        /// Whether the pack's manifest is another one.
        package var isManifestChanged = false
    }

    /// What a way takes, in bytes.
    package struct Cost: Hashable, Sendable {
        package let bytesToFetch: Int64
        package let requests: Int
        package let bytesToWrite: Int64
    }

    /// Files that are not where they were as they were, the pack's manifest not counted: those that cost most by the best way
    /// first.
    package private(set) var files: [File]
    package let unchangedCount: Int
    package let others: Others
    /// Whether both are of the same archive.
    package let isSame: Bool
    /// Of the new version's index, in bytes: a device fetches what of it is not known.
    package let indexSize: Int64
    /// What that is when all comes by a patch, and when blocks come.
    private let indexCosts: (patch: IndexFront.Cost, blocks: IndexFront.Cost)
    /// What it fetches in place of the index to use the patch, in bytes; nil where that is the index.
    package let listSize: Int64?
    /// The update with blocks alone.
    package let blocks: UpdatePlan
    package let whole: UpdatePlan
    /// The update with the patch, and with blocks where they are less; nil without a patch that is of use.
    package let patch: UpdatePlan?
    /// What comes of a patch before its deltas, in bytes.
    package let patchHeadSize: Int64
    /// Of the whole patch, in bytes; 0 without one.
    package let patchSize: Int64
    /// What a device would do.
    package let best: UpdatePlan
    private let costs: UpdateFacts.Costs
    /// How the new version could be packed so that blocks would be much less.
    package var advice: PackingAdvice?

    /// - Parameters:
    ///   - indexSize: of the file of the new version's index, in bytes.
    ///   - front: of that index; nil for one that is fetched whole.
    ///   - patch: one between the two, if there is one.
    ///   - listSize: of the list that belongs to the patch, in bytes.
    package init(
        from old: PackIndex, to new: PackIndex, indexSize: Int64 = 0, front: IndexFront? = nil,
        patch: UpdateFacts.Patch? = nil, listSize: Int64? = nil, costs: UpdateFacts.Costs = .init()
    ) {
        isSame = old.archive.digest == new.archive.digest
        self.costs = costs
        others = Others(from: old, to: new)
        self.indexSize = indexSize
        var local = LocalContents(for: new)
        local.add(old, as: 0)
        let staying = new.manifestContents
        let facts = UpdateFacts(
            ranges: .expected, costs: costs, patches: patch.map { [$0] } ?? [], progress: .init(complete: staying))
        let planner = UpdatePlanner(target: new, local: local, facts: facts)
        whole = planner.whole
        blocks = planner.blocksPlan() ?? planner.whole
        func indexCost(_ rebuilt: Set<Int>) -> IndexFront.Cost {
            front?.cost(from: old, to: new, rebuilding: rebuilt)
                ?? IndexFront.Cost(size: indexSize, requests: indexSize > 0 ? 1 : 0)
        }
        indexCosts = (indexCost([]), indexCost(blocks.rebuilt(of: new)))
        // A device with a list knows of no blocks, and needs none as long as it has a plan.
        let listed = patch == nil || listSize == nil ? nil : new.listed
        let byList = listed.map { UpdatePlanner(target: $0, local: local, facts: facts) }
        let plan = byList?.plan()
        self.listSize = plan?.actions == nil ? nil : listSize
        self.patch = patch == nil ? nil : self.listSize == nil ? planner.patchPlan(0) : byList?.patchPlan(0)
        best = plan?.actions == nil ? planner.plan() : plan ?? planner.plan()
        patchHeadSize = patch.map { $0.size - ($0.groups ?? []).reduce(0) { $0 + Int64($1.range.count) } } ?? 0
        patchSize = patch?.size ?? 0
        let blockBytes = planner.blockBytes
        let patchBytes = patch?.bytes(of: new, weights: blockBytes) ?? [:]
        let before = old.digestsByPath
        let after = new.digestsByPath
        var origins = Origins(before, after)
        var twins: [Digest: String] = [:]
        var files: [File] = []
        var unchanged = 0
        for entry in new.entries {
            guard case .file(let number, _, _) = entry.kind else { continue }
            // The pack's manifest is none of the files that were packed.
            if entry.path == PackIndex.manifestPath { continue }
            let content = new.contents[number]
            if before[entry.path] == content.digest {
                unchanged += 1
                continue
            }
            let isThere = local.source(of: content.digest) != nil
            let change: Change = isThere ? .moved : before[entry.path] == nil ? .added : .changed
            let twin = isThere ? nil : twins[content.digest]
            if twin == nil { twins[content.digest] = entry.path }
            let isFree = isThere || twin != nil || staying.contains(number)
            files.append(
                File(
                    path: entry.path, change: change, size: content.size, blockBytes: isFree ? 0 : blockBytes[number],
                    patchBytes: patchBytes[number].map { twin == nil ? $0 : 0 },
                    origin: isThere ? origins.take(content.digest) : nil, twin: twin))
        }
        for entry in old.entries where after[entry.path] == nil && entry.path != PackIndex.manifestPath {
            guard case .file(let number, _, _) = entry.kind, !origins.taken.contains(entry.path) else { continue }
            files.append(
                File(
                    path: entry.path, change: .removed, size: old.contents[number].size, blockBytes: 0, patchBytes: nil)
            )
        }
        let usesPatch = best.patch != nil
        self.files = files.sorted {
            let (first, second) = ($0.bytes(withPatch: usesPatch), $1.bytes(withPatch: usesPatch))
            return (second, $1.blockBytes, $1.size, $0.path) < (first, $0.blockBytes, $0.size, $1.path)
        }
        unchangedCount = unchanged
    }

    /// What a plan takes in all: with the index or the list, unless it is the archive whole, and with what comes of a patch before its
    /// deltas.
    package func cost(_ plan: UpdatePlan) -> Cost {
        guard plan.method != .whole else {
            return Cost(
                bytesToFetch: plan.bytesToFetch, requests: plan.requests, bytesToWrite: plan.bytesToWrite)
        }
        let list = plan.blocks.isEmpty ? listSize.map { IndexFront.Cost(size: $0, requests: 1) } : nil
        let head = list ?? (plan.blocks.isEmpty ? indexCosts.patch : indexCosts.blocks)
        return Cost(
            bytesToFetch: plan.bytesToFetch + head.size + (plan.patch == nil ? 0 : patchHeadSize),
            requests: plan.requests + head.requests, bytesToWrite: plan.bytesToWrite)
    }

    /// Whether a device fetches a tenth less by blocks than with the whole patch. It is better not published then: a device takes it
    /// before it has read the old files for what blocks would be (docs/decisions/0065), and with a list it knows of no blocks.
    package var isPatchOutdone: Bool {
        guard patch != nil else { return false }
        let head = listSize.map { IndexFront.Cost(size: $0, requests: 1) } ?? indexCosts.patch
        func price(_ bytes: Int64, _ requests: Int) -> Int64 { bytes + Int64(requests) * costs.request }
        let blocks = cost(blocks)
        return price(blocks.bytesToFetch, blocks.requests) < price(head.size + patchSize, head.requests + 1) / 10 * 9
    }

    /// The paths of files whose content changed in place: those that may differ in nothing but times.
    package var changedPaths: Set<String> { Set(files.filter { $0.change == .changed }.map(\.path)) }

    /// Notes which files differ in embedded times alone.
    /// - Parameters:
    ///   - old: digests without times of the old version's files, by path.
    ///   - new: those of the new version's.
    package mutating func compareStamps(_ old: [String: Digest], _ new: [String: Digest]) {
        for place in files.indices where files[place].change == .changed {
            let path = files[place].path
            files[place].hasOnlyOtherStamps = new[path] != nil && new[path] == old[path]
        }
    }
}

extension PackIndex {
    fileprivate var digestsByPath: [String: Digest] {
        var result: [String: Digest] = [:]
        for entry in entries {
            if case .file(let number, _, _) = entry.kind { result[entry.path] = contents[number].digest }
        }
        return result
    }
}

/// Where files that moved were: paths that are no more before those that stay, each once while there are others.
private struct Origins {
    private var paths: [Digest: [String]] = [:]
    private(set) var taken: Set<String> = []

    init(_ before: [String: Digest], _ after: [String: Digest]) {
        for (path, digest) in before { paths[digest, default: []].append(path) }
        for digest in paths.keys {
            // Taken from the end.
            paths[digest]?.sort { (after[$0] == nil ? 1 : 0, $1) < (after[$1] == nil ? 1 : 0, $0) }
        }
    }

    mutating func take(_ digest: Digest) -> String? {
        guard let path = paths[digest]?.last else { return nil }
        if paths[digest]?.count != 1 { paths[digest]?.removeLast() }
        taken.insert(path)
        return path
    }
}

extension UpdateFacts.Patch {
    /// What each content costs, by its number.
    /// - Parameter weights: by which contents that are made together share the bytes; their sizes where all are 0.
    fileprivate func bytes(of target: PackIndex, weights: [Int64]) -> [Int: Int64] {
        var bytes: [Int: Int64] = [:]
        for group in groups ?? [] {
            let targets = group.targets.filter(target.contents.indices.contains)
            let isWeighed = targets.contains { weights[$0] > 0 }
            func weight(_ content: Int) -> Double {
                Double(isWeighed ? weights[content] : target.contents[content].size)
            }
            let sum = targets.reduce(0.0) { $0 + weight($1) }
            for content in targets where sum > 0 {
                bytes[content] = Int64((Double(group.range.count) * weight(content) / sum).rounded())
            }
        }
        return bytes
    }
}

extension UpdatePlanner {
    /// Of each content the bytes of the blocks that hold what of it is neither there nor in a content before.
    fileprivate var blockBytes: [Int64] {
        var repeats = repeatedChunks()
        return target.contents.indices.map { content in
            guard local.source(of: target.contents[content].digest) == nil else { return 0 }
            var next = 0
            var bytes: Int64 = 0
            for part in missingParts(of: content, &repeats) {
                let blocks = target.archive.blocks(holding: part)
                let start = max(next, blocks.lowerBound)
                guard start < blocks.upperBound else { continue }
                bytes += offsets[blocks.upperBound] - offsets[start]
                next = blocks.upperBound
            }
            return bytes
        }
    }
}
