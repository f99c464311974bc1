// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CLZMA
import Kit

/// Makes one `.xz` stream of data that come in pieces, at preset 6 but for its dictionary, which is small: that of the preset
/// takes some ninety megabytes, whatever the data. Use it from one thread.
package final class XZEncoder {
    /// In bytes. liblzma takes about eleven times as much.
    package static let largestDictionary = 256 << 10

    private let buffer = ByteBuffer(capacity: 1 << 16)
    private var stream = lzma_stream()

    /// - Parameter size: of all the data, in bytes: the dictionary need not be larger.
    /// - Throws: `ArchiveError.inputOutput` when there is no memory for it.
    package init(size: Int64) throws {
        var options = LZMACodec.options(dictionarySize: UInt32(clamping: min(size, Int64(Self.largestDictionary))))
        let result = LZMACodec.withFilters(&options) { lzma_stream_encoder(&stream, $0, LZMA_CHECK_NONE) }
        guard result == LZMA_OK else { throw Self.failure(result) }
    }

    deinit { lzma_end(&stream) }

    /// Takes the next bytes, and hands out what they give.
    /// - Throws: `ArchiveError.inputOutput`, and what `output` throws.
    package func encode(_ bytes: UnsafeRawBufferPointer, to output: (UnsafeRawBufferPointer) throws -> Void) throws {
        if !bytes.isEmpty { try run(bytes, LZMA_RUN, output) }
    }

    /// Hands out the rest.
    /// - Throws: as `encode`.
    package func finish(to output: (UnsafeRawBufferPointer) throws -> Void) throws {
        try run(UnsafeRawBufferPointer(start: nil, count: 0), LZMA_FINISH, output)
    }

    private func run(
        _ bytes: UnsafeRawBufferPointer, _ action: lzma_action, _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        stream.next_in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.avail_in = bytes.count
        var result = LZMA_OK
        repeat {
            buffer.reset(capacity: buffer.capacity)
            stream.next_out = buffer.base.assumingMemoryBound(to: UInt8.self)
            stream.avail_out = buffer.capacity
            result = lzma_code(&stream, action)
            guard result == LZMA_OK || result == LZMA_STREAM_END else { throw Self.failure(result) }
            let count = buffer.capacity - stream.avail_out
            if count > 0 { try output(UnsafeRawBufferPointer(start: buffer.base, count: count)) }
        } while result == LZMA_OK && (stream.avail_in > 0 || stream.avail_out == 0 || action == LZMA_FINISH)
    }

    private static func failure(_ result: lzma_ret) -> ArchiveError {
        ArchiveError(
            .inputOutput, "Data could not be compressed.",
            cause: CodecFailure.library("liblzma says \(result.rawValue)"))
    }
}
