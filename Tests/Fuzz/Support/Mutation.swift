// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import TestSupport

/// Small changes that parsers trip over.
package enum Mutation {
    /// Changes `bytes` in one to eight places.
    package static func apply(
        to bytes: inout [UInt8], dictionary: [[UInt8]] = [], _ generator: inout SeededGenerator
    ) {
        for _ in 0..<(1 << Int.random(in: 0...3, using: &generator)) { once(&bytes, dictionary, &generator) }
    }

    private static func once(_ bytes: inout [UInt8], _ dictionary: [[UInt8]], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else {
            bytes.append(UInt8.random(in: 0...255, using: &generator))
            return
        }
        let position = Int.random(in: 0..<bytes.count, using: &generator)
        let end = min(bytes.count, position + Int.random(in: 1...32, using: &generator))
        switch Int.random(in: 0...9, using: &generator) {
        case 0: bytes[position] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case 1: bytes[position] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes[position] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &generator) ?? 0
        case 3: bytes.removeSubrange(position..<end)
        case 4: bytes.insert(contentsOf: bytes[position..<end], at: position)
        case 5: bytes.removeSubrange(position...)
        case 6: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: position)
        case 7:
            let number = Self.numbers.randomElement(using: &generator) ?? 0
            let width = [2, 4, 8].randomElement(using: &generator) ?? 8
            let big = Bool.random(using: &generator)
            for index in 0..<width where position + index < bytes.count {
                bytes[position + index] = UInt8(
                    truncatingIfNeeded: number >> UInt64(8 * (big ? width - 1 - index : index)))
            }
        case 8:
            guard let word = dictionary.randomElement(using: &generator) else { return }
            bytes.insert(contentsOf: word, at: position)
        default:
            guard let word = dictionary.randomElement(using: &generator) else { return }
            for (index, byte) in word.enumerated() where position + index < bytes.count {
                bytes[position + index] = byte
            }
        }
    }

    /// Numbers near which arithmetic goes wrong.
    private static let numbers: [UInt64] = [
        0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff,
        0x1_0000_0000, 10_000_000_000, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, 0xffff_ffff_ffff_ffff,
    ]
}
