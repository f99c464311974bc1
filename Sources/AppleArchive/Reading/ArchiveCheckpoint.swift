// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Where a decoder stands at the end of a block: enough to go on from there in another process, given the archive's
/// bytes from `archiveOffset`. The sink then gets exactly the calls it had not had; it must have kept what it got.
package struct ArchiveCheckpoint: Codable, Hashable, Sendable {
    /// The next byte of the archive to feed.
    package internal(set) var archiveOffset: UInt64
    /// How many bytes of the uncompressed stream have been read.
    package internal(set) var streamOffset: UInt64

    /// The letter of the block wrapper's compression; nil for a bare stream.
    var algorithm: UInt8?
    /// The wrapper's block size in bytes; 0 for a bare stream.
    var blockSize: UInt64
    var parser: EntryParser.State

    /// The entry that was begun and not ended, if there is one.
    package var currentEntry: EntryHeader? { try? parser.decodedEntry() }
    /// How many bytes of the current entry's content the sink has had.
    package var currentDataOffset: UInt64 { parser.dataDelivered }
    /// How many entries were begun.
    package var entryCount: UInt64 { parser.entryCount }
    /// The sum of the contents of the entries that were begun.
    package var totalSize: UInt64 { parser.totalSize }
}
