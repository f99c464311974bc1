// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A piece that is one coded stream, with a range of the base as its prefix: best for text, of which a little changes
/// everywhere.
///
/// Payload: where the range begins, its length, and the coded stream.
enum PrefixedPiece {
    static func encode(
        _ target: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer, range: Range<Int>, _ coder: StreamCoder,
        _ slowBytes: Int
    ) -> [UInt8] {
        var payload: [UInt8] = []
        DeltaNumbers.append(UInt64(range.lowerBound), to: &payload)
        DeltaNumbers.append(UInt64(range.count), to: &payload)
        return payload
            + coder.encode(target, prefix: UnsafeRawBufferPointer(rebasing: base[range]), slowBytes: slowBytes)
    }

    static func estimate(
        _ target: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer, range: Range<Int>, coder: StreamCoder
    ) -> Int {
        coder.estimate(target, prefix: UnsafeRawBufferPointer(rebasing: base[range]))
    }

    /// The range of the base from which most of the matches are.
    /// - Parameter size: how many bytes it has at most, a multiple of eight.
    static func range(
        for matches: [Match], baseSize: Int, size: Int = DeltaFormat.prefixSize
    ) -> Range<Int> {
        guard baseSize > size else { return 0..<baseSize }
        let step = size / 8
        var weights = [Int](repeating: 0, count: baseSize / step + 1)
        for match in matches { weights[match.base / step] += match.count }
        var sum = weights.prefix(8).reduce(0, +)
        var best = (sum: sum, first: 0)
        for first in 1..<max(2, weights.count - 7) {
            sum += (weights.indices.contains(first + 7) ? weights[first + 7] : 0) - weights[first - 1]
            if sum > best.sum { best = (sum, first) }
        }
        let start = min(best.first * step, baseSize - size)
        return start..<start + size
    }

    /// - Throws: `DeltaError`, or what reading the base throws.
    static func decode(
        _ payload: UnsafeRawBufferPointer, base: some DeltaSource, into target: UnsafeMutableRawBufferPointer,
        coder: StreamCoder, memory: DecodingMemory
    ) throws {
        var reader = DeltaReader(payload)
        let start = try reader.number(upTo: base.size)
        let count = try reader.number(upTo: min(base.size - start, DeltaFormat.prefixSize))
        let coded = try reader.bytes(reader.remaining)
        let prefix = memory.streams(count)
        if count > 0 { try base.read(into: prefix, at: start) }
        try coder.decode(coded, prefix: UnsafeRawBufferPointer(prefix), into: target)
    }
}
