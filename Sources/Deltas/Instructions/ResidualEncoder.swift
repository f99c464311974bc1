// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Writes down where what is added differs from what is foretold, and by how much.
struct ResidualEncoder: ~Copyable {
    private let model: ResidualModel
    private let memory = WordMemory()
    /// How many units are as foretold before each that is not.
    private(set) var gaps: [UInt8] = []
    private var bytes: [UInt8] = []
    /// Of models with columns, in place of the bytes.
    private var numbers: [UInt32] = []
    private(set) var misses = 0
    private var gap = 0

    init(model: ResidualModel) { self.model = model }

    /// By how much those are off.
    var values: [UInt8] {
        model.unit.isInColumns ? Columns.bytes(of: numbers, width: model.unit.size) : bytes
    }

    /// How far off things are: for columns by their bits, otherwise by their number.
    var weight: Int {
        model.unit.isInColumns ? numbers.reduce(0) { $0 + (32 - $1.leadingZeroBitCount) } : misses
    }

    mutating func add(
        _ instruction: Instruction, target: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer
    ) {
        guard let new = target.baseAddress?.advanced(by: instruction.target),
            let old = base.baseAddress?.advanced(by: instruction.base)
        else { return }
        guard model.unit != .bytes else { return addBytes(old, new, 0..<instruction.count) }
        let head = model.head(at: instruction.target, count: instruction.count)
        let end = head &+ (instruction.count &- head) & ~(model.unit.size &- 1)
        addBytes(old, new, 0..<head)
        switch model.unit {
        case .halves: addNumbers(old, new, head..<end, as: Int16.self)
        case .singles: addNumbers(old, new, head..<end, as: Int32.self)
        default: addWords(old, new, head..<end)
        }
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
                if model.unit.isInColumns { numbers.append(UInt32(difference)) } else { bytes.append(difference) }
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
                DeltaNumbers.append(UInt64(DeltaNumbers.folded(residual)), to: &bytes)
            }
        }
    }

    @inline(__always)
    private mutating func addNumbers<Number: FixedWidthInteger & BitwiseCopyable>(
        _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ range: Range<Int>, as type: Number.Type
    ) {
        for position in stride(from: range.lowerBound, to: range.upperBound, by: MemoryLayout<Number>.size) {
            let was = Number(littleEndian: old.loadUnaligned(fromByteOffset: position, as: type))
            let becomes = Number(littleEndian: new.loadUnaligned(fromByteOffset: position, as: type))
            let difference = Int32(truncatingIfNeeded: becomes &- was)
            if difference == 0 {
                gap &+= 1
            } else {
                miss()
                numbers.append(DeltaNumbers.folded(difference))
            }
        }
    }

    private mutating func miss() {
        DeltaNumbers.append(UInt64(gap), to: &gaps)
        gap = 0
        misses &+= 1
    }
}
