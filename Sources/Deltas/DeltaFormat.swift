// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The numbers of the format, which `docs/formats/pack-patch.md` describes. All numbers are little endian.
package enum DeltaFormat {
    /// The most target bytes in one piece.
    package static let pieceSize = 8 << 20
    /// Method, target bytes and payload bytes.
    package static let pieceHeadSize = 9
    /// The most base bytes that a piece has for a prefix.
    static let prefixSize = 4 << 20
    /// The most base bytes that a piece's literals have for a prefix.
    static let literalPrefixSize = 2 << 20
    /// How many bytes a payload may have more than its target: what heads of its parts take.
    static let payloadSlack = 256

    /// How a piece says what its target is.
    enum Method: UInt8 {
        /// One stream, coded with a range of the base as prefix.
        case prefixed = 1
        /// Instructions to copy from the base and to add to it, and literals.
        case instructions = 2
        /// Rows of vectors, of which many come again.
        case rows = 3
    }
}

/// The head of a piece of a delta.
package struct DeltaPieceHead: Hashable, Sendable {
    package let method: UInt8
    /// How many bytes of the target it gives, at least 1.
    package let targetSize: Int
    /// How many bytes follow.
    package let payloadSize: Int

    /// - Throws: `DeltaError.damaged` when it promises more than a piece may have.
    package init(_ bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count == DeltaFormat.pieceHeadSize else { throw DeltaError.damaged("a piece's head is cut off") }
        method = bytes[0]
        targetSize = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
        payloadSize = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 5, as: UInt32.self)))
        guard (1...DeltaFormat.pieceSize).contains(targetSize), payloadSize <= targetSize + DeltaFormat.payloadSlack
        else { throw DeltaError.damaged("a piece promises more than a piece may have") }
    }

    static func encode(method: DeltaFormat.Method, targetSize: Int, payload: [UInt8]) -> [UInt8] {
        var bytes = [method.rawValue]
        bytes.reserveCapacity(DeltaFormat.pieceHeadSize + payload.count)
        for number in [targetSize, payload.count] {
            for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        return bytes + payload
    }
}
