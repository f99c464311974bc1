// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// Writes an Apple Archive: the same entries give the same bytes, however many threads compress.
///
/// Entries are written in the order they are appended; Apple's tools sort them by path, a folder before what is in it.
/// Content is read and compressed by own threads behind the caller, and written out on the caller's thread.
package final class ArchiveWriter {
    /// Block sizes a writer takes, in bytes. Apple advises 256 KiB to 16 MiB.
    package static let blockSizes = 1 << 10...32 << 20
    /// What Apple's `aa archive` uses.
    package static let defaultBlockSize = 4 << 20

    /// Takes the archive's next bytes.
    package typealias Output = (UnsafeRawBufferPointer) throws -> Void

    /// Called when a block was written, with the bytes of the uncompressed stream written so far.
    package var onProgress: ((UInt64) -> Void)?
    /// Called with each block in order, on the thread that calls the writer: its content, and how many bytes it takes in
    /// the archive, without its head. Without compression there are no blocks, and the pieces of the stream come as if
    /// they were. What it throws ends the writing.
    package var onBlock: ((_ content: UnsafeRawBufferPointer, _ storedSize: Int) throws -> Void)?
    /// Size of the archive so far, in bytes.
    package private(set) var archiveSize: UInt64 = 0
    /// Size of the uncompressed stream so far, in bytes.
    package private(set) var streamSize: UInt64 = 0

    private let output: Output
    private let compression: Compression
    private let blockSize: Int
    private let fields: ArchiveFields
    private let pipeline: OrderedPipeline<PackJob>
    private let workspace: ArchiveWorkspace
    private var current: PackJob
    private var failure: (any Error)?
    private var finished = false

    /// - Parameters:
    ///   - output: takes the archive's bytes, in order, on the thread that calls the writer.
    ///   - blockSize: of the uncompressed stream, in bytes; within `blockSizes`.
    ///   - threads: how many threads compress; 0 means one for each core.
    ///   - fields: which optional header fields are written.
    ///   - workspace: has the calling thread compress with this memory, and no other thread is started.
    package init(
        output: @escaping Output, compression: Compression = .lzfse, blockSize: Int = ArchiveWriter.defaultBlockSize,
        threads: Int = 0, fields: ArchiveFields = .all, workspace: ArchiveWorkspace? = nil
    ) throws {
        guard Self.blockSizes.contains(blockSize) else {
            throw ArchiveError(
                .invalidEntry,
                "The block size \(blockSize) is not between \(Self.blockSizes.lowerBound) and \(Self.blockSizes.upperBound)."
            )
        }
        self.output = output
        self.compression = compression
        self.blockSize = blockSize
        self.fields = fields
        let algorithm = compression.algorithm
        if let workspace {
            let codec = workspace.codec(for: algorithm)
            pipeline = OrderedPipeline { $0.run(codec) }
        } else {
            pipeline = OrderedPipeline(threads: threads) {
                let codec = try? algorithm?.makeCodec()
                return { $0.run(codec) }
            }
        }
        self.workspace = workspace ?? ArchiveWorkspace()
        current = self.workspace.takeJob()
        guard let algorithm else { return }
        var head = Array("pbz".utf8) + [algorithm.rawValue]
        head.append(bigEndian: UInt64(blockSize))
        try write(head)
    }

    /// Writes to an open file, at its offset.
    package convenience init(
        file: FileDescriptor, compression: Compression = .lzfse, blockSize: Int = ArchiveWriter.defaultBlockSize,
        threads: Int = 0, fields: ArchiveFields = .all
    ) throws {
        try self.init(
            output: { bytes in
                do {
                    try file.writeFully(bytes)
                } catch let error as Errno {
                    throw ArchiveError(.inputOutput, "The archive cannot be written.", cause: error)
                }
            }, compression: compression, blockSize: blockSize, threads: threads, fields: fields)
    }

    /// Adds an entry. A regular file without data is an empty file; the entry's own list of blobs is not used.
    /// - Parameters:
    ///   - data: the content of a regular file.
    ///   - extendedAttributes: an `XAT` blob (AA 1.7); empty for none.
    /// - Throws: `ArchiveError`, also for the content of earlier entries, which is read later.
    package func append(
        _ entry: EntryHeader, data: (any ArchiveDataSource)? = nil, extendedAttributes: [UInt8] = []
    ) throws {
        try guarded {
            let path = try ArchivePath.validate(entry.path.utf8)
            guard data == nil || entry.type == .regularFile || entry.type == .metadata else {
                throw ArchiveError(.invalidEntry, "The \(entry.type.name) \(path) cannot have content.")
            }
            var entry = entry
            entry.path = path
            entry.blobs = []
            if data != nil || entry.type == .regularFile {
                entry.blobs.append(EntryHeader.Blob(key: .data, size: data?.size ?? 0))
            }
            if !extendedAttributes.isEmpty {
                entry.blobs.append(
                    EntryHeader.Blob(key: .extendedAttributes, size: UInt64(extendedAttributes.count)))
            }
            try add(try entry.encoded(fields: fields))
            if let data { try add(data) }
            try add(extendedAttributes)
        }
    }

    /// Adds a regular file whose content is in memory.
    package func append(_ entry: EntryHeader, bytes: [UInt8]) throws {
        try append(entry, data: BytesDataSource(bytes))
    }

    /// Compresses and writes what is left. Nothing can be added afterwards.
    package func finish() throws {
        try guarded {
            finished = true
            if current.size > 0 { try submit() }
            try drain(downTo: 0)
            workspace.giveBack(current)
        }
    }

    private func guarded(_ body: () throws -> Void) throws {
        if let failure { throw failure }
        guard !finished else { throw ArchiveError(.invalidEntry, "The archive is finished; nothing can be added.") }
        do {
            try body()
        } catch {
            failure = error
            throw error
        }
    }

    private func add(_ bytes: [UInt8]) throws {
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + blockSize - current.size)
            current.append(.bytes(bytes, start..<end))
            start = end
            if current.size == blockSize { try submit() }
        }
    }

    private func add(_ source: any ArchiveDataSource) throws {
        var offset: UInt64 = 0
        while offset < source.size {
            let count = Int(min(source.size - offset, UInt64(blockSize - current.size)))
            current.append(.source(source, offset: offset, count: count))
            offset += UInt64(count)
            if current.size == blockSize { try submit() }
        }
    }

    private func submit() throws {
        pipeline.submit(current)
        current = workspace.takeJob()
        try drain(downTo: pipeline.capacity - 1)
    }

    private func drain(downTo count: Int) throws {
        while pipeline.inFlight > 0 {
            guard let job = pipeline.next(waiting: pipeline.inFlight > count) else { return }
            try emit(job)
            workspace.giveBack(job)
        }
    }

    private func emit(_ job: PackJob) throws {
        if let problem = job.failure {
            throw problem is CodecFailure
                ? ArchiveError(.inputOutput, "A block could not be compressed.", cause: problem) : problem
        }
        if compression != .none {
            var head: [UInt8] = []
            head.append(bigEndian: UInt64(job.size))
            head.append(bigEndian: UInt64(job.payload.count))
            try write(head)
        }
        try output(job.payload)
        try onBlock?(job.uncompressed, job.payload.count)
        archiveSize += UInt64(job.payload.count)
        streamSize += UInt64(job.size)
        onProgress?(streamSize)
    }

    private func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try output($0) }
        archiveSize += UInt64(bytes.count)
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: UInt64) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
