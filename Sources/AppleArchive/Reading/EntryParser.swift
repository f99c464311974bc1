// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Turns the uncompressed stream, in pieces of any size, into the calls of a sink.
struct EntryParser {
    /// All that the parser knows between two pieces.
    struct State: Codable, Hashable, Sendable {
        /// The header being gathered, or of the current entry.
        var header: [UInt8] = []
        /// Whether the header is complete and its blobs are being read.
        var inEntry = false
        /// Where the header begins in the uncompressed stream.
        var headerOffset: UInt64 = 0
        var blobIndex = 0
        var blobRemaining: UInt64 = 0
        /// The index of the data blob; nil when the entry has none.
        var dataBlob: Int?
        var dataDelivered: UInt64 = 0
        var entryCount: UInt64 = 0
        /// Bytes of all paths and targets of links so far.
        var nameSize: UInt64 = 0
        var totalSize: UInt64 = 0

        func decodedEntry() throws -> EntryHeader? {
            guard inEntry else { return nil }
            return try header.withUnsafeBytes { try EntryHeader(decoding: $0, at: headerOffset) }
        }
    }

    private(set) var state: State
    private let limits: ArchiveLimits
    private var blobs: [EntryHeader.Blob] = []
    /// How many bytes the header being gathered must have before anything can be told.
    private var wanted = HeaderReader.magicAndSize
    private(set) var offset: UInt64

    init(limits: ArchiveLimits) {
        self.limits = limits
        state = State()
        offset = 0
    }

    /// - Throws: `ArchiveError.badCheckpoint` when the state contradicts itself.
    init(limits: ArchiveLimits, resuming state: State, at offset: UInt64) throws {
        self.limits = limits
        self.state = state
        self.offset = offset
        let problem = ArchiveError(.badCheckpoint, "The checkpoint is damaged; read the archive from its start.")
        if state.inEntry {
            guard state.header.withUnsafeBytes(HeaderReader.headerSize) == state.header.count,
                let entry = try? state.decodedEntry(), state.blobIndex < entry.blobs.count,
                state.blobRemaining <= entry.blobs[state.blobIndex].size,
                state.dataBlob == entry.blobs.firstIndex(where: { $0.key == .data })
            else { throw problem }
            blobs = entry.blobs
        } else if state.header.count >= HeaderReader.magicAndSize {
            guard let size = state.header.withUnsafeBytes(HeaderReader.headerSize), state.header.count < size else {
                throw problem
            }
            wanted = size
        }
    }

    /// Whether the stream may end here.
    var isAtBoundary: Bool { !state.inEntry && state.header.isEmpty }

    /// Reads all of `bytes`.
    mutating func consume(_ bytes: UnsafeRawBufferPointer, _ sink: any ArchiveSink) throws {
        var rest = bytes
        while !rest.isEmpty {
            let taken = state.inEntry ? try takeBlob(rest, sink) : try takeHeader(rest, sink)
            offset += UInt64(taken)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
            if state.inEntry, state.blobRemaining == 0 { try finishBlobs(sink) }
        }
    }

    private mutating func takeHeader(_ bytes: UnsafeRawBufferPointer, _ sink: any ArchiveSink) throws -> Int {
        if state.header.isEmpty { state.headerOffset = offset }
        let part = bytes.prefix(wanted - state.header.count)
        state.header += part
        guard state.header.count == wanted else { return part.count }
        if wanted == HeaderReader.magicAndSize {
            guard let size = state.header.withUnsafeBytes(HeaderReader.headerSize) else {
                throw ArchiveError(
                    .corrupt, "There is no entry header at offset \(state.headerOffset); the archive is damaged.")
            }
            wanted = size
            guard wanted == HeaderReader.magicAndSize else { return part.count }
        }
        wanted = HeaderReader.magicAndSize
        try begin(sink)
        return part.count
    }

    /// The header is complete: checks it against the limits and begins the entry.
    private mutating func begin(_ sink: any ArchiveSink) throws {
        let entry = try state.header.withUnsafeBytes { try EntryHeader(decoding: $0, at: state.headerOffset) }
        state.entryCount += 1
        guard state.entryCount <= limits.maximumEntries else {
            throw ArchiveError(.limitExceeded, "The archive has more than \(limits.maximumEntries) entries.")
        }
        state.nameSize += UInt64(entry.path.utf8.count + (entry.linkTarget ?? "").utf8.count)
        guard state.nameSize <= limits.maximumNameSize else {
            throw ArchiveError(
                .limitExceeded,
                "With \(ArchivePath.display(entry.path.utf8)) the archive's names come to more than the "
                    + "\(limits.maximumNameSize) bytes allowed.")
        }
        let depth = entry.path.isEmpty ? 0 : 1 + entry.path.utf8.count { $0 == UInt8(ascii: "/") }
        guard depth <= limits.maximumPathDepth else {
            throw ArchiveError(
                .limitExceeded,
                "The path \(ArchivePath.display(entry.path.utf8)) has \(depth) levels; \(limits.maximumPathDepth) are allowed."
            )
        }
        let (total, overflow) = state.totalSize.addingReportingOverflow(entry.dataSize)
        guard !overflow, total <= limits.maximumTotalSize else {
            throw ArchiveError(
                .limitExceeded,
                "With \(entry.path) the archive's files come to more than the \(limits.maximumTotalSize) bytes allowed."
            )
        }
        state.totalSize = total
        try checkSkipped(entry)
        blobs = entry.blobs
        state.dataBlob = blobs.firstIndex { $0.key == .data }
        state.dataDelivered = 0
        state.blobIndex = 0
        state.blobRemaining = blobs.first?.size ?? 0
        state.inEntry = true
        if let dataBlob = state.dataBlob {
            // The sizes before it were checked against the limits together.
            let start = state.headerOffset &+ UInt64(state.header.count)
            try sink.locate(dataAt: blobs.prefix(dataBlob).reduce(start) { $0 &+ $1.size })
        }
        try sink.begin(entry)
    }

    private func checkSkipped(_ entry: EntryHeader) throws {
        var skipped: UInt64 = 0
        for blob in entry.blobs where blob.key != .data {
            let (sum, overflow) = skipped.addingReportingOverflow(blob.size)
            guard !overflow, sum <= limits.maximumSkippedSize else {
                throw ArchiveError(
                    .limitExceeded,
                    "The entry \(entry.path) carries \(blob.size) bytes of \(blob.key), which is too much.")
            }
            skipped = sum
        }
    }

    private mutating func takeBlob(_ bytes: UnsafeRawBufferPointer, _ sink: any ArchiveSink) throws -> Int {
        let count = Int(min(UInt64(bytes.count), state.blobRemaining))
        if state.blobIndex == state.dataBlob {
            try sink.data(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
            state.dataDelivered += UInt64(count)
        }
        state.blobRemaining -= UInt64(count)
        return count
    }

    /// Steps over blobs that are complete or empty, and ends the entry behind the last.
    private mutating func finishBlobs(_ sink: any ArchiveSink) throws {
        while state.blobRemaining == 0 {
            state.blobIndex += 1
            guard state.blobIndex < blobs.count else {
                state.inEntry = false
                state.header.removeAll(keepingCapacity: true)
                try sink.end()
                return
            }
            state.blobRemaining = blobs[state.blobIndex].size
        }
    }
}
