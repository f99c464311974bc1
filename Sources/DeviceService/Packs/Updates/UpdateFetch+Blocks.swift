// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import DeviceProtocol
import HTTP
import Kit
import PackUpdates

extension UpdateFetch {
    /// Puts contents together from pieces that are here and blocks of the archive.
    /// - Returns: contents whose bytes were not right.
    /// - Throws: `Unsuitable`, `HTTPClientError`, `StoreError`, `Errno`
    func bring(
        _ plan: UpdatePlan, _ actions: [UpdatePlan.Action], _ pipeline: UpdatePipeline, _ sources: UpdateSources
    ) throws -> [Int] {
        let assembler = ContentAssembler(
            actions, pipeline.index, pipeline.sink, sources, resumed: pipeline.current, path: pipeline.path,
            made: { [unowned pipeline] in pipeline.open($0) })
        assembler.completed = { [unowned pipeline] in try pipeline.completed($0) }
        defer { pipeline.tally.copied += assembler.copied }
        let runs = zip(plan.blocks, plan.archiveRanges).map { Run(blocks: $0, range: $1) }
        let most = rangesPerRequest
        for start in stride(from: 0, to: runs.count, by: most) {
            try attempt.checkStop()
            guard try fetch(Array(runs[start..<min(start + most, runs.count)]), pipeline, assembler) else {
                return assembler.failed
            }
        }
        guard try assembler.finish() else {
            throw StoreError(.badArchive, "Blocks of the pack \(download.id) are missing.")
        }
        try pipeline.checkpoint()
        return assembler.failed
    }

    /// Neighbouring blocks, and the bytes of the archive that they are.
    private struct Run {
        let blocks: Range<Int>
        let range: Range<Int64>
    }

    var rangesPerRequest: Int { ranges.perRequest }

    /// Fetches runs of blocks with one request.
    /// - Returns: false when the server has shown that it has to be asked in another way.
    private func fetch(_ runs: [Run], _ pipeline: UpdatePipeline, _ assembler: ContentAssembler) throws -> Bool {
        let archive = pipeline.index.archive
        var request = HTTPRequest(url: download.url, ifRange: pipeline.validator, expectedLength: download.downloadSize)
        request.ranges = runs.map(\.range)
        request.permitsHost = permitsHost
        let decoder = try BlocksDecoder(
            letter: archive.letter, blockSize: archive.blockSize, blocks: runs.flatMap(\.blocks).map(archive.expected),
            threads: options.threads)
        decoder.deliver = { try assembler.take($0, $1) }
        decoder.blockEnded = { [unowned pipeline] _ in try pipeline.checkpointIfDue() }
        do {
            let hasCome = try attempt.fetch(request) { transfer in
                let head = try transfer.waitForHead()
                pipeline.tally.requests += 1
                if asksForLess(head, runs.count, pipeline) { return false }
                pipeline.validator = head.resumeValidator
                var body = try RangedBody(head, request: request)
                try read(transfer, counting: pipeline, settle: decoder.settle) { bytes in
                    try body.take(bytes) { try decoder.feed($1) }
                    return true
                }
                try body.finish()
                return true
            }
            guard hasCome else { return false }
            try decoder.finish()
            return true
        } catch {
            // What has come whole counts.
            try? decoder.settle()
            if asksForLess(error, runs.count, pipeline) { return false }
            if let error = error as? HTTPClientError, error.status == 416 {
                throw Unsuitable(why: error.message)
            }
            if let error = error as? ArchiveError { throw Unsuitable(why: error.message) }
            throw error
        }
    }

    /// Whether an answer is the whole file although ranges were asked for; it is not read then. Many servers, of object stores
    /// too, answer so when asked for several ranges and give single ones, so only then it means that they give none.
    func asksForLess(_ head: HTTPResponse, _ asked: Int, _ pipeline: UpdatePipeline) -> Bool {
        guard head.status == 200, asked > 0 else { return false }
        askForFewer(than: asked, pipeline)
        return true
    }

    /// Whether a failure shows that the server gives one range only.
    func asksForLess(_ error: any Error, _ asked: Int, _ pipeline: UpdatePipeline) -> Bool {
        guard let error = error as? HTTPClientError, asked > 1, rangesPerRequest > 1, error.mayBeOfSeveralRanges
        else { return false }
        askForFewer(than: asked, pipeline)
        return true
    }

    private func askForFewer(than asked: Int, _ pipeline: UpdatePipeline) {
        ranges = .fewer(than: asked)
        note(
            asked > 1
                ? "the server gives no several ranges at once" : Unsuitable.noRanges,
            pipeline)
    }
}

extension UpdateFacts.Ranges {
    /// How many to ask for at once.
    var perRequest: Int {
        switch self {
        case .none, .single: 1
        case .several(let most): max(1, most)
        }
    }
}

extension HTTPClientError {
    /// Whether another request, for one range, may fare better. Servers refuse several with 400, 403, 416, or 501.
    var mayBeOfSeveralRanges: Bool {
        code == .badResponse || !isTransient && status.map { ![401, 404, 410].contains($0) } ?? false
    }
}

extension PackIndex.Archive {
    /// What a decoder is to expect of a block.
    func expected(_ block: Int) -> BlocksDecoder.Block {
        BlocksDecoder.Block(
            streamOffset: Int64(block) * Int64(blockSize), contentSize: contentSize(of: block),
            storedSize: storedSizes[block])
    }
}
