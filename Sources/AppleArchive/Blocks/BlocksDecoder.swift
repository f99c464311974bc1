// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Decompresses some blocks of an archive (AA 2), fed one after the other, with threads as a whole archive is. Blocks that are
/// not as announced are an error.
package final class BlocksDecoder {
    /// A block that will be fed, head included.
    package struct Block: Hashable, Sendable {
        /// Where its content begins in the uncompressed stream.
        package let streamOffset: Int64
        package let contentSize: Int
        /// Of its payload.
        package let storedSize: Int

        package init(streamOffset: Int64, contentSize: Int, storedSize: Int) {
            self.streamOffset = streamOffset
            self.contentSize = contentSize
            self.storedSize = storedSize
        }
    }

    private let reader: BlockReader
    private var expected: ArraySlice<Block>
    /// Where the blocks that were delivered end, in bytes fed.
    private var end: UInt64 = 0
    /// Bytes of the first expected block that were delivered.
    private var delivered = 0

    /// Takes content, with its offset in the uncompressed stream; called on the feeding thread.
    package var deliver: ((_ streamOffset: Int64, _ bytes: UnsafeRawBufferPointer) throws -> Void)?
    /// A block's content was all delivered.
    package var blockEnded: ((Block) throws -> Void)?

    /// - Parameters:
    ///   - letter: the compression, as in the archive's head.
    ///   - blocks: those that will be fed, in that order.
    ///   - threads: how many decompress; 0 means one for each core.
    /// - Throws: `ArchiveError`
    package init(letter: UInt8, blockSize: Int, blocks: [Block], threads: Int = 0) throws {
        expected = blocks[...]
        reader = try BlockReader(
            algorithm: BlockAlgorithm(rawValue: letter), blockSize: UInt64(clamping: blockSize), archiveOffset: 0,
            threads: threads, largestHeldBlock: ArchiveLimits.default.largestHeldBlock)
        reader.deliver = { [unowned self] in try take($0) }
        reader.blockEnded = { [unowned self] in try endBlock(at: $0) }
    }

    /// Takes the next bytes and delivers what is ready.
    /// - Throws: `ArchiveError`, and what the callbacks throw.
    package func feed(_ bytes: UnsafeRawBufferPointer) throws { try reader.feed(bytes) }

    /// Delivers all that can be made of what was fed so far.
    /// - Throws: as `feed`
    package func settle() throws { try reader.settle() }

    /// All blocks were fed.
    /// - Throws: `ArchiveError` when something is missing; what the callbacks throw.
    package func finish() throws {
        try reader.finish()
        guard expected.isEmpty else { throw wrong() }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws {
        guard let block = expected.first, bytes.count <= block.contentSize - delivered else { throw wrong() }
        let offset = block.streamOffset + Int64(delivered)
        delivered += bytes.count
        try deliver?(offset, bytes)
    }

    private func endBlock(at offset: UInt64) throws {
        guard let block = expected.first, delivered == block.contentSize,
            offset - end == UInt64(BlockReader.headSize + block.storedSize)
        else { throw wrong() }
        expected = expected.dropFirst()
        delivered = 0
        end = offset
        try blockEnded?(block)
    }

    private func wrong() -> ArchiveError {
        ArchiveError(.corrupt, "A block of the archive is not as its index says; the two do not fit each other.")
    }
}
