// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CLZFSE

/// LZFSE buffers, each closed by `bvx$` (AA 2.1).
final class LZFSECodec: BlockCodec {
    private let encoderMemory = ByteBuffer()
    private let decoderMemory = ByteBuffer()
    private let encoded = ByteBuffer()

    func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws -> Int? {
        encoderMemory.reset(capacity: lzfse_encode_scratch_size())
        guard let input = source.baseAddress, let output = target.baseAddress else { return nil }
        let count = lzfse_encode_buffer(
            output.assumingMemoryBound(to: UInt8.self), target.count,
            input.assumingMemoryBound(to: UInt8.self), source.count, encoderMemory.base)
        return count == 0 ? nil : try storeWeakBlocks(of: source, in: target, count: count)
    }

    /// Puts the content itself in place of blocks that hardly shrank: reading those costs as much as reading others.
    /// Matches of later blocks reach into stored ones as into any, and no block depends on another's state.
    /// - Returns: how many bytes of `target` the stream takes now; nil when it no longer fits.
    private func storeWeakBlocks(
        of source: UnsafeRawBufferPointer, in target: UnsafeMutableRawBufferPointer, count: Int
    ) throws -> Int? {
        let blocks = try LZFSEBlock.all(in: UnsafeRawBufferPointer(rebasing: target[..<count]))
        guard let first = blocks.firstIndex(where: \.isWeak) else { return count }
        var written = blocks[..<first].reduce(0) { $0 + $1.size }
        var contentPosition = blocks[..<first].reduce(0) { $0 + $1.contentSize }
        encoded.reset(capacity: count - written)
        encoded.append(UnsafeRawBufferPointer(rebasing: target[written..<count]))
        var position = 0
        func put(_ bytes: UnsafeRawBufferPointer) {
            UnsafeMutableRawBufferPointer(rebasing: target[written...]).copyMemory(from: bytes)
            written += bytes.count
        }
        for block in blocks[first...] {
            let content = contentPosition..<(contentPosition + block.contentSize)
            guard content.upperBound <= source.count, target.count - written >= block.sizeWhenStored else { return nil }
            if block.isWeak {
                withUnsafeBytes(of: LZFSEBlock.raw.littleEndian, put)
                withUnsafeBytes(of: UInt32(block.contentSize).littleEndian, put)
                put(UnsafeRawBufferPointer(rebasing: source[content]))
            } else {
                put(UnsafeRawBufferPointer(rebasing: encoded.bytes[position..<(position + block.size)]))
            }
            position += block.size
            contentPosition = content.upperBound
        }
        return written
    }

    func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws {
        guard let input = source.baseAddress, let output = target.baseAddress else { throw CodecFailure.damaged }
        decoderMemory.reset(capacity: lzfse_decode_scratch_size())
        // 0 says damage or a missing end mark; a full buffer says that there was more.
        let count = lzfse_decode_buffer(
            output.assumingMemoryBound(to: UInt8.self), target.count,
            input.assumingMemoryBound(to: UInt8.self), source.count, decoderMemory.base)
        guard count == target.count - 1 else { throw count == 0 ? CodecFailure.damaged : CodecFailure.wrongSize }
    }
}

/// Bare LZVN (`pbzf`), which the LZFSE library reads inside a block of its own.
final class LZVNCodec: BlockCodec {
    private let lzfse = LZFSECodec()
    private let frame = ByteBuffer()

    func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? { nil }

    func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws {
        guard let raw = UInt32(exactly: target.count - 1), let stored = UInt32(exactly: source.count) else {
            throw CodecFailure.wrongSize
        }
        frame.reset(capacity: source.count + 16)
        frame.append(littleEndian: LZFSEBlock.lzvn)
        frame.append(littleEndian: raw)
        frame.append(littleEndian: stored)
        frame.append(source)
        frame.append(littleEndian: LZFSEBlock.endOfStream)
        try lzfse.decompress(frame.bytes, into: target)
    }
}

extension ByteBuffer {
    func append(littleEndian number: UInt32) {
        withUnsafeBytes(of: number.littleEndian) { append($0) }
    }
}
