// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// LZBITMAP blocks, as macOS 13.3 and later can write them; read only.
final class LZBitmapCodec: BlockCodec {
    func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? { nil }

    func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws {
        guard let output = target.baseAddress, source.starts(with: LZBitmapChunk.magic) else {
            throw CodecFailure.damaged
        }
        var position = LZBitmapChunk.magic.count
        var written = 0
        while true {
            let rest = UnsafeRawBufferPointer(rebasing: source[position...])
            guard let chunk = try LZBitmapChunk(rest), chunk.size <= rest.count else { throw CodecFailure.truncated }
            if chunk.contentSize == 0 { break }
            guard chunk.contentSize < target.count - written else { throw CodecFailure.wrongSize }
            try chunk.decode(
                UnsafeRawBufferPointer(rebasing: rest.prefix(chunk.size)), to: output + written, history: written)
            position += chunk.size
            written += chunk.contentSize
        }
        guard written == target.count - 1 else { throw CodecFailure.wrongSize }
    }
}

/// Decodes an LZBITMAP stream of any length, chunk by chunk.
final class LZBitmapStreamDecoder: StreamDecoder {
    private let input = ByteBuffer()
    /// The output that distances may reach, and behind it the chunk being decoded.
    private let output = ByteBuffer(capacity: LZBitmapChunk.window + LZBitmapChunk.largestContent)
    private var started = false
    private var ended = false

    func decode(_ bytes: UnsafeRawBufferPointer, to deliver: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard !ended else { return }
        input.append(bytes)
        var position = 0
        if !started {
            guard input.count >= LZBitmapChunk.magic.count else { return }
            guard input.bytes.starts(with: LZBitmapChunk.magic) else { throw CodecFailure.damaged }
            position = LZBitmapChunk.magic.count
            started = true
        }
        while !ended {
            let rest = UnsafeRawBufferPointer(rebasing: input.bytes[position...])
            guard let chunk = try LZBitmapChunk(rest), chunk.size <= rest.count else { break }
            output.removeFirst(max(0, output.count - LZBitmapChunk.window))
            let history = output.count
            if chunk.contentSize > 0 {
                let start = output.base + history
                try chunk.decode(UnsafeRawBufferPointer(rebasing: rest.prefix(chunk.size)), to: start, history: history)
                output.count += chunk.contentSize
                try deliver(UnsafeRawBufferPointer(start: start, count: chunk.contentSize))
            }
            ended = chunk.contentSize == 0
            position += chunk.size
        }
        input.removeFirst(position)
    }

    func finish(to deliver: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard ended else { throw CodecFailure.truncated }
    }
}
