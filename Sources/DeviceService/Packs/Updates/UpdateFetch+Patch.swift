// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Deltas
import DeviceProtocol
import HTTP
import Kit
import PackNamespace
import PackUpdates
import System

extension UpdateFetch {
    private static let tableName = "patch"

    /// Knows the table of the patch again that was being applied.
    func resumePatch(_ pipeline: UpdatePipeline) throws {
        guard let progress = pipeline.patch,
            let number = patches.firstIndex(where: { $0.listed.file.digest == progress.file }),
            let bytes = try? File.read(staged.directory.appending(Self.tableName), limit: PatchTable.maximumSize),
            var reader = reader(of: number, pipeline),
            (try? bytes.withUnsafeBytes { try reader.take($0) }) == bytes.count, reader.table != nil
        else { return }
        try patches[number].learn(reader) { try find($0, by: ContentName.init) }
    }

    private func reader(of number: Int, _ pipeline: UpdatePipeline) -> PatchTableReader? {
        patches[number].reader(pipeline.index, pipeline.indexDigest, old: starts.files(of: patches[number].listed))
    }

    /// Applies groups of a patch; what they do not give is planned anew.
    /// - Throws: `HTTPClientError` for what may pass; `StoreError`, `Errno`
    func bring(_ use: UpdatePlan.PatchUse, _ pipeline: UpdatePipeline, _ sources: UpdateSources) throws {
        guard patches[use.number].table != nil else { return try look(at: use.number, pipeline, sources) }
        try withPatch(use.number, asking: use.ranges.count, pipeline) { try fetch(use, pipeline) }
    }

    /// Learns what is in a patch, and applies it at once when that is the cheapest.
    /// - Throws: as `bring`
    func look(at number: Int, _ pipeline: UpdatePipeline, _ sources: UpdateSources) throws {
        try withPatch(number, asking: 1, pipeline) { try stream(number, pipeline, sources) }
    }

    /// What is wrong with a patch ends its use, and not the update.
    private func withPatch(
        _ number: Int, asking ranges: Int, _ pipeline: UpdatePipeline, _ body: () throws -> Void
    ) throws {
        do {
            try body()
        } catch {
            if asksForLess(error, ranges, pipeline) { return }
            let why: String
            switch error {
            case let error as HTTPClientError where !error.isTransient && !attempt.isStopped: why = error.message
            case let error as PackUpdateError: why = error.message
            case let error as DeltaError: why = error.message
            default: throw error
            }
            patches[number].isUseless = true
            note(why, pipeline)
        }
    }

    /// Fetches a patch of which nothing is known, and applies it as it comes, unless its table shows that less will do.
    private func stream(_ number: Int, _ pipeline: UpdatePipeline, _ sources: UpdateSources) throws {
        let listed = patches[number].listed
        guard var reader = reader(of: number, pipeline) else {
            throw PackUpdateError(.mismatch, "The manifest lists a patch whose base has no digest.")
        }
        var request = HTTPRequest(url: listed.file.url, expectedLength: listed.file.size)
        request.permitsHost = permitsHost
        var run: PatchRun?
        var isEnough = false
        var offset: Int64 = 0
        defer { run?.settle(self, pipeline) }
        try attempt.fetch(request) { transfer in
            _ = try transfer.waitForHead()
            pipeline.tally.requests += 1
            try read(transfer, counting: pipeline, settle: { try run?.settle() }) { bytes in
                let taken = try reader.take(bytes)
                if run == nil, reader.table != nil {
                    try patches[number].learn(reader) { try find($0, by: ContentName.init) }
                    try AtomicFile.write(
                        reader.bytes, to: staged.directory.appending(Self.tableName), durable: false)
                    let plan = planner(pipeline, sources).plan()
                    guard let use = plan.patch, use.number == number, isWorthAll(use, listed.file.size) else {
                        isEnough = true
                        return false
                    }
                    run = try PatchRun(self, use, pipeline)
                }
                try run?.applier.take(
                    offset + Int64(taken), UnsafeRawBufferPointer(rebasing: bytes.dropFirst(taken)))
                offset += Int64(bytes.count)
                return true
            }
        }
        if isEnough { return }
        guard let run else { throw PackUpdateError(.damagedPatch, "The patch ends before its table does.") }
        try run.finish()
    }

    /// Whether the rest of the file may as well come along.
    private func isWorthAll(_ use: UpdatePlan.PatchUse, _ size: Int64) -> Bool {
        let wanted = use.ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        return ranges == .none || size - wanted <= UpdateFacts.Costs().request * Int64(max(1, use.ranges.count))
    }

    /// Fetches and applies some groups.
    private func fetch(_ use: UpdatePlan.PatchUse, _ pipeline: UpdatePipeline) throws {
        let file = patches[use.number].listed.file
        let run = try PatchRun(self, use, pipeline)
        defer { run.settle(self, pipeline) }
        let isAll = use.ranges == [0..<file.size]
        for start in stride(from: 0, to: use.ranges.count, by: rangesPerRequest) {
            try attempt.checkStop()
            var request = HTTPRequest(url: file.url, expectedLength: file.size)
            if !isAll { request.ranges = Array(use.ranges[start..<min(start + rangesPerRequest, use.ranges.count)]) }
            request.permitsHost = permitsHost
            let hasCome = try attempt.fetch(request) { transfer in
                let head = try transfer.waitForHead()
                pipeline.tally.requests += 1
                if asksForLess(head, request.ranges.count, pipeline) { return false }
                guard !isAll else {
                    var offset: Int64 = 0
                    try read(transfer, counting: pipeline, settle: run.settle) { bytes in
                        try run.applier.take(offset, bytes)
                        offset += Int64(bytes.count)
                        return true
                    }
                    return true
                }
                var body = try RangedBody(head, request: request)
                try read(transfer, counting: pipeline, settle: run.settle) { bytes in
                    try body.take(bytes) { try run.applier.take($0, $1) }
                    return true
                }
                try body.finish()
                return true
            }
            guard hasCome else { return }
        }
        try run.finish()
    }

    /// Groups of a patch that are being applied.
    private final class PatchRun {
        let applier: PatchApplier
        private let staging: PatchStaging
        private let number: Int

        init(_ fetch: UpdateFetch, _ use: UpdatePlan.PatchUse, _ pipeline: UpdatePipeline) throws {
            let patch = fetch.patches[use.number]
            number = use.number
            staging = PatchStaging(pipeline, patch.listed.file.digest, bases: patch.bases)
            guard let table = patch.table else {
                throw PackUpdateError(.damagedPatch, "The patch is damaged: it has no table.")
            }
            applier = try PatchApplier(
                table, ranges: patch.ranges, index: pipeline.index, groups: use.groups,
                from: patch.position(pipeline).flatMap { use.groups.contains($0.group) ? $0 : nil }, sink: staging)
        }

        /// All has come.
        func finish() throws {
            try applier.finish()
            try staging.settle()
        }

        /// Hands over what was made of what has come so far.
        func settle() throws {
            try applier.settle()
            try staging.settle()
        }

        /// Whatever ended it: what was decoded counts, and what failed is not asked of this patch again.
        func settle(_ fetch: UpdateFetch, _ pipeline: UpdatePipeline) {
            try? applier.settle()
            try? staging.settle()
            guard let reason = staging.reason else { return }
            fetch.patches[number].fail(staging.failed)
            fetch.note("its patch does not give all: \(reason)", pipeline)
        }
    }
}
