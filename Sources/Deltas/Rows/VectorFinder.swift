// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Finds which vectors of a target came before.
struct VectorFinder {
    private let target: UnsafeRawBufferPointer
    private let wordCount: Int
    private let mask: Int
    /// The number of a vector and one, by what it is; 0 for none.
    private var slots: [UInt32]
    /// Where the different ones stand.
    private var places: [UInt32] = []
    private var last: Int?
    /// For each vector how many different ones there are from the one that it is on; 0 for a new one.
    private(set) var references: [UInt32] = []
    /// For each word of a vector by how much those of the new ones differ from the vector before, folded.
    private(set) var differences: [[UInt32]]

    /// How many different ones there are.
    var count: Int { places.count }

    /// - Parameter most: how many there may be.
    init(_ target: UnsafeRawBufferPointer, wordCount: Int, most: Int) {
        (self.target, self.wordCount) = (target, wordCount)
        // Half of it stays free.
        let size = 1 << (Int.bitWidth - max(most, 8).leadingZeroBitCount + 1)
        mask = size - 1
        slots = [UInt32](repeating: 0, count: size)
        references.reserveCapacity(most)
        differences = [[UInt32]](repeating: [], count: wordCount)
    }

    /// Adds the vector at a place of the target.
    mutating func add(_ place: Int) {
        defer { last = place }
        var slot = slot(of: place)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if isSame(Int(places[number]), place) {
                references.append(UInt32(places.count - number))
                return
            }
            slot = (slot + 1) & mask
        }
        for index in 0..<wordCount {
            let before = last.map { word(index, at: $0) } ?? 0
            let difference = Int32(bitPattern: word(index, at: place) &- before)
            differences[index].append(DeltaNumbers.folded(difference))
        }
        places.append(UInt32(place))
        slots[slot] = UInt32(places.count)
        references.append(0)
    }

    private func word(_ index: Int, at place: Int) -> UInt32 {
        UInt32(littleEndian: target.loadUnaligned(fromByteOffset: place + 4 * index, as: UInt32.self))
    }

    private func slot(of place: Int) -> Int {
        var hash: UInt64 = 0
        for index in 0..<wordCount {
            hash = (hash ^ UInt64(word(index, at: place))) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
        }
        return Int(truncatingIfNeeded: hash >> 7) & mask
    }

    private func isSame(_ one: Int, _ other: Int) -> Bool {
        for index in 0..<wordCount where word(index, at: one) != word(index, at: other) { return false }
        return true
    }
}
