// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CZlib

/// Decodes zlib, gzip or raw deflate of any length.
final class InflateStreamDecoder: StreamDecoder {
    enum Format {
        case gzip
        /// zlib when the first two bytes are its head, else raw deflate.
        case zlibOrRaw
    }

    private let format: Format
    private let buffer = ByteBuffer(capacity: 1 << 18)
    private var stream = z_stream()
    private var started = false
    private var ended = false
    /// The first bytes, kept until there are two to tell the format by.
    private var start: [UInt8] = []

    init(format: Format) { self.format = format }

    deinit { if started { inflateEnd(&stream) } }

    func decode(_ input: UnsafeRawBufferPointer, to output: (UnsafeRawBufferPointer) throws -> Void) throws {
        if started { return try inflateAll(input, to: output) }
        start += input
        guard start.count >= 2 else { return }
        try begin()
        let held = start
        start = []
        try held.withUnsafeBytes { try inflateAll($0, to: output) }
    }

    func finish(to output: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard ended else { throw CodecFailure.truncated }
    }

    private func begin() throws {
        let isZlib = start.withUnsafeBytes { ZlibCodec.hasZlibHead($0) }
        let windowBits: CInt = format == .gzip ? 15 + 16 : isZlib ? 15 : -15
        let result = inflateInit2_(&stream, windowBits, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        guard result == Z_OK else { throw CodecFailure.library("zlib says \(result)") }
        started = true
    }

    private func inflateAll(
        _ input: UnsafeRawBufferPointer, to output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard input.count <= Int(UInt32.max) else { throw CodecFailure.memory }
        stream.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: UInt8.self)
        stream.avail_in = UInt32(input.count)
        repeat {
            if ended {
                // gzip members may follow one another; what follows zlib data is not ours to judge.
                guard format == .gzip, stream.avail_in > 0 else { return }
                guard inflateReset(&stream) == Z_OK else { throw CodecFailure.damaged }
                ended = false
            }
            buffer.reset(capacity: 1 << 18)
            stream.next_out = buffer.base.assumingMemoryBound(to: UInt8.self)
            stream.avail_out = UInt32(buffer.capacity)
            let result = inflate(&stream, Z_NO_FLUSH)
            let count = buffer.capacity - Int(stream.avail_out)
            if count > 0 { try output(UnsafeRawBufferPointer(start: buffer.base, count: count)) }
            switch result {
            case Z_STREAM_END: ended = true
            case Z_OK, Z_BUF_ERROR: break
            case Z_MEM_ERROR: throw CodecFailure.memory
            default: throw CodecFailure.damaged
            }
        } while stream.avail_in > 0 || stream.avail_out == 0
    }
}
