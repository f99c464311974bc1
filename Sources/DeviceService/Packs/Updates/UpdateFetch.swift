// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import DeviceProtocol
import HTTP
import Kit
import PackNamespace
import PackUpdates
import System

/// One attempt to make a pack local out of what is: asks for the index, then for as little else as will do. It runs within the
/// attempt of a `PackFetch`, which fetches the archive whole when this does not work out.
final class UpdateFetch {
    /// The update cannot be done this way; the archive is fetched whole. The end of a sentence.
    struct Unsuitable: Error {
        let why: String
    }

    let download: PackDownload
    let staged: StagedPack
    private let attempt: TransferAttempt
    private let options: PackPipeline.Options
    private let permitsHost: HostRule?
    private let makeRoom: PackFetch.RoomCheck?
    private let report: (PackFetch.Progress) -> Void
    private let log: Logger
    private var pipeline: UpdatePipeline?
    private var lastReport = ContinuousClock.now
    /// Bytes of files that are to come over the network, as far as that is known.
    private var expected: Int64 = 0
    private(set) var brought = false
    /// How many ranges a request asks for: fewer once the server has shown that it does not give several.
    private var rangesPerRequest = BlockRanges.rangesPerRequest

    init(
        _ download: PackDownload, staged: StagedPack, attempt: TransferAttempt, options: PackPipeline.Options,
        permitsHost: HostRule?, makeRoom: PackFetch.RoomCheck?, log: Logger,
        report: @escaping (PackFetch.Progress) -> Void
    ) {
        self.download = download
        self.staged = staged
        self.attempt = attempt
        self.options = options
        self.permitsHost = permitsHost
        self.makeRoom = makeRoom
        self.log = log
        self.report = report
    }

    /// Stages the new version, checked and flushed. Blocks: for an owned thread.
    /// - Parameter own: the folders of the pack's local versions.
    /// - Returns: what it took.
    /// - Throws: `Unsuitable` when the archive is to be fetched whole; `HTTPClientError`, `StoreError`, `Errno`.
    func run(own: [FilePath], directory: String) throws -> PackArrival {
        let (index, digest, moved) = try fetchIndex()
        let pipeline = try UpdatePipeline(
            download, staged: staged, index: index, digest: digest, options: options)
        self.pipeline = pipeline
        pipeline.tally.moved += moved.bytes
        pipeline.tally.requests += moved.requests
        do {
            try bring(pipeline, own)
            try attempt.checkStop()
            report(progress(pipeline, isFinishing: true))
            _ = try pipeline.finish(directory: directory)
            return pipeline.tally
        } catch let error as HTTPClientError where attempt.isStopped || error.isTransient {
            // Should this fail, less is kept, and whatever is wrong shows again when it goes on.
            try? pipeline.checkpoint()
            throw error
        }
    }

    // MARK: - The index

    private func fetchIndex() throws -> (PackIndex, Digest, (bytes: Int64, requests: Int)) {
        guard let file = download.index else { throw Unsuitable(why: "the manifest lists no index") }
        let kept = staged.directory.appending("index")
        if let bytes = try? File.read(kept, limit: PackIndex.maximumSize), SHA256.hash(bytes) == file.digest {
            return (try decode(bytes), file.digest, (0, 0))
        }
        let bytes = try fetchWhole(file)
        guard SHA256.hash(bytes) == file.digest else {
            throw Unsuitable(why: "its index is not the one that is listed")
        }
        let index = try decode(bytes)
        // Kept for when this goes on: an update that begins empties the folder first.
        indexBytes = bytes
        return (index, file.digest, (Int64(bytes.count), 1))
    }

    /// What is to be kept of the index once the folder is made.
    private var indexBytes: [UInt8]?

    private func decode(_ bytes: [UInt8]) throws -> PackIndex {
        do {
            let index = try PackIndex(decoding: bytes)
            guard index.archive.size == download.downloadSize,
                download.digest == nil || index.archive.digest.hex == download.digest
            else { throw Unsuitable(why: "its index is of another archive") }
            if let installed = download.installedSize, index.installedSize != installed {
                throw Unsuitable(why: "its index lists other sizes than the manifest")
            }
            return index
        } catch let error as PackUpdateError {
            throw Unsuitable(why: error.message)
        }
    }

