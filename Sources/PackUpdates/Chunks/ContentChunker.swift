// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto

/// Cuts a content in chunks whose ends depend on the bytes just before them, so that bytes put in or taken out move only
/// the chunks about them. Takes the content in pieces of any size; the pieces do not show in the chunks.
///
/// A rolling hash over 64 bytes ("gear") is compared with two masks, a stricter one before the average size and a laxer
/// one behind it, as docs/formats/pack-index.md describes: the cuts are part of the format.
package struct ContentChunker: Sendable {
    /// One chunk: its size in bytes, and the first 8 bytes of its SHA-256 as a big-endian number.
    package struct Chunk: Hashable, Sendable {
        package let size: Int
        package let digestPrefix: UInt64

        package init(size: Int, digestPrefix: UInt64) {
            self.size = size
            self.digestPrefix = digestPrefix
        }
    }

    /// Averages that an index may use, in bytes: powers of two.
    package static let averages = 1 << 10...1 << 20
    /// What indexes are made with at most.
    package static let defaultAverage = 32 << 10
    /// And at least.
    private static let leastAverage = 8 << 10

    /// What the index of an archive in blocks of so many bytes is made with: chunks far below a block's size find little.
    package static func average(forBlocksOf blockSize: UInt64) -> Int {
        var average = defaultAverage
        while average > leastAverage, UInt64(average) * 4 > blockSize { average /= 2 }
        return average
    }

    /// The shortest chunk, but for a content's last, and the longest of all.
    package static func bounds(average: Int) -> ClosedRange<Int> { average / 4...average * 4 }

    private let average: Int
    private let minimum: Int
    private let maximum: Int
    private let strictMask: UInt64
    private let laxMask: UInt64
    private var hash: UInt64 = 0
    private var size = 0
    private var digest = SHA256()

    /// - Parameter average: a power of two within `averages`; anything else is brought to one.
    package init(average: Int = ContentChunker.defaultAverage) {
        let bounded = min(max(average, Self.averages.lowerBound), Self.averages.upperBound)
        let bits = bounded.bitWidth - 1 - bounded.leadingZeroBitCount
        self.average = 1 << bits
        minimum = self.average / 4
        maximum = self.average * 4
        strictMask = ~0 << UInt64(63 - bits)
        laxMask = ~0 << UInt64(65 - bits)
    }

    /// Takes the next bytes and hands out the chunks that end in them.
    package mutating func update(_ bytes: UnsafeRawBufferPointer, _ body: (Chunk) throws -> Void) rethrows {
        var rest = bytes
        while !rest.isEmpty {
            let (count, isCut) = advance(rest)
            digest.update(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            size += count
            if isCut { try body(cut()) }
        }
    }

    /// The last chunk; nil when the content ended with a cut, or is empty. The chunker is then as new.
    package mutating func finish() -> Chunk? { size > 0 ? cut() : nil }

    private mutating func cut() -> Chunk {
        let chunk = Chunk(size: size, digestPrefix: Self.prefix(of: digest.finishAndReset()))
        size = 0
        hash = 0
        return chunk
    }

    /// How many of `bytes` belong to the chunk, and whether it ends with them.
    private mutating func advance(_ bytes: UnsafeRawBufferPointer) -> (count: Int, isCut: Bool) {
        var position = min(bytes.count, max(0, minimum - size))
        var hash = hash
        let strictEnd = min(bytes.count, average - size)
        let end = min(bytes.count, maximum - size)
        return Self.gear.withUnsafeBufferPointer { gear in
            while position < strictEnd {
                hash = hash << 1 &+ gear[Int(bytes[position])]
                position += 1
                if hash & strictMask == 0 { return (position, true) }
            }
            while position < end {
                hash = hash << 1 &+ gear[Int(bytes[position])]
                position += 1
                if hash & laxMask == 0 { return (position, true) }
            }
            self.hash = hash
            return (position, size + position == maximum)
        }
    }

    package static func prefix(of digest: Digest) -> UInt64 {
        digest.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The first 256 numbers that SplitMix64 gives from the state 1.
    static let gear: [UInt64] = {
        var state: UInt64 = 1
        return (0..<256).map { _ in
            state &+= 0x9E37_79B9_7F4A_7C15
            var number = state
            number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
            number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
            return number ^ number >> 31
        }
    }()
}
