// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Writes down where what is added differs from what is foretold, and by how much.
struct ResidualEncoder: ~Copyable {
    private let model: ResidualModel
    private let memory = WordMemory()
    /// How many units are as foretold before each that is not.
    private(set) var gaps: [UInt8] = []
    /// By how much those are off.
    private(set) var values: [UInt8] = []
    private(set) var misses = 0
    private var gap = 0

    init(model: ResidualModel) { self.model = model }

    mutating func add(
        _ instruction: Instruction, target: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer
    ) {
        guard let new = target.baseAddress?.advanced(by: instruction.target),
            let old = base.baseAddress?.advanced(by: instruction.base)
        else { return }
        guard model.unit != .bytes else { return addBytes(old, new, 0..<instruction.count) }
        let head = model.head(at: instruction.target, count: instruction.count)
        let end = head &+ (instruction.count &- head) & ~3
        addBytes(old, new, 0..<head)
        addWords(old, new, head..<end)
        addBytes(old, new, end..<instruction.count)
    }

    private mutating func addBytes(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ range: Range<Int>) {
        var position = range.lowerBound
        while position < range.upperBound {
            if position &+ 8 <= range.upperBound,
                old.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                    == new.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            {
                position &+= 8
                gap &+= 8
                continue
            }
            let difference =
                new.load(fromByteOffset: position, as: UInt8.self) &- old.load(fromByteOffset: position, as: UInt8.self)
            if difference == 0 {
                gap &+= 1
            } else {
                miss()
                values.append(difference)
            }
            position &+= 1
        }
    }

    private mutating func addWords(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ range: Range<Int>) {
        let swaps = model.unit == .bigEndianWords
        for position in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
            var was = UInt32(littleEndian: old.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            var becomes = UInt32(littleEndian: new.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            if swaps {
                was = was.byteSwapped
                becomes = becomes.byteSwapped
            }
            let added = Int32(bitPattern: becomes &- was)
            let place = memory.place(of: was)
            let residual = added &- place.pointee
            place.pointee = added
            if residual == 0 {
                gap &+= 1
            } else {
                miss()
                DeltaNumbers.append(UInt64(DeltaNumbers.folded(residual)), to: &values)
            }
        }
    }

    private mutating func miss() {
        DeltaNumbers.append(UInt64(gap), to: &gaps)
        gap = 0
        misses &+= 1
    }
}

/// Undoes what `ResidualEncoder` wrote.
struct ResidualDecoder: ~Copyable {
    private let model: ResidualModel
    private let memory = WordMemory()
    private var gaps: DeltaReader
    private var values: DeltaReader
    /// Units that are as foretold before the next that is not.
    private var gap: Int

    init(model: ResidualModel, gaps: UnsafeRawBufferPointer, values: UnsafeRawBufferPointer) throws {
        self.model = model
        self.gaps = DeltaReader(gaps)
        self.values = DeltaReader(values)
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
        let end = head &+ (bytes.count &- head) & ~3
        try addBytes(start, 0..<head)
        try addWords(start, head..<end)
        try addBytes(start, end..<bytes.count)
    }

    private mutating func addBytes(_ bytes: UnsafeMutableRawPointer, _ range: Range<Int>) throws {
        var position = range.lowerBound
        while gap < range.upperBound &- position {
            position &+= gap
            let value = bytes.load(fromByteOffset: position, as: UInt8.self) &+ (try values.byte())
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
}
