// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// One block of a `pbz?` wrapper, as its head describes it (AA 2).
package struct ArchiveBlock: Hashable, Sendable {
    /// Bytes of the head before each block's payload.
    package static let headSize = BlockReader.headSize
    /// Bytes of the wrapper's head, behind which the first block's head follows.
    package static let wrapperHeadSize = 12

    /// Where its head begins in the archive.
    package let archiveOffset: UInt64
    /// How many bytes of the uncompressed stream it gives.
    package let contentSize: UInt64
    /// How many bytes its payload has; as many as its content when that is stored.
    package let storedSize: UInt64

    /// How many bytes a content takes in an archive that is cut in blocks of a size, their heads included.
    /// - Throws: `ArchiveError.inputOutput` when it cannot be compressed.
    package static func size(of content: [UInt8], compression: Compression, blockSize: Int) throws -> Int {
        guard let codec = try compression.algorithm?.makeCodec() else { return content.count }
        let room = ByteBuffer(capacity: blockSize)
        return try content.withUnsafeBytes { all in
            try stride(from: 0, to: all.count, by: blockSize).reduce(0) { sum, start in
                let block = UnsafeRawBufferPointer(rebasing: all[start..<min(all.count, start + blockSize)])
                let target = UnsafeMutableRawBufferPointer(start: room.base, count: block.count - 1)
                do {
                    return sum + headSize + (try codec.compress(block, into: target) ?? block.count)
                } catch {
                    throw ArchiveError(.inputOutput, "A block could not be compressed.", cause: error)
                }
            }
        }
    }
}

/// What the head of a `pbz?` wrapper says.
package struct ArchiveBlockFormat: Hashable, Sendable {
    /// The letter behind `pbz`: what blocks are compressed with.
    package let letter: UInt8
    /// The most bytes of the uncompressed stream in one block.
    package let blockSize: UInt64

    package init(letter: UInt8, blockSize: UInt64) {
        self.letter = letter
        self.blockSize = blockSize
    }

    /// What a writer with these settings makes; nil for a bare stream.
    package init?(compression: Compression, blockSize: Int) {
        guard let algorithm = compression.algorithm else { return nil }
        self.init(letter: algorithm.rawValue, blockSize: UInt64(blockSize))
    }
}

/// Decompresses single blocks of an archive, in any order. One instance serves one thread.
package final class ArchiveBlockDecoder {
    private let codec: any BlockCodec
    private let content = ByteBuffer()

    /// - Parameter letter: of the wrapper, behind `pbz`.
    /// - Throws: `ArchiveError.unsupportedCompression`
    package init(letter: UInt8) throws { codec = try BlockAlgorithm(rawValue: letter).makeCodec() }

    /// Hands out a block's content, which is valid within `body` only.
    /// - Parameters:
    ///   - payload: what stands in the archive behind the block's head.
    ///   - contentSize: how many bytes the block must give; the caller bounds it.
    /// - Throws: `ArchiveError.corrupt`, or what `body` throws.
    package func decode<Result>(
        _ payload: UnsafeRawBufferPointer, contentSize: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard payload.count < contentSize else {
            guard payload.count == contentSize else { throw failure(.wrongSize) }
            return try body(payload)
        }
        content.reset(capacity: contentSize + 1)
        do {
            try codec.decompress(
                payload, into: UnsafeMutableRawBufferPointer(start: content.base, count: contentSize + 1))
        } catch {
            throw failure(error as? CodecFailure ?? .damaged)
        }
        content.count = contentSize
        return try body(content.bytes)
    }

    private func failure(_ problem: CodecFailure) -> ArchiveError {
        ArchiveError(.corrupt, "A block of the archive \(problem.text); fetch it again.", cause: problem)
    }
}
