// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Reads the `pbz?` wrapper (AA 2): block heads and payloads in, content out, in order. Blocks that fit in memory are
/// decompressed by threads; larger ones pass in pieces, so that no claim of an archive decides how much memory is used.
final class BlockReader {
    static let headSize = 16

    private enum Phase {
        /// Between blocks; holds the part of a head that has come.
        case head([UInt8])
        /// Gathers the payload of a block that a thread will decompress.
        case held(BlockJob, remaining: Int)
        /// A stored block too large to hold passes straight through.
        case passing(remaining: UInt64)
        /// A compressed block too large to hold is decompressed here, piece by piece.
        case streaming(any StreamDecoder, StreamedBlock)
    }

    private struct StreamedBlock {
        var start: UInt64
        var storedRemaining: UInt64
        var contentRemaining: UInt64
    }

    let algorithm: BlockAlgorithm
    let blockSize: UInt64
    /// The next byte of the archive.
    private(set) var archiveOffset: UInt64
    private var phase = Phase.head([])
    private let largestHeldBlock: Int
    private let pipeline: OrderedPipeline<BlockJob>
    private var spareJobs: [BlockJob] = []
    /// Takes content; called on the feeding thread.
    var deliver: ((UnsafeRawBufferPointer) throws -> Void)?
    /// A block begins; called before any of its content is delivered, and ahead of that.
    var blockBegan: ((ArchiveBlock) throws -> Void)?
    /// A block's content was all delivered; the argument is where the next block begins.
    var blockEnded: ((UInt64) throws -> Void)?

    /// - Throws: `ArchiveError` for a compression that is not known or a block size of 0.
    init(
        algorithm: BlockAlgorithm, blockSize: UInt64, archiveOffset: UInt64, threads: Int, largestHeldBlock: Int
    ) throws {
        // Refuses by name before any thread needs a codec.
        _ = try algorithm.makeCodec()
        guard blockSize > 0 else {
            throw ArchiveError(.corrupt, "The archive declares blocks of 0 bytes; it is damaged.")
        }
        self.algorithm = algorithm
        self.blockSize = blockSize
        self.archiveOffset = archiveOffset
        self.largestHeldBlock = largestHeldBlock
        pipeline = OrderedPipeline(threads: threads) {
            let codec = try? algorithm.makeCodec()
            return { job in
                if let codec { job.run(codec) } else { job.failure = CodecFailure.library("no codec") }
            }
        }
    }

