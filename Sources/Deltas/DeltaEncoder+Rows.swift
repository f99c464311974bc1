// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension DeltaEncoder {
    /// Rows have to make up as much of a target.
    private static let leastPart = 2
    /// What takes that part of a quick estimate has no equal.
    private static let (clearPart, clearOf) = (11, 16)

    /// One piece, head and payload, of a target that is triangles mostly.
    /// - Parameters:
    ///   - target: as in `encode`.
    ///   - triangles: where they stand, from the target's first byte on, in contents of which it may have a part only.
    ///   - bytes: of the base.
    ///   - counterparts: as in `encodeUnmoved`, as far as there are.
    ///   - otherwise: makes the piece in another way; asked when that may take fewer bytes.
    package func encode(
        _ target: UnsafeRawBufferPointer, triangles: [Range<Int>], bytes: UnsafeRawBufferPointer, counterparts: [Match],
        otherwise: () throws -> [UInt8]
    ) rethrows -> [UInt8] {
        let layout = RowLayout.triangles
        let runs = RowRuns(triangles, rowSize: layout.size, targetSize: target.count)
        guard runs.rowBytes > target.count / Self.leastPart else { return try otherwise() }
        let payload = RowPiece.encode(
            target, layout, runs, coder, slowBytes: Self.slowBytes(of: target.count, false))
        let size = DeltaFormat.pieceHeadSize + payload.count
        let prefix = UnsafeRawBufferPointer(rebasing: bytes.prefix(DeltaFormat.prefixSize))
        let isClear =
            prefix.count == bytes.count && !Self.isLikely(counterparts, of: target, bytes)
            && payload.count < coder.estimate(target, prefix: prefix) / Self.clearOf * Self.clearPart
        let other = isClear ? nil : try otherwise()
        guard payload.count <= target.count, size < other?.count ?? .max else {
            return try other ?? otherwise()
        }
        return DeltaPieceHead.encode(method: .rows, targetSize: target.count, payload: payload)
    }

    /// Whether some counterpart is what it is taken for. Numbers that all changed a little resemble nothing in a quick estimate, and
    /// have most of their bytes in common.
    private static func isLikely(
        _ counterparts: [Match], of target: UnsafeRawBufferPointer, _ base: UnsafeRawBufferPointer
    ) -> Bool {
        counterparts.contains { match in
            var equal = 0
            for place in 0..<match.count where target[match.target + place] == base[match.base + place] { equal += 1 }
            return equal > match.count / 2
        }
    }
}