    /// A small file, whole.
    private func fetchWhole(_ file: PackDownload.ListedFile) throws -> [UInt8] {
        guard file.size > 0, file.size <= PackIndex.maximumSize else { throw Unsuitable(why: "its index is too large") }
        var request = HTTPRequest(url: file.url, expectedLength: file.size)
        request.permitsHost = permitsHost
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(file.size))
        do {
            try attempt.fetch(request) { transfer in
                _ = try transfer.waitForHead()
                try read(transfer) { bytes.append(contentsOf: $0) }
            }
        } catch let error as HTTPClientError where !error.isTransient && !attempt.isStopped {
            throw Unsuitable(why: error.message)
        }
        return bytes
    }

    // MARK: - Contents

    private func bring(_ pipeline: UpdatePipeline, _ own: [FilePath]) throws {
        if let indexBytes {
            try AtomicFile.write(indexBytes, to: staged.directory.appending("index"), durable: false)
        }
        let check = { [attempt] in try attempt.checkStop() }
        let wrong = try linkLocal(pipeline, own, check)
        if !pipeline.missing.isEmpty {
            let old = try chunkPlaces(pipeline, own, check)
            try fetchBlocks(
                pipeline, place: { content, chunk in wrong.contains(content) ? nil : old.places[chunk] }, old.files)
        }
        // What local pieces did not give is taken from the archive alone.
        if !pipeline.missing.isEmpty {
            note("local files were damaged", pipeline)
            try fetchBlocks(pipeline, place: { _, _ in nil }, [])
        }
        guard pipeline.missing.isEmpty else { throw Unsuitable(why: "its archive does not hold what its index says") }
    }

    private func note(_ what: String, _ pipeline: UpdatePipeline) {
        if !pipeline.tally.notes.contains(what) { pipeline.tally.notes.append(what) }
        log.notice("An update goes another way", ["pack": download.id, "because": what])
    }

    private func linkLocal(
        _ pipeline: UpdatePipeline, _ own: [FilePath], _ check: () throws -> Void
    ) throws -> Set<Int> {
        let missing = pipeline.missing
        let index = pipeline.index
        var wanted: [Digest: Int] = [:]
        for content in missing.keys { wanted[index.contents[content].digest] = content }
        let found = try LocalVersions(appRoot: staged.layout.root).find(
            Set(wanted.keys), first: own, isCancelled: check)
        var local: [Int: LocalFile] = [:]
        for (digest, file) in found {
            guard let content = wanted[digest], index.contents[content].size == Int64(clamping: file.size) else {
                continue
            }
            local[content] = file
        }
        let wrong = try pipeline.link(local, isCancelled: check)
        try pipeline.checkpoint()
        report(progress(pipeline))
        return wrong
    }

    /// Where chunks that the new version needs are in the old one's files.
    private func chunkPlaces(
        _ pipeline: UpdatePipeline, _ own: [FilePath], _ check: () throws -> Void
    ) throws -> ChunkPlaces {
        let index = pipeline.index
        var wanted: Set<ContentChunker.Chunk> = []
        for content in pipeline.missing.keys { wanted.formUnion(index.chunks(of: content)) }
        guard !wanted.isEmpty else { return ChunkPlaces() }
        let kept = Set(index.contents.map(\.digest))
        let files = own.flatMap(LocalVersions.files).filter { !kept.contains($0.digest) && $0.size > 0 }
        return try ChunkPlaces(of: wanted, in: files, average: index.chunkAverage, isCancelled: check)
    }

    // MARK: - Blocks

    private func fetchBlocks(
        _ pipeline: UpdatePipeline, place: (Int, ContentChunker.Chunk) -> ContentWork.ChunkPlace?, _ files: [LocalFile]
    ) throws {
        let index = pipeline.index
        let missing = pipeline.missing
        // The file that is being written goes on only where its content does.
        let current = pipeline.current
        if current == nil || missing[current ?? 0] == nil { try pipeline.abandon() }
        let work = ContentWork(index, missing, place: place)
        var ranges = BlockRanges(index, blocks: work.blocks)
        guard ranges.size + Int64(ranges.requests(of: rangesPerRequest)) * Self.requestWeight < download.downloadSize
        else {
            throw Unsuitable(why: "fetching its archive whole takes less than its parts")
        }
        expected = pipeline.tally.moved + ranges.size
        let toWrite = missing.reduce(Int64(0)) { $0 + index.contents[$1.key].size - $1.value }
        try makeRoom?(download.downloadSize - ranges.size, max(0, (download.installedSize ?? 0) - toWrite))
        let assembler = ContentAssembler(
            work, index, pipeline.sink, files: files, resumed: current.flatMap { missing[$0] == nil ? nil : $0 },
            path: pipeline.path)
        assembler.completed = { [unowned pipeline] in try pipeline.completed($0) }
        defer { pipeline.tally.copied += assembler.copied }
        var left = ranges.runs[...]
        while !left.isEmpty {
            try attempt.checkStop()
            let now = Array(left.prefix(rangesPerRequest))
            var done = 0
            do {
                try fetch(now, pipeline, assembler) { done += 1 }
                left = left.dropFirst(now.count)
            } catch let error as HTTPClientError
                where error.code == .badResponse && rangesPerRequest > 1 && now.count > 1
            {
                note("the server gives no several ranges at once", pipeline)
                rangesPerRequest = 1
                // Blocks whose bytes were taken are not asked for again.
                ranges = BlockRanges(index, blocks: left.flatMap(\.blocks).dropFirst(done))
                left = ranges.runs[...]
            }
        }
        guard try assembler.finish() else {
            throw StoreError(.badArchive, "Blocks of the pack \(download.id) are missing.")
        }
        try pipeline.checkpoint()
    }

    /// What a request costs besides its bytes: some round trips.
    private static let requestWeight: Int64 = 32 << 10

    /// Fetches runs of blocks with one request.
    private func fetch(
        _ runs: [BlockRanges.Run], _ pipeline: UpdatePipeline, _ assembler: ContentAssembler,
        blockDone: @escaping () -> Void
    ) throws {
        let archive = pipeline.index.archive
        var request = HTTPRequest(url: download.url, ifRange: pipeline.validator, expectedLength: download.downloadSize)
        request.ranges = runs.map(\.range)
        request.permitsHost = permitsHost
        let decoder = try BlocksDecoder(
            letter: archive.letter, blockSize: archive.blockSize, blocks: runs.flatMap(\.blocks).map(archive.expected),
            threads: options.threads)
        decoder.deliver = { try assembler.take($0, $1) }
        decoder.blockEnded = { [unowned pipeline] _ in
            blockDone()
            try pipeline.checkpointIfDue()
        }
        do {
            try attempt.fetch(request) { transfer in
                let head = try transfer.waitForHead()
                pipeline.tally.requests += 1
                guard head.status == 206 else {
                    throw Unsuitable(why: "its server gives no ranges, or another file by now")
                }
                pipeline.validator = head.resumeValidator
                var body = try RangedBody(head, request: request)
                try read(transfer, counting: pipeline) { bytes in
                    try body.take(bytes) { try decoder.feed($1) }
                }
                try body.finish()
            }
            try decoder.finish()
        } catch {
            // What has come whole counts.
            try? decoder.settle()
            if let error = error as? HTTPClientError, error.status == 416 {
                throw Unsuitable(why: error.message)
            }
            if let error = error as? ArchiveError { throw Unsuitable(why: error.message) }
            throw error
        }
    }

    // MARK: - Reading

    private func read(
        _ transfer: HTTPDownload, counting pipeline: UpdatePipeline? = nil,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: TransferAttempt.bufferSize, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            let count = try transfer.read(into: buffer)
            if count == 0 { return }
            brought = true
            try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            guard let pipeline else { continue }
            pipeline.tally.moved += Int64(count)
            let now = ContinuousClock.now
            if now - lastReport >= TransferAttempt.reportInterval {
                lastReport = now
                attempt.note(transfer, total: pipeline.tally.moved)
                report(progress(pipeline))
            }
        }
    }

    private func progress(_ pipeline: UpdatePipeline, isFinishing: Bool = false) -> PackFetch.Progress {
        PackFetch.Progress(
            downloaded: pipeline.tally.moved, expected: max(expected, pipeline.tally.moved),
            unpacked: pipeline.unpacked, isFinishing: isFinishing)
    }
}
