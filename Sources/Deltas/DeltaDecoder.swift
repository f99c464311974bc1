// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Makes pieces of a target again from the base and the pieces of a delta. Of one thread. What it is given may be hostile: it
/// takes memory for a few times `DeltaFormat.pieceSize` at most, and gives the piece, which may be wrong, or an error.
package final class DeltaDecoder {
    private let coder: StreamCoder
    private let memory = DecodingMemory()

    /// - Throws: `DeltaError.library` when libzstd is not there.
    package init() throws { coder = try StreamCoder() }

    /// - Parameter target: as many bytes as the head says.
    /// - Throws: `DeltaError`, or what reading the base throws.
    package func decode(
        _ head: DeltaPieceHead, payload: UnsafeRawBufferPointer, base: some DeltaSource,
        into target: UnsafeMutableRawBufferPointer
    ) throws {
        guard let method = DeltaFormat.Method(rawValue: head.method) else {
            throw DeltaError.damaged("a piece has an unknown method; it may be newer than this program")
        }
        guard target.count == head.targetSize, payload.count == head.payloadSize else {
            throw DeltaError.damaged("a piece is cut off")
        }
        switch method {
        case .prefixed:
            try PrefixedPiece.decode(payload, base: base, into: target, coder: coder, memory: memory)
        case .instructions:
            try InstructionPiece.decode(payload, base: base, into: target, coder: coder, memory: memory)
        case .rows: try RowPiece.decode(payload, into: target, coder: coder, memory: memory)
        }
    }
}
