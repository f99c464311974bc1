// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The head of one block inside an LZFSE stream: enough to find where the block ends and what it gives.
struct LZFSEBlock {
    static let endOfStream: UInt32 = 0x2478_7662
    static let raw: UInt32 = 0x2d78_7662
    static let version1: UInt32 = 0x3178_7662
    static let version2: UInt32 = 0x3278_7662
    static let lzvn: UInt32 = 0x6e78_7662

    /// The size of the larger of the two heads with frequency tables, stored plainly.
    private static let version1HeadSize = 772

    var magic: UInt32
    /// Bytes in the stream, head included.
    var size: Int
    /// Bytes that come out.
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
        case Self.endOfStream:
            (size, contentSize) = (4, 0)
        case Self.raw:
            guard bytes.count >= 8 else { return nil }
            (size, contentSize) = (8 + Int(word(1)), Int(word(1)))
        case Self.lzvn:
            guard bytes.count >= 12 else { return nil }
            (size, contentSize) = (12 + Int(word(2)), Int(word(1)))
        case Self.version1:
            guard bytes.count >= 28 else { return nil }
            (size, contentSize) = (Self.version1HeadSize + Int(word(5)) + Int(word(6)), Int(word(1)))
        case Self.version2:
            guard bytes.count >= 32 else { return nil }
            let first = UInt64(word(2)) | UInt64(word(3)) << 32
            let second = UInt64(word(4)) | UInt64(word(5)) << 32
            let payload = Int(first >> 20 & 0xfffff) + Int(second >> 40 & 0xfffff)
            (size, contentSize) = (Int(word(6)) + payload, Int(word(1)))
            guard word(6) >= 32 else { throw CodecFailure.damaged }
        default:
            throw CodecFailure.damaged
        }
    }

    /// Whether a compressed block saves so little that it is better stored: less than a 32nd of its content.
    var isWeak: Bool { magic == Self.version2 && size > contentSize - contentSize / 32 }

    /// Bytes the block takes in the stream once weak blocks are stored.
    var sizeWhenStored: Int { isWeak ? 8 + contentSize : size }

    /// The blocks of a whole buffer, up to its end mark.
    /// - Throws: `CodecFailure`
    static func all(in buffer: UnsafeRawBufferPointer) throws -> [LZFSEBlock] {
        var blocks: [LZFSEBlock] = []
        var position = 0
        while blocks.last?.magic != endOfStream {
            guard let block = try LZFSEBlock(UnsafeRawBufferPointer(rebasing: buffer[position...])),
                buffer.count - position >= block.size
            else { throw CodecFailure.truncated }
            blocks.append(block)
            position += block.size
        }
        return blocks
    }
}
