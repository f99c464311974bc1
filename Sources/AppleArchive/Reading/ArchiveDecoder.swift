// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Reads an Apple Archive that comes in pieces of any size, and gives its entries to a sink.
///
/// The archive may be a `pbz?` wrapper of compressed blocks, bare entries, or bare entries in one xz, gzip, zlib, LZFSE,
/// LZ4 or LZBITMAP stream. Blocks are decompressed by own threads and delivered in order on the feeding thread; memory is a few
/// blocks for each thread, whatever the archive claims. Use it from one thread; after an error it only repeats it.
package final class ArchiveDecoder {
    private enum Container {
        /// The start of the archive, until there is enough to tell what it is.
        case unknown([UInt8])
        case blocks(BlockReader)
        case bare
        case stream(any StreamDecoder)
    }

    /// How often a bare stream gives a checkpoint, in bytes.
    private static let bareCheckpointInterval: UInt64 = 4 << 20
    private static let wrapperHeadSize = ArchiveBlock.wrapperHeadSize

    /// Called at a block's end, when the sink has had all bytes before it; of a bare stream every 4 MiB. One compressed
    /// stream gives none. What it throws ends the decoding.
    package var onCheckpoint: ((ArchiveCheckpoint) throws -> Void)?

    /// Called when the head of a block was read, which is before the block's content comes to the sink. Bare and wholly
    /// compressed streams have no blocks. What it throws ends the decoding.
    package var onBlock: ((ArchiveBlock) throws -> Void)?

    private let sink: any ArchiveSink
    private let limits: ArchiveLimits
    private let threads: Int
    private var container: Container
    private var parser: EntryParser
    private var nextBareCheckpoint: UInt64
    private var failure: (any Error)?

    /// - Parameters:
    ///   - threads: how many threads decompress; 0 means one for each core.
    ///   - resuming: a checkpoint of the same archive; feed from its `archiveOffset`.
    /// - Throws: `ArchiveError.badCheckpoint` for a checkpoint that cannot be gone on from.
    package init(
        sink: any ArchiveSink, limits: ArchiveLimits = .default, threads: Int = 0,
        resuming checkpoint: ArchiveCheckpoint? = nil
    ) throws {
        self.sink = sink
        self.limits = limits
        self.threads = threads
        guard let checkpoint else {
            container = .unknown([])
            parser = EntryParser(limits: limits)
            nextBareCheckpoint = Self.bareCheckpointInterval
            return
        }
        parser = try EntryParser(limits: limits, resuming: checkpoint.parser, at: checkpoint.streamOffset)
        nextBareCheckpoint = checkpoint.streamOffset + Self.bareCheckpointInterval
        if let letter = checkpoint.algorithm {
            let reader = try BlockReader(
                algorithm: BlockAlgorithm(rawValue: letter), blockSize: checkpoint.blockSize,
                archiveOffset: checkpoint.archiveOffset, threads: threads,
                largestHeldBlock: limits.largestHeldBlock)
            container = .blocks(reader)
            connect(reader)
        } else {
            container = .bare
        }
    }

    /// How the archive is cut in blocks; nil before its head was read, and for an archive without a wrapper.
    package var blockFormat: ArchiveBlockFormat? {
        guard case .blocks(let reader) = container else { return nil }
        return ArchiveBlockFormat(letter: reader.algorithm.rawValue, blockSize: reader.blockSize)
    }

    /// Takes the next bytes of the archive and gives the sink what is ready.
    /// - Throws: `ArchiveError`, or what the sink throws.
    package func feed(_ bytes: UnsafeRawBufferPointer) throws {
        guard !bytes.isEmpty else { return }
        try guarded {
            switch container {
            case .unknown(let start): try identify(start + bytes, isWhole: false)
            default: try take(bytes)
            }
        }
    }

    /// Gives the sink all that can be made of what was fed so far, checkpoints included; feeding may go on.
    /// - Throws: `ArchiveError`, or what the sink throws.
    package func settle() throws {
        try guarded {
            if case .blocks(let reader) = container { try reader.settle() }
        }
    }

    /// Says that the archive is complete and waits for what is still being decompressed.
    /// - Throws: `ArchiveError.truncated` when it is not.
    package func finish() throws {
        try guarded {
            if case .unknown(let start) = container { try identify(start, isWhole: true) }
            switch container {
            case .unknown:
                throw ArchiveError(.truncated, "The archive ends within its first bytes; fetch or copy it again.")
            case .blocks(let reader): try reader.finish()
            case .stream(let decoder): try decodeStream { try decoder.finish(to: $0) }
            case .bare: break
            }
            guard parser.isAtBoundary else {
                throw ArchiveError(
                    .truncated, "The archive ends within an entry, at offset \(parser.offset); fetch or copy it again.")
            }
        }
    }

    private func guarded(_ body: () throws -> Void) throws {
        if let failure { throw failure }
        do {
            try body()
        } catch {
            failure = error
            throw error
        }
    }

    private func identify(_ start: [UInt8], isWhole: Bool) throws {
        guard isWhole || start.count >= ArchiveFormat.prefixSize else {
            container = .unknown(start)
            return
        }
        var rest = start[...]
        let format = try ArchiveFormat(start)
        switch format {
        case .blocks(let algorithm):
            // Refused by name before the rest of the head has come.
            _ = try algorithm.makeCodec()
            guard start.count >= Self.wrapperHeadSize else {
                container = .unknown(start)
                return
            }
            let blockSize = start[4..<12].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let reader = try BlockReader(
                algorithm: algorithm, blockSize: blockSize, archiveOffset: UInt64(Self.wrapperHeadSize),
                threads: threads,
                largestHeldBlock: limits.largestHeldBlock)
            rest = rest.dropFirst(Self.wrapperHeadSize)
            container = .blocks(reader)
            connect(reader)
        default:
            container = format.makeStreamDecoder().map { .stream($0) } ?? .bare
        }
        try rest.withUnsafeBytes { try take($0) }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws {
        switch container {
        case .unknown: break
        case .blocks(let reader): try reader.feed(bytes)
        case .stream(let decoder): try decodeStream { try decoder.decode(bytes, to: $0) }
        case .bare: try takeBare(bytes)
        }
    }

    private func takeBare(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let distance = Int(clamping: nextBareCheckpoint - parser.offset)
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(distance))
            try parser.consume(part, sink)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
            if parser.offset == nextBareCheckpoint {
                nextBareCheckpoint += Self.bareCheckpointInterval
                try onCheckpoint?(
                    ArchiveCheckpoint(
                        archiveOffset: parser.offset, streamOffset: parser.offset, algorithm: nil, blockSize: 0,
                        parser: parser.state))
            }
        }
    }

    private func connect(_ reader: BlockReader) {
        reader.blockBegan = { [unowned self] block in try onBlock?(block) }
        reader.deliver = { [unowned self] bytes in try parser.consume(bytes, sink) }
        reader.blockEnded = { [unowned self, unowned reader] offset in
            try onCheckpoint?(
                ArchiveCheckpoint(
                    archiveOffset: offset, streamOffset: parser.offset, algorithm: reader.algorithm.rawValue,
                    blockSize: reader.blockSize, parser: parser.state))
        }
    }

    private func decodeStream(_ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        do {
            try body { try parser.consume($0, sink) }
        } catch let error as CodecFailure {
            let code: ArchiveError.Code = error == .truncated ? .truncated : .corrupt
            throw ArchiveError(
                code, "The archive's compressed stream \(error.text); fetch or copy it again.", cause: error)
        }
    }
}