    func feed(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let taken = try take(rest)
            archiveOffset += UInt64(taken)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
            try closeBlock()
        }
        try deliverFinished(downTo: 0, waiting: false)
    }

    /// Waits for the blocks that are being decompressed and delivers them.
    func settle() throws { try deliverFinished(downTo: 0, waiting: true) }

    func finish() throws {
        try deliverFinished(downTo: 0, waiting: true)
        guard case .head(let part) = phase, part.isEmpty else {
            throw ArchiveError(
                .truncated, "The archive ends within a block, at byte \(archiveOffset); fetch or copy it again.")
        }
    }

    /// Takes what the phase needs of `bytes`, which are not empty, and returns how much that was.
    private func take(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        switch phase {
        case .head(var part):
            let piece = bytes.prefix(Self.headSize - part.count)
            part += piece
            phase = .head(part)
            return piece.count
        case .held(let job, let remaining):
            let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(remaining))
            job.stored.append(piece)
            phase = .held(job, remaining: remaining - piece.count)
            return piece.count
        case .passing(let remaining):
            let count = Int(min(UInt64(bytes.count), remaining))
            try deliver?(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
            phase = .passing(remaining: remaining - UInt64(count))
            return count
        case .streaming(let decoder, var block):
            let count = Int(min(UInt64(bytes.count), block.storedRemaining))
            block.storedRemaining -= UInt64(count)
            try stream(decoder, &block) { output in
                try decoder.decode(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), to: output)
            }
            phase = .streaming(decoder, block)
            return count
        }
    }

    /// Moves on when the phase has all it needs.
    private func closeBlock() throws {
        switch phase {
        case .head(let head):
            if head.count == Self.headSize { try open(head) }
        case .held(let job, 0):
            phase = .head([])
            job.end = archiveOffset
            pipeline.submit(job)
            try deliverFinished(downTo: pipeline.capacity - 1, waiting: true)
        case .passing(0):
            phase = .head([])
            try blockEnded?(archiveOffset)
        case .streaming(let decoder, var block) where block.storedRemaining == 0:
            try stream(decoder, &block) { try decoder.finish(to: $0) }
            guard block.contentRemaining == 0 else { throw failure(CodecFailure.wrongSize, at: block.start) }
            phase = .head([])
            try blockEnded?(archiveOffset)
        default:
            break
        }
    }

    private func open(_ head: [UInt8]) throws {
        let (size, stored) = head.withUnsafeBytes {
            (
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        guard size <= blockSize, stored <= size, size < 1 << 62 else {
            // What came before is read first, so that the first thing wrong is what is told.
            try deliverFinished(downTo: 0, waiting: true)
            throw ArchiveError(
                .corrupt,
                "The block at byte \(archiveOffset) claims \(size) bytes in \(stored), of at most \(blockSize); the archive is damaged."
            )
        }
        guard size == stored || algorithm != .stored else {
            try deliverFinished(downTo: 0, waiting: true)
            throw ArchiveError(
                .corrupt,
                "The block at byte \(archiveOffset) claims \(size) bytes in \(stored), but the archive's blocks are not "
                    + "compressed (pbz-); it is damaged.")
        }
        try blockBegan?(
            ArchiveBlock(
                archiveOffset: archiveOffset - UInt64(Self.headSize), contentSize: size, storedSize: stored))
        if size <= UInt64(clamping: largestHeldBlock) {
            let job = spareJobs.popLast() ?? BlockJob()
            job.stored.reset(capacity: Int(stored))
            job.contentSize = Int(size)
            job.isStored = size == stored
            job.start = archiveOffset
            job.failure = nil
            phase = .held(job, remaining: Int(stored))
        } else {
            try deliverFinished(downTo: 0, waiting: true)
            phase =
                size == stored
                ? .passing(remaining: size)
                : .streaming(
                    try algorithm.makeStreamDecoder(),
                    StreamedBlock(start: archiveOffset, storedRemaining: stored, contentRemaining: size))
        }
        // A block without payload is complete at once.
        if stored == 0 { try closeBlock() }
    }

    private func stream(
        _ decoder: any StreamDecoder, _ block: inout StreamedBlock,
        _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        var remaining = block.contentRemaining
        do {
            try body { bytes in
                guard UInt64(bytes.count) <= remaining else { throw CodecFailure.wrongSize }
                remaining -= UInt64(bytes.count)
                try deliver?(bytes)
            }
        } catch let error as CodecFailure {
            throw failure(error, at: block.start)
        }
        block.contentRemaining = remaining
    }

    /// Delivers blocks in order until no more than `count` are in flight, or the next is not ready and not waited for.
    private func deliverFinished(downTo count: Int, waiting: Bool) throws {
        while pipeline.inFlight > 0 {
            guard let job = pipeline.next(waiting: waiting && pipeline.inFlight > count) else { return }
            if let problem = job.failure { throw failure(problem, at: job.start) }
            if !job.result.isEmpty { try deliver?(job.result) }
            spareJobs.append(job)
            try blockEnded?(job.end)
        }
    }

    private func failure(_ problem: any Error, at start: UInt64) -> ArchiveError {
        let text = (problem as? CodecFailure)?.text ?? "could not be decoded"
        return ArchiveError(
            .corrupt,
            "The \(algorithm.name ?? "compressed") block at byte \(start) \(text); fetch or copy the archive again.",
            cause: problem)
    }
}
