// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CLZFSE

/// LZFSE buffers, each closed by `bvx$` (AA 2.1).
final class LZFSECodec: BlockCodec {
    private let encoderMemory = ByteBuffer()
    private let decoderMemory = ByteBuffer()

    func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? {
        encoderMemory.reset(capacity: lzfse_encode_scratch_size())
        guard let input = source.baseAddress, let output = target.baseAddress else { return nil }
        let count = lzfse_encode_buffer(
            output.assumingMemoryBound(to: UInt8.self), target.count,
            input.assumingMemoryBound(to: UInt8.self), source.count, encoderMemory.base)
        return count == 0 ? nil : count
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
