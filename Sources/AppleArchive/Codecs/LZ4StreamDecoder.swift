// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Decodes an LZ4 frame of any length, piece by piece.
final class LZ4StreamDecoder: StreamDecoder {
    /// Pieces of Apple's tools hold 64 KiB; a much larger claim is refused before memory is taken for it.
    private static let largestPiece = 16 << 20

    private let input = ByteBuffer()
    /// The last 64 KiB of output, and behind it the piece being decoded.
    private let output = ByteBuffer()
    private var ended = false

    func decode(_ bytes: UnsafeRawBufferPointer, to deliver: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard !ended else { return }
        input.append(bytes)
        var position = 0
        while !ended {
            let rest = UnsafeRawBufferPointer(rebasing: input.bytes[position...])
            guard let piece = try LZ4Piece(rest) else { break }
            guard piece.size <= Self.largestPiece, piece.contentSize <= Self.largestPiece else {
                throw CodecFailure.memory
            }
            guard rest.count >= piece.size else { break }
            ended = piece.magic == LZ4Codec.end
            output.removeFirst(max(0, output.count - LZ4Codec.pieceSize))
            let history = output.count
            output.reserve(extra: piece.contentSize)
            let room = UnsafeMutableRawBufferPointer(start: output.base + history, count: piece.contentSize)
            let payload = UnsafeRawBufferPointer(rebasing: rest[piece.headSize..<piece.size])
            if !room.isEmpty { try piece.decode(payload, into: room, history: output.bytes) }
            output.count += piece.contentSize
            position += piece.size
            if !room.isEmpty { try deliver(UnsafeRawBufferPointer(room)) }
        }
        input.removeFirst(position)
    }

    func finish(to deliver: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard ended else { throw CodecFailure.truncated }
    }
}
