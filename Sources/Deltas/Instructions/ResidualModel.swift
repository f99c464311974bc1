// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What is added to the base's bytes, and how it is foretold.
///
/// Bytes: each is a number of its own, and what is added is taken to be nothing.
///
/// Words: four bytes are a number, as offsets, sizes and handles are. When things were put into the old data or taken out of it,
/// whatever points behind them is off by the same amount: what is added depends on where a word points rather than on
/// where it stands. So what was added last to a word that pointed nearby is taken to be added again.
///
/// Halves and singles: two or four bytes are a measured number, whole or floating, of which all changed a little, as weights of a model
/// or samples do. What is added to one says nothing of the next but how large it is.
struct ResidualModel: Hashable {
    enum Unit: UInt8 {
        case bytes = 0
        case words = 1
        case bigEndianWords = 2
        case halves = 3
        case singles = 4

        /// In bytes.
        var size: Int {
            switch self {
            case .bytes: 1
            case .halves: 2
            case .words, .bigEndianWords, .singles: 4
            }
        }

        /// Whether values stand in columns, each as many bytes as the unit has: nothing is foretold, so all are alike.
        var isInColumns: Bool { self == .halves || self == .singles }
    }

    let unit: Unit
    /// Units begin at positions of the target that have this remainder by their size.
    let phase: Int

    static let bytes = ResidualModel(unit: .bytes, phase: 0)

    init(unit: Unit, phase: Int) {
        self.unit = unit
        self.phase = phase
    }

    var byte: UInt8 { unit.rawValue | UInt8(truncatingIfNeeded: phase) << 4 }

    /// nil for what no model is.
    init?(byte: UInt8) {
        guard let unit = Unit(rawValue: byte & 0x0F), byte >> 4 < 4 else { return nil }
        self.init(unit: unit, phase: Int(byte >> 4))
    }

    /// How many of `count` bytes from a position of the target on stand before the first whole unit.
    @inline(__always)
    func head(at position: Int, count: Int) -> Int { min(count, (phase &- position) & (unit.size &- 1)) }
}

/// What was added last to words that pointed to some place, by the place.
struct WordMemory: ~Copyable {
    private static let bits: UInt32 = 18
    /// Words that differ by less than two to this point to one place.
    private static let reach: UInt32 = 12

    private let added: UnsafeMutablePointer<Int32>

    init() {
        added = .allocate(capacity: 1 << Int(Self.bits))
        added.initialize(repeating: 0, count: 1 << Int(Self.bits))
    }

    deinit { added.deallocate() }

    @inline(__always)
    func place(of word: UInt32) -> UnsafeMutablePointer<Int32> {
        added + Int(((word >> Self.reach) &* 0x9E37_79B1) >> (32 &- Self.bits))
    }
}
