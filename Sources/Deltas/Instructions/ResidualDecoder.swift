// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Undoes what `ResidualEncoder` wrote.
struct ResidualDecoder: ~Copyable {
    private let model: ResidualModel
    private let memory = WordMemory()
    private var gaps: DeltaReader
    private var values: DeltaReader
    private var columns: Columns.Reader
    /// Units that are as foretold before the next that is not.
    private var gap: Int

    /// - Parameter columns: the values, of models with columns.
    init(
        model: ResidualModel, gaps: UnsafeRawBufferPointer, values: UnsafeRawBufferPointer, columns: Columns.Reader
    ) throws {
        self.model = model
        self.gaps = DeltaReader(gaps)
        self.values = DeltaReader(values)
        self.columns = columns
        gap = 0
        gap = try nextGap()
    }

    /// Behind the last one everything is as foretold.
    private mutating func nextGap() throws -> Int {
        gaps.remaining == 0 ? Int.max : try gaps.number(upTo: Int.max)
    }

    /// Adds to the base's bytes in place.
    /// - Parameter position: where they stand in the target.
    mutating func add(to bytes: UnsafeMutableRawBufferPointer, at position: Int) throws {
        guard let start = bytes.baseAddress else { return }
        guard model.unit != .bytes else { return try addBytes(start, 0..<bytes.count) }
        let head = model.head(at: position, count: bytes.count)
        let end = head &+ (bytes.count &- head) & ~(model.unit.size &- 1)
        try addBytes(start, 0..<head)
        switch model.unit {
        case .halves: try addNumbers(start, head..<end, as: Int16.self)
        case .singles: try addNumbers(start, head..<end, as: Int32.self)
        default: try addWords(start, head..<end)
        }
        try addBytes(start, end..<bytes.count)
    }

    private mutating func addBytes(_ bytes: UnsafeMutableRawPointer, _ range: Range<Int>) throws {
        var position = range.lowerBound
        while gap < range.upperBound &- position {
            position &+= gap
            let added = model.unit.isInColumns ? UInt8(truncatingIfNeeded: try columns.next()) : try values.byte()
            let value = bytes.load(fromByteOffset: position, as: UInt8.self) &+ added
            bytes.storeBytes(of: value, toByteOffset: position, as: UInt8.self)
            position &+= 1
            gap = try nextGap()
        }
        gap &-= range.upperBound &- position
    }

    private mutating func addWords(_ bytes: UnsafeMutableRawPointer, _ range: Range<Int>) throws {
        let swaps = model.unit == .bigEndianWords
        for position in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
            let stored = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            let was = swaps ? stored.byteSwapped : stored
            let place = memory.place(of: was)
            if gap == 0 {
                let value = UInt32(truncatingIfNeeded: try values.number())
                place.pointee &+= DeltaNumbers.unfolded(value)
                gap = try nextGap()
            } else {
                gap &-= 1
            }
            let becomes = was &+ UInt32(bitPattern: place.pointee)
            bytes.storeBytes(
                of: (swaps ? becomes.byteSwapped : becomes).littleEndian, toByteOffset: position, as: UInt32.self)
        }
    }

    @inline(__always)
    private mutating func addNumbers<Number: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeMutableRawPointer, _ range: Range<Int>, as type: Number.Type
    ) throws {
        let size = MemoryLayout<Number>.size
        var position = range.lowerBound
        while gap < (range.upperBound &- position) / size {
            position &+= size &* gap
            let was = Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: type))
            let added = DeltaNumbers.unfolded(UInt32(truncatingIfNeeded: try columns.next()))
            bytes.storeBytes(
                of: (was &+ Number(truncatingIfNeeded: added)).littleEndian, toByteOffset: position, as: type)
            position &+= size
            gap = try nextGap()
        }
        gap &-= (range.upperBound &- position) / size
    }
}
