// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CLZMA

/// One complete .xz stream per block, LZMA2 at preset 6 without an integrity check, as Apple's tools write (AA 2.1).
final class LZMACodec: BlockCodec {
    // LZMA_FILTER_LZMA2, LZMA_VLI_UNKNOWN and LZMA_DICT_SIZE_MIN, macros with casts that Swift does not import.
    private static let lzma2: lzma_vli = 0x21
    private static let endOfFilters = lzma_vli.max
    private static let leastDictionarySize: UInt32 = 4096
    /// A block must shrink by one byte of so many. What shrinks by less is media mostly, of which decoding LZMA takes as long as fetching
    /// several times what it saves.
    private static let leastSaving = 25

    private let decoder = XZStream()

    /// Those of preset 6.
    /// - Parameter dictionarySize: at most, in bytes.
    static func options(dictionarySize: UInt32 = .max) -> lzma_options_lzma {
        var options = lzma_options_lzma()
        _ = lzma_lzma_preset(&options, 6)
        options.dict_size = min(options.dict_size, max(dictionarySize, leastDictionarySize))
        return options
    }

    /// Calls `body` with the filters of a stream.
    static func withFilters<Result>(
        _ options: inout lzma_options_lzma, _ body: (UnsafeMutablePointer<lzma_filter>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &options) { options in
            var filters = [
                lzma_filter(id: lzma2, options: options), lzma_filter(id: endOfFilters, options: nil),
            ]
            return body(&filters)
        }
    }

    func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws -> Int? {
        var position = 0
        var options = Self.options()
        let most = min(target.count, source.count - source.count / Self.leastSaving)
        let result = Self.withFilters(&options) { filters in
            lzma_stream_buffer_encode(
                filters, LZMA_CHECK_NONE, nil, source.baseAddress?.assumingMemoryBound(to: UInt8.self), source.count,
                target.baseAddress?.assumingMemoryBound(to: UInt8.self), &position, most)
        }
        switch result {
        case LZMA_OK: return position
        case LZMA_BUF_ERROR: return nil
        default: throw CodecFailure.library("liblzma says \(result.rawValue)")
        }
    }

    func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws {
        try decoder.start(concatenated: false)
        decoder.setInput(source)
        decoder.setOutput(target)
        try decoder.run(finishing: true)
        guard decoder.outputRemaining == 1 else { throw CodecFailure.wrongSize }
        guard decoder.ended else { throw CodecFailure.truncated }
    }
}

/// Decodes an .xz stream of any length.
final class XZStreamDecoder: StreamDecoder {
    private let stream = XZStream()
    private let buffer = ByteBuffer(capacity: 1 << 18)
    private var started = false

    func decode(_ input: UnsafeRawBufferPointer, to output: (UnsafeRawBufferPointer) throws -> Void) throws {
        if !started {
            try stream.start(concatenated: true)
            started = true
        }
        stream.setInput(input)
        try drain(finishing: false, to: output)
    }

    func finish(to output: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard started else { throw CodecFailure.truncated }
        stream.setInput(UnsafeRawBufferPointer(start: nil, count: 0))
        try drain(finishing: true, to: output)
        guard stream.ended else { throw CodecFailure.truncated }
    }

    private func drain(finishing: Bool, to output: (UnsafeRawBufferPointer) throws -> Void) throws {
        repeat {
            buffer.reset(capacity: 1 << 18)
            stream.setOutput(buffer.spare)
            try stream.run(finishing: finishing)
            let count = buffer.capacity - stream.outputRemaining
            if count > 0 { try output(UnsafeRawBufferPointer(start: buffer.base, count: count)) }
        } while stream.outputRemaining == 0 && !stream.ended
    }
}

/// The owner of liblzma's decoder state.
final class XZStream {
    /// Twice what the largest preset's dictionary needs; more is a claim, not a need.
    private static let memoryLimit: UInt64 = 256 << 20

    private var stream = lzma_stream()
    private(set) var ended = false

    deinit { lzma_end(&stream) }

    var outputRemaining: Int { stream.avail_out }

    func start(concatenated: Bool) throws {
        ended = false
        // LZMA_CONCATENATED, a cast macro that Swift does not import.
        let flags: UInt32 = concatenated ? 0x08 : 0
        guard lzma_stream_decoder(&stream, Self.memoryLimit, flags) == LZMA_OK else {
            throw CodecFailure.library("liblzma has no memory")
        }
    }

    func setInput(_ bytes: UnsafeRawBufferPointer) {
        stream.next_in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.avail_in = bytes.count
    }

    func setOutput(_ bytes: UnsafeMutableRawBufferPointer) {
        stream.next_out = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.avail_out = bytes.count
    }

    /// Decodes until the input is used up, the output is full or the stream ends.
    func run(finishing: Bool) throws {
        guard !ended else { return }
        while true {
            let result = lzma_code(&stream, finishing ? LZMA_FINISH : LZMA_RUN)
            switch result {
            case LZMA_OK:
                if stream.avail_out == 0 || (stream.avail_in == 0 && !finishing) { return }
            case LZMA_STREAM_END:
                ended = true
                return
            case LZMA_BUF_ERROR:
                if stream.avail_out == 0 || !finishing { return }
                throw CodecFailure.truncated
            case LZMA_MEMLIMIT_ERROR, LZMA_MEM_ERROR: throw CodecFailure.memory
            default: throw CodecFailure.damaged
            }
        }
    }
}
