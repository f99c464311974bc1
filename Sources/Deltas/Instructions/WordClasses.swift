// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Literal words, as differences from the word before them of the same class.
///
/// In tables of records, nodes or handles the top byte of a word often tells what it is, and words of one kind rise slowly.
/// For the classes that do so, the low 24 bits become the difference from the last word of the class. Words stand at
/// positions of the target that four divides; only those that lie in one run of literals count.
struct WordClasses: Hashable {
    static let maskSize = 32
    private static let mostUseful = 64

    /// A bit for each top byte.
    private(set) var mask = [UInt8](repeating: 0, count: maskSize)
    private var last = [UInt32](repeating: 0, count: 256)

    init() {}

    init(mask: UnsafeRawBufferPointer) { self.mask = Array(mask) }

    var isEmpty: Bool { mask.allSatisfy { $0 == 0 } }

    private func contains(_ word: UInt32) -> Bool { mask[Int(word >> 27)] & 1 << UInt8((word >> 24) & 7) != 0 }

    /// The classes for which differences take fewer bytes than the words themselves.
    static func useful(in target: UnsafeRawBufferPointer, runs: [Range<Int>]) -> WordClasses {
        var last = [UInt32](repeating: 0, count: 256)
        var saved = [Int](repeating: 0, count: 256)
        var counts = [Int](repeating: 0, count: 256)
        for run in runs {
            forEachWord(in: run) { position in
                let word = UInt32(littleEndian: target.loadUnaligned(fromByteOffset: position, as: UInt32.self))
                let index = Int(word >> 24)
                saved[index] += size(word & 0xFF_FFFF) - size(difference(word, last[index]))
                counts[index] += 1
                last[index] = word
            }
        }
        var classes = WordClasses()
        for index in 0..<256 where counts[index] >= mostUseful && saved[index] * 4 > counts[index] * 3 {
            classes.mask[index / 8] |= 1 << UInt8(index % 8)
        }
        return classes
    }

    private static func size(_ number: UInt32) -> Int { (31 - number.leadingZeroBitCount) / 8 + 1 }

    /// The difference of the low 24 bits, folded.
    private static func difference(_ word: UInt32, _ last: UInt32) -> UInt32 {
        let difference = Int32(bitPattern: (word &- last) << 8) >> 8
        return DeltaNumbers.folded(difference) & 0xFF_FFFF
    }

    private static func forEachWord(in run: Range<Int>, _ body: (Int) -> Void) {
        var position = (run.lowerBound &+ 3) & ~3
        while position &+ 4 <= run.upperBound {
            body(position)
            position &+= 4
        }
    }

    /// Changes words of literals that begin at a position of the target.
    mutating func encode(_ literals: UnsafeMutableRawBufferPointer, at start: Int) {
        Self.forEachWord(in: start..<start + literals.count) { position in
            let word = UInt32(littleEndian: literals.loadUnaligned(fromByteOffset: position &- start, as: UInt32.self))
            guard contains(word) else { return }
            let index = Int(word >> 24)
            let coded = word & 0xFF00_0000 | Self.difference(word, last[index])
            last[index] = word
            literals.storeBytes(of: coded.littleEndian, toByteOffset: position &- start, as: UInt32.self)
        }
    }

    /// Undoes `encode`.
    mutating func decode(_ literals: UnsafeMutableRawBufferPointer, at start: Int) {
        Self.forEachWord(in: start..<start + literals.count) { position in
            let word = UInt32(littleEndian: literals.loadUnaligned(fromByteOffset: position &- start, as: UInt32.self))
            guard contains(word) else { return }
            let index = Int(word >> 24)
            let difference = UInt32(bitPattern: DeltaNumbers.unfolded(word & 0xFF_FFFF))
            let becomes = word & 0xFF00_0000 | (last[index] &+ difference) & 0xFF_FFFF
            last[index] = becomes
            literals.storeBytes(of: becomes.littleEndian, toByteOffset: position &- start, as: UInt32.self)
        }
    }
}
