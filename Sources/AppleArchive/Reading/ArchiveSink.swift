// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Takes what a decoder reads: for each entry `begin`, its content in pieces, `end`. All calls come on the thread that
/// feeds the decoder; what a call throws ends the decoding and comes out of `feed`.
package protocol ArchiveSink: AnyObject {
    /// Where in the uncompressed stream the content of the entry lies that begins next; called only when it has one. Most
    /// sinks do not need it.
    func locate(dataAt offset: UInt64) throws

    /// An entry begins. Its type may be one that has no meaning here (a device, metadata): the sink decides.
    func begin(_ entry: EntryHeader) throws

    /// The next piece of the entry's content, the `DAT` blob; never empty. Other blobs are skipped.
    func data(_ bytes: UnsafeRawBufferPointer) throws

    /// The entry is complete.
    func end() throws
}

extension ArchiveSink {
    package func locate(dataAt offset: UInt64) throws {}
}

/// What a caller allows an archive to ask for. Passing a limit is `ArchiveError.limitExceeded`.
package struct ArchiveLimits: Hashable, Sendable {
    /// How many entries the archive may hold.
    package var maximumEntries: UInt64 = 16_000_000
    /// Bytes of all paths and targets of links together: whoever takes an archive keeps many of them, and may have to make a
    /// folder for every other byte.
    package var maximumNameSize: UInt64 = 4 << 30
    /// How many names a path may have.
    package var maximumPathDepth = 256
    /// The sum of all contents in bytes, counted as soon as an entry claims its size.
    package var maximumTotalSize: UInt64 = .max
    /// Bytes of other blobs (extended attributes and the like) that one entry may carry.
    package var maximumSkippedSize: UInt64 = 1 << 30
    /// Blocks up to this size in bytes are held whole, a few for each thread, and decompressed side by side; larger ones
    /// pass in pieces, so that no claim of an archive decides how much memory is used. Apple's tools write 16 MiB at most.
    package var largestHeldBlock = 32 << 20

    package init() {}

    package static let `default` = ArchiveLimits()
}
