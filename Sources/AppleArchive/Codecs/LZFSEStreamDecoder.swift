// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Decodes an LZFSE stream of any length. The library decodes only whole buffers; so blocks are gathered to about a
/// megabyte, and each batch goes through the library behind a stored block that holds the output matches may refer to.
final class LZFSEStreamDecoder: StreamDecoder {
    /// As far back as a match can refer (18 bits).
    private static let window = 1 << 18
    private static let batchSize = 1 << 20
    /// No encoder's block gives more; a larger claim is refused before memory is taken for it.
    private static let largestBlock = 64 << 20

    private let codec = LZFSECodec()
    private let input = ByteBuffer()
    private let history = ByteBuffer(capacity: window)
    private let frame = ByteBuffer()
    private let output = ByteBuffer()
    /// Bytes of a stored block that are still to come and pass straight through.
    private var storedRemaining = 0
    private var ended = false

    func decode(_ bytes: UnsafeRawBufferPointer, to deliver: (UnsafeRawBufferPointer) throws -> Void) throws {
        var rest = bytes
        while !rest.isEmpty, !ended {
            if storedRemaining > 0 {
                let part = UnsafeRawBufferPointer(rebasing: rest.prefix(storedRemaining))
                try pass(part, to: deliver)
                storedRemaining -= part.count
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
            } else {
                let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.batchSize))
                input.append(part)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
                try drain(to: deliver)
            }
        }
    }

    func finish(to deliver: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard ended else { throw CodecFailure.truncated }
    }

    /// Decodes the whole blocks that have come, in batches.
    private func drain(to deliver: (UnsafeRawBufferPointer) throws -> Void) throws {
        var position = 0
        var batch = (start: 0, contentSize: 0)
        func flush() throws {
            try decodeBatch(batch.start..<position, contentSize: batch.contentSize, to: deliver)
            batch = (position, 0)
        }
        while !ended {
            let head = UnsafeRawBufferPointer(rebasing: input.bytes[position...])
            guard let block = try LZFSEBlock(head) else { break }
            if block.magic == LZFSEBlock.raw {
                try flush()
                let available = min(block.contentSize, input.count - position - 8)
                let start = position + 8
                try pass(UnsafeRawBufferPointer(rebasing: input.bytes[start..<(start + available)]), to: deliver)
                storedRemaining = block.contentSize - available
                position = start + available
                batch = (position, 0)
                if storedRemaining > 0 { break }
                continue
            }
            guard block.contentSize <= Self.largestBlock, block.size <= Self.largestBlock else {
                throw CodecFailure.memory
            }
            guard input.count - position >= block.size else { break }
            position += block.size
            batch.contentSize += block.contentSize
            ended = block.magic == LZFSEBlock.endOfStream
            if ended { position -= block.size }
            if batch.contentSize >= Self.batchSize { try flush() }
        }
        try flush()
        input.removeFirst(position)
    }

    private func decodeBatch(
        _ range: Range<Int>, contentSize: Int, to deliver: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard !range.isEmpty else { return }
        frame.reset(capacity: history.count + range.count + 12)
        frame.append(littleEndian: LZFSEBlock.raw)
        frame.append(littleEndian: UInt32(history.count))
        frame.append(history.bytes)
        frame.append(UnsafeRawBufferPointer(rebasing: input.bytes[range]))
        frame.append(littleEndian: LZFSEBlock.endOfStream)
        let total = history.count + contentSize
        output.reset(capacity: total + 1)
        try codec.decompress(frame.bytes, into: UnsafeMutableRawBufferPointer(start: output.base, count: total + 1))
        output.count = total
        try pass(UnsafeRawBufferPointer(rebasing: output.bytes[history.count...]), to: deliver)
    }

    /// Delivers decoded bytes and keeps the last of them as history.
    private func pass(_ bytes: UnsafeRawBufferPointer, to deliver: (UnsafeRawBufferPointer) throws -> Void) throws {
        let kept = UnsafeRawBufferPointer(rebasing: bytes.suffix(Self.window))
        history.removeFirst(max(0, history.count + kept.count - Self.window))
        history.append(kept)
        if !bytes.isEmpty { try deliver(bytes) }
    }
}
