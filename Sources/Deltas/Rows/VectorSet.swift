// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The vectors of one set while a target is made of what says which come.
struct VectorSet {
    let wordCount: Int
    /// How many different ones there are.
    let count: Int
    /// How many in all.
    let height: Int
    /// Which come again, in columns: 0 for a new one.
    let references: UnsafeRawBufferPointer
    /// By how much words of new ones differ from those of the vector before, in columns.
    let words: UnsafeRawBufferPointer
    /// Where in the target the different ones stand.
    let places: UnsafeMutableBufferPointer<UInt32>
    private var taken = 0
    private var made = 0
    private var last = 0

    init(
        wordCount: Int, count: Int, height: Int, references: UnsafeRawBufferPointer, words: UnsafeRawBufferPointer,
        places: UnsafeMutableBufferPointer<UInt32>
    ) {
        (self.wordCount, self.count, self.height) = (wordCount, count, height)
        (self.references, self.words, self.places) = (references, words, places)
    }

    /// Whether all that it has was taken.
    var isAtEnd: Bool { made == count }

    /// Makes the vector at a place of the target.
    /// - Throws: `DeltaError.damaged`
    mutating func next(into target: UnsafeMutableRawBufferPointer, at place: Int) throws {
        var reference = 0
        for position in stride(from: references.count - height + taken, through: taken, by: -height) {
            reference = reference << 8 | Int(references[position])
        }
        let hasLast = taken > 0
        taken += 1
        defer { last = place }
        if reference > 0 {
            guard reference <= made else { throw DeltaError.damaged("a vector comes again that never came") }
            let source = Int(places[made - reference])
            for word in 0..<wordCount {
                let value = target.loadUnaligned(fromByteOffset: source + 4 * word, as: UInt32.self)
                target.storeBytes(of: value, toByteOffset: place + 4 * word, as: UInt32.self)
            }
            return
        }
        guard made < count else { throw DeltaError.damaged("it has more vectors than it says") }
        for word in 0..<wordCount {
            var folded: UInt32 = 0
            for byte in stride(from: 3, through: 0, by: -1) {
                folded = folded << 8 | UInt32(words[(4 * word + byte) * count + made])
            }
            let before =
                hasLast
                ? UInt32(littleEndian: target.loadUnaligned(fromByteOffset: last + 4 * word, as: UInt32.self)) : 0
            let value = before &+ UInt32(bitPattern: DeltaNumbers.unfolded(folded))
            target.storeBytes(of: value.littleEndian, toByteOffset: place + 4 * word, as: UInt32.self)
        }
        places[made] = UInt32(place)
        made += 1
    }
}
