// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CDeflate

/// zlib blocks: written with the two-byte head at level 5, read also as raw deflate (AA 2.1).
final class ZlibCodec: BlockCodec {
    private let compressor = libdeflate_alloc_compressor(5)
    private let decompressor = libdeflate_alloc_decompressor()

    deinit {
        if let compressor { libdeflate_free_compressor(compressor) }
        if let decompressor { libdeflate_free_decompressor(decompressor) }
    }

    func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws -> Int? {
        guard let compressor else { throw CodecFailure.library("libdeflate has no memory") }
        let count = libdeflate_zlib_compress(
            compressor, source.baseAddress, source.count, target.baseAddress, target.count)
        return count == 0 ? nil : count
    }

    func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws {
        guard let decompressor else { throw CodecFailure.library("libdeflate has no memory") }
        var written = 0
        let result =
            Self.hasZlibHead(source)
            ? libdeflate_zlib_decompress(
                decompressor, source.baseAddress, source.count, target.baseAddress, target.count, &written)
            : libdeflate_deflate_decompress(
                decompressor, source.baseAddress, source.count, target.baseAddress, target.count, &written)
        switch result {
        case LIBDEFLATE_SUCCESS: guard written == target.count - 1 else { throw CodecFailure.wrongSize }
        case LIBDEFLATE_INSUFFICIENT_SPACE: throw CodecFailure.wrongSize
        default: throw CodecFailure.damaged
        }
    }

    /// Whether the first two bytes are the head that RFC 1950 describes, without a preset dictionary.
    static func hasZlibHead(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 2 else { return false }
        let (method, flags) = (bytes[0], bytes[1])
        return method & 0x0f == 8 && method >> 4 <= 7 && flags & 0x20 == 0
            && (UInt16(method) << 8 | UInt16(flags)) % 31 == 0
    }
}
