// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Where in the base stretches stand, as a stream says it: each as a difference from where the last one would go on, which is little
/// where things stay in order; or all as they are, in columns of bytes, which is less where they are in no order.
enum CopyPlaces {
    /// Of a model's byte: the places stand in columns.
    static let columnsFlag: UInt8 = 0x40

    /// How many bytes a place in a base of that size has.
    static func width(baseSize: Int) -> Int { (71 - max(1, baseSize).leadingZeroBitCount) / 8 }

    static func columns(_ places: [Int], baseSize: Int) -> [UInt8] {
        Columns.bytes(of: places, width: width(baseSize: baseSize))
    }
}

/// Takes places off the front of their stream.
struct CopyPlaceReader {
    private var differences: DeltaReader
    private var columns: Columns.Reader
    private let isInColumns: Bool

    /// - Throws: `DeltaError.damaged`
    init(_ stream: UnsafeRawBufferPointer, inColumns: Bool, baseSize: Int) throws {
        differences = DeltaReader(stream)
        columns = try Columns.Reader(stream, width: inColumns ? CopyPlaces.width(baseSize: baseSize) : 1)
        isInColumns = inColumns
    }

    /// Whether all were taken.
    var isAtEnd: Bool { isInColumns ? columns.isAtEnd : differences.remaining == 0 }

    /// The next place, which may be anything.
    /// - Parameter expected: where the last stretch would go on.
    /// - Throws: `DeltaError.damaged`
    @inline(__always)
    mutating func next(expected: Int) throws -> Int {
        guard isInColumns else { return expected &+ Int(DeltaNumbers.unfolded(try differences.number())) }
        return Int(truncatingIfNeeded: try columns.next())
    }
}
