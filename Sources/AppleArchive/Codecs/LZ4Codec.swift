// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CLZ4

/// Apple's LZ4 frame: `bv41` compressed, `bv4-` stored, `bv4$` end, numbers little-endian (AA 2.1).
final class LZ4Codec: BlockCodec {
    /// What one piece holds at most when written.
    static let pieceSize = 1 << 16
    static let compressed: UInt32 = 0x3134_7662
    static let stored: UInt32 = 0x2d34_7662
    static let end: UInt32 = 0x2434_7662

    func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? {
        guard let input = source.baseAddress, let output = target.baseAddress else { return nil }
        var position = 0
        func put(_ number: UInt32) {
            output.storeBytes(of: number.littleEndian, toByteOffset: position, as: UInt32.self)
            position += 4
        }
        for start in stride(from: 0, to: source.count, by: Self.pieceSize) {
            let size = min(Self.pieceSize, source.count - start)
            // 12 for this piece's head, 4 for the end mark.
            guard target.count - position >= size + 16 else { return nil }
            let room = min(size - 1, target.count - position - 16)
            let count = LZ4_compress_default(
                (input + start).assumingMemoryBound(to: CChar.self),
                (output + position + 12).assumingMemoryBound(to: CChar.self), CInt(size), CInt(room))
            if count > 0 {
                put(Self.compressed)
                put(UInt32(size))
                put(UInt32(count))
                position += Int(count)
            } else {
                put(Self.stored)
                put(UInt32(size))
                (output + position).copyMemory(from: input + start, byteCount: size)
                position += size
            }
        }
        put(Self.end)
        return position
    }

    func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws {
        guard let output = target.baseAddress else { throw CodecFailure.damaged }
        var position = 0
        var written = 0
        while true {
            guard let piece = try LZ4Piece(UnsafeRawBufferPointer(rebasing: source[position...])) else {
                throw CodecFailure.truncated
            }
            if piece.magic == Self.end { break }
            guard source.count - position >= piece.size else { throw CodecFailure.truncated }
            guard target.count - written > piece.contentSize else { throw CodecFailure.wrongSize }
            let payload = UnsafeRawBufferPointer(
                rebasing: source[(position + piece.headSize)..<(position + piece.size)])
            let room = UnsafeMutableRawBufferPointer(start: output + written, count: piece.contentSize)
            let history = min(written, Self.pieceSize)
            try piece.decode(
                payload, into: room,
                history: UnsafeRawBufferPointer(start: output + (written - history), count: history))
            position += piece.size
            written += piece.contentSize
        }
        guard written == target.count - 1 else { throw CodecFailure.wrongSize }
    }
}

/// The head of one piece of an LZ4 frame.
struct LZ4Piece {
    var magic: UInt32
    var headSize: Int
    /// Bytes in the stream, head included.
    var size: Int
    var contentSize: Int

    /// Reads the head; nil when `bytes` are too few to tell.
    /// - Throws: `CodecFailure.damaged`
    init?(_ bytes: UnsafeRawBufferPointer) throws {
        func word(_ index: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
        }
        guard bytes.count >= 4 else { return nil }
        magic = word(0)
        switch magic {
        case LZ4Codec.end:
            (headSize, size, contentSize) = (4, 4, 0)
        case LZ4Codec.stored:
            guard bytes.count >= 8 else { return nil }
            (headSize, size, contentSize) = (8, 8 + Int(word(1)), Int(word(1)))
        case LZ4Codec.compressed:
            guard bytes.count >= 12 else { return nil }
            (headSize, size, contentSize) = (12, 12 + Int(word(2)), Int(word(1)))
        default:
            throw CodecFailure.damaged
        }
    }

    /// Decodes the piece's payload so that it fills `target`; `history` is the output right before it.
    func decode(
        _ payload: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, history: UnsafeRawBufferPointer
    ) throws {
        guard magic == LZ4Codec.compressed else { return target.copyMemory(from: payload) }
        guard payload.count <= Int(CInt.max), target.count <= Int(CInt.max) else { throw CodecFailure.memory }
        let count = LZ4_decompress_safe_usingDict(
            payload.baseAddress?.assumingMemoryBound(to: CChar.self),
            target.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(payload.count), CInt(target.count),
            history.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(history.count))
        guard count >= 0 else { throw CodecFailure.damaged }
        guard Int(count) == target.count else { throw CodecFailure.wrongSize }
    }
}
