// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension DeltaEncoder {
    /// Rows have to make up as much of a target.
    private static let leastPart = 2
    /// What takes that part of a quick estimate has no equal.
    private static let (clearPart, clearOf) = (5, 8)

    /// One piece, head and payload, of a target that is triangles mostly.
    /// - Parameters:
    ///   - target: as in `encode`.
    ///   - triangles: where they stand in contents of which the target may have a part; from the first one's first byte on.
    ///   - bytes: of the base.
    ///   - otherwise: makes the piece in another way; asked when that may take fewer bytes.
    package func encode(
        _ target: UnsafeRawBufferPointer, triangles: [Range<Int>], bytes: UnsafeRawBufferPointer,
        otherwise: () throws -> [UInt8]
    ) rethrows -> [UInt8] {
        let layout = RowLayout.triangles
        let runs = RowRuns(triangles, rowSize: layout.size, targetSize: target.count)
        guard runs.rowBytes > target.count / Self.leastPart else { return try otherwise() }
        let payload = RowPiece.encode(target, layout, runs, coder)
        let prefix = UnsafeRawBufferPointer(rebasing: bytes.prefix(DeltaFormat.prefixSize))
        let isClear =
            prefix.count == bytes.count
            && payload.count < coder.estimate(target, prefix: prefix) / Self.clearOf * Self.clearPart
        let other = isClear ? nil : try otherwise()
        guard payload.count <= target.count, payload.count < other?.count ?? .max else {
            return try other ?? otherwise()
        }
        return DeltaPieceHead.encode(method: .rows, targetSize: target.count, payload: payload)
    }
}
