// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import HTTP
import Kit
import PackNamespace
package import PackUpdates

/// What an update will take, as far as its index and the tables of patches tell. Sizes are in bytes.
package struct UpdateForecast: Hashable, Sendable {
    package var method: UpdatePlan.Method
    /// Index or list, and patch's table included.
    package var toFetch: Int64
    /// Of files that are not linked.
    package var toWrite: Int64
    /// How many those are.
    package var changedFiles: Int
    /// Why the archive is fetched whole: the end of a sentence.
    package var note: String?

    /// What its writing takes.
    var space: SpacePlanner.Update {
        SpacePlanner.Update(toFetch: toFetch, toWrite: toWrite, changedFiles: changedFiles)
    }
}

/// Plans an update without beginning it. Everything blocks: for an owned thread.
struct UpdateForecaster {
    let download: PackDownload
    let own: UpdateFetch.Own
    let layout: AppRootLayout
    let attempt: TransferAttempt
    let permitsHost: HostRule?

    /// A patch's table is asked for in pieces: most fit in the first.
    private static let firstPiece: Int64 = 64 << 10

    /// - Throws: `HTTPClientError` for what may pass; `Errno`
    func run() throws -> UpdateForecast {
        do {
            let versions = LocalVersions(appRoot: layout.root)
            let patches = versions.patches(of: download, to: own)
            var starts = PatchStarts(versions, to: own)
            let list = try list(patches, &starts)
            if let list, let forecast = try plan(list, patches, &starts) { return forecast }
            var index = try index()
            index.size += list?.size ?? 0
            guard let forecast = try plan(index, patches, &starts) else {
                throw UpdateFetch.Unsuitable(why: "fetching its archive whole takes less than its parts")
            }
            return forecast
        } catch let error as UpdateFetch.Unsuitable {
            return UpdateForecast(
                method: .whole, toFetch: download.downloadSize,
                toWrite: SpacePlanner.contentSize(download.installedSize, downloadSize: download.downloadSize),
                changedFiles: download.fileCount ?? 0, note: error.why)
        }
    }

    /// What is known of the version.
    private struct Found {
        var index: PackIndex
        /// SHA-256 of the index's file.
        let digest: Digest
        /// What was fetched, in bytes.
        var size: Int64
    }

    private func index() throws -> Found {
        guard let file = download.index else { throw UpdateFetch.Unsuitable(why: "the manifest lists no index") }
        let counter = Counter()
        var partly = indexFetch(file, .expected, counter)
        if let parts = try partly.parts(known: { LocalVersions.foreknowledge(of: own.folder) }) {
            try download.check(parts.index)
            return Found(index: parts.index, digest: file.digest, size: counter.size)
        }
        let bytes = try partly.whole ?? fetch(file)
        return Found(index: try download.index(of: bytes, listed: file), digest: file.digest, size: file.size)
    }

    /// Bytes that came.
    private final class Counter {
        var size: Int64 = 0
    }

    private func indexFetch(
        _ file: PackDownload.ListedFile, _ ranges: UpdateFacts.Ranges, _ counter: Counter
    ) -> IndexFetch {
        IndexFetch(file, attempt: attempt, permitsHost: permitsHost, ranges: ranges) { transfer, take in
            try read(transfer) { bytes in
                counter.size += Int64(bytes.count)
                return try take(bytes)
            }
        }
    }

    /// Learns the chunks of contents that a plan puts together of blocks.
    /// - Returns: whether any came.
    private func learnChunks(
        of plan: UpdatePlan, _ found: inout Found, _ ranges: UpdateFacts.Ranges
    ) throws -> Bool {
        guard let file = download.index, found.index.pendingChunks != nil, ranges != .none else { return false }
        let counter = Counter()
        var fetch = indexFetch(file, ranges, counter)
        let index = try fetch.chunks(
            of: plan.rebuilt(of: found.index), found.index, among: LocalVersions.paths(of: own.folder))
        found.size += counter.size
        guard let index else { return false }
        found.index = index
        return true
    }

    /// What a list tells; nil when an update would fetch the index.
    private func list(_ patches: [ListedPatchState], _ starts: inout PatchStarts) throws -> Found? {
        guard let file = download.index, let (list, patch) = download.list(among: patches.map(\.listed)),
            let base = starts.files(of: patch)
        else { return nil }
        do {
            let index = try download.index(ofList: fetch(list), listed: list, base: base)
            return Found(index: index, digest: file.digest, size: list.size)
        } catch is UpdateFetch.Unsuitable {
            return nil
        }
    }

    private func fetch(_ file: PackDownload.ListedFile) throws -> [UInt8] {
        try file.fetch(by: attempt, permitsHost: permitsHost, tooLarge: "its index is too large") { transfer, take in
            _ = try transfer.waitForHead()
            try read(transfer, take)
        }
    }

