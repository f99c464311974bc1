// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Where in the base stretches stand, as a stream says it: each as a difference from where the last one would go on, which is little
/// where things stay in order; or all as they are, in columns of bytes, which is less where they are in no order.
enum CopyPlaces {
    /// Of a model's byte: the places stand in columns.
    static let columnsFlag: UInt8 = 0x40

    /// How many bytes a place in a base of that size has.
    static func width(baseSize: Int) -> Int { (71 - max(1, baseSize).leadingZeroBitCount) / 8 }

    /// First all lowest bytes, and so on.
    static func columns(_ places: [Int], baseSize: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(places.count * width(baseSize: baseSize))
        for column in 0..<width(baseSize: baseSize) {
            for place in places { bytes.append(UInt8(truncatingIfNeeded: place >> (8 * column))) }
        }
        return bytes
    }
}

/// Takes places off the front of their stream.
struct CopyPlaceReader {
    private var differences: DeltaReader
    private let columns: UnsafeRawBufferPointer
    private let isInColumns: Bool
    private let height: Int
    private var row = 0

    /// - Throws: `DeltaError.damaged`
    init(_ stream: UnsafeRawBufferPointer, inColumns: Bool, baseSize: Int) throws {
        let width = inColumns ? CopyPlaces.width(baseSize: baseSize) : 0
        (differences, columns, isInColumns) = (DeltaReader(stream), stream, inColumns)
        height = inColumns ? stream.count / width : 0
        guard !inColumns || height * width == stream.count else {
            throw DeltaError.damaged("its columns of places differ in height")
        }
    }

    /// Whether all were taken.
    var isAtEnd: Bool { isInColumns ? row == height : differences.remaining == 0 }

    /// The next place, which may be anything.
    /// - Parameter expected: where the last stretch would go on.
    /// - Throws: `DeltaError.damaged`
    @inline(__always)
    mutating func next(expected: Int) throws -> Int {
        guard isInColumns else { return expected &+ Int(DeltaNumbers.unfolded(try differences.number())) }
        guard row < height else { throw DeltaError.damaged("a stream ends too early") }
        var place = 0
        for position in stride(from: columns.count &- height &+ row, through: row, by: -height) {
            place = place << 8 | Int(columns[position])
        }
        row &+= 1
        return place
    }
}