    /// - Returns: nil when the archive is fetched whole, as far as is known.
    private func plan(
        _ first: Found, _ patches: [ListedPatchState], _ starts: inout PatchStarts
    ) throws -> UpdateForecast? {
        var found = first
        var sources = try findSources(found.index)
        var facts = UpdateFacts(ranges: .expected, progress: .init(complete: found.index.manifestContents))
        func planned() -> UpdatePlan {
            UpdatePlanner(target: found.index, local: sources.contents, facts: facts).plan()
        }
        var tables: [Int64] = []
        if planned().method != .nothing {
            for listed in patches {
                var patch = listed
                tables.append(try learn(&patch, found, &starts, &facts.ranges))
                facts.patches.append(patch.facts(position: nil))
            }
        }
        if !sources.hasChunks, planned().actions == nil || !planned().blocks.isEmpty {
            if try learnChunks(of: planned(), &found, facts.ranges) { sources = try findSources(found.index) }
            try sources.addChunks(for: found.index, of: own, finding: { try find($0) { $0 } }) {
                try attempt.checkStop()
            }
        }
        var plan = planned()
        while try isRefused(plan, patches, &facts.ranges) { plan = planned() }
        guard let changed = plan.changedContents else {
            if facts.ranges == .none { throw UpdateFetch.Unsuitable(why: UpdateFetch.Unsuitable.noRanges) }
            return nil
        }
        let table = plan.patch.map { tables[$0.number] } ?? 0
        return UpdateForecast(
            method: plan.method, toFetch: plan.bytesToFetch + found.size + table, toWrite: plan.bytesToWrite,
            changedFiles: changed)
    }

    private func findSources(_ index: PackIndex) throws -> UpdateSources {
        var sources = UpdateSources(for: index)
        let sizes = Dictionary(index.contents.map { ($0.digest, $0.size) }) { first, _ in first }
        sources.add(try find(Set(sizes.keys)) { $0 }.filter { sizes[$0.key] == Int64(clamping: $0.value.size) })
        return sources
    }

    private func find<Key>(_ wanted: Set<Key>, by key: (Digest) -> Key) throws -> [Key: LocalFile] {
        try LocalVersions(appRoot: layout.root).find(wanted, first: [own.folder], by: key) { try attempt.checkStop() }
    }

    /// Reads a patch's table, if the server gives ranges of it; otherwise the patch is as good as its size.
    /// - Returns: how many bytes it has.
    private func learn(
        _ patch: inout ListedPatchState, _ found: Found, _ starts: inout PatchStarts,
        _ ranges: inout UpdateFacts.Ranges
    ) throws -> Int64 {
        let file = patch.listed.file
        guard var reader = patch.reader(found.index, found.digest, old: starts.files(of: patch.listed)) else {
            patch.isUseless = true
            return 0
        }
        do {
            var start: Int64 = 0
            while reader.table == nil, start < file.size, ranges != .none {
                var request = HTTPRequest(url: file.url, expectedLength: file.size)
                request.ranges = [start..<min(file.size, max(Self.firstPiece, start * 4))]
                request.permitsHost = permitsHost
                let isRanged = try attempt.fetch(request) { transfer in
                    let head = try transfer.waitForHead()
                    guard head.status == 206 else { return false }
                    var body = try RangedBody(head, request: request)
                    try read(transfer) { bytes in
                        try body.take(bytes) { _ = try reader.take($1) }
                        return reader.table == nil
                    }
                    return true
                }
                if !isRanged { ranges = .fewer(than: 1) }
                start = request.ranges[0].upperBound
            }
            if reader.table != nil { try patch.learn(reader) { try find($0, by: ContentName.init) } }
            return reader.table == nil ? 0 : Int64(reader.bytes.count)
        } catch let error as HTTPClientError where error.isTransient || attempt.isStopped {
            throw error
        } catch is HTTPClientError, is PackUpdateError {
            patch.isUseless = true
            return 0
        }
    }

    /// Learns whether the server gives ranges as a plan wants them: asks for the first byte of each in its first request.
    /// - Returns: whether it gives less, so that there will be another plan.
    private func isRefused(
        _ plan: UpdatePlan, _ patches: [ListedPatchState], _ ranges: inout UpdateFacts.Ranges
    ) throws -> Bool {
        var request = HTTPRequest(url: download.url, expectedLength: download.downloadSize)
        var wanted = plan.blocks.isEmpty ? [] : plan.archiveRanges
        if wanted.isEmpty, let use = plan.patch, ranges != .none {
            let file = patches[use.number].listed.file
            wanted = use.ranges == [0..<file.size] ? [] : use.ranges
            (request.url, request.expectedLength) = (file.url, file.size)
        }
        guard !wanted.isEmpty else { return false }
        request.ranges = wanted.prefix(ranges.perRequest).map { $0.lowerBound..<$0.lowerBound + 1 }
        request.permitsHost = permitsHost
        let asked = request.ranges.count
        do {
            let isGiven = try attempt.fetch(request) { transfer in
                let head = try transfer.waitForHead()
                guard head.status == 206 else { return false }
                var body = try RangedBody(head, request: request)
                try read(transfer) { bytes in
                    try body.take(bytes) { _, _ in }
                    return true
                }
                try body.finish()
                return true
            }
            if isGiven { return false }
        } catch let error as HTTPClientError where error.mayBeOfSeveralRanges && !attempt.isStopped {
            guard asked > 1 else { throw UpdateFetch.Unsuitable(why: error.message) }
        }
        ranges = .fewer(than: asked)
        return true
    }

    /// - Parameter body: takes what comes, and says whether more is wanted.
    private func read(_ transfer: HTTPDownload, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try transfer.read(into: buffer)
            if try count == 0 || !body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])) {
                return
            }
        }
    }
}
