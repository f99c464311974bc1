// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Where in a piece's target rows stand, and plain bytes between and behind them.
struct RowRuns {
    /// Each takes as much memory as some rows do.
    private static let mostRuns = 4096

    /// Whole rows, in order, none over another.
    let ranges: [Range<Int>]
    let targetSize: Int

    /// Bytes that belong to rows.
    var rowBytes: Int { ranges.reduce(0) { $0 + $1.count } }

    /// The rest.
    var plain: [Range<Int>] {
        var plain: [Range<Int>] = []
        var end = 0
        for range in ranges {
            if range.lowerBound > end { plain.append(end..<range.lowerBound) }
            end = range.upperBound
        }
        return end < targetSize ? plain + [end..<targetSize] : plain
    }

    /// - Parameter ranges: rows of contents, from their first on, of which the target may have a part.
    init(_ ranges: [Range<Int>], rowSize: Int, targetSize: Int) {
        self.targetSize = targetSize
        self.ranges = Array(
            ranges.lazy.compactMap { range -> Range<Int>? in
                let cut = max(0, -range.lowerBound)
                let start = range.lowerBound + (cut + rowSize - 1) / rowSize * rowSize
                let count = (min(range.upperBound, targetSize) - start) / rowSize
                return count > 0 ? start..<start + count * rowSize : nil
            }.prefix(Self.mostRuns))
    }

    /// Takes runs off the front of a payload.
    /// - Throws: `DeltaError.damaged`
    init(_ reader: inout DeltaReader, rowSize: Int, targetSize: Int) throws {
        var ranges: [Range<Int>] = []
        var end = 0
        for _ in 0..<(try reader.number(upTo: Self.mostRuns)) {
            let start = end + (try reader.number(upTo: targetSize - end))
            end = start + (try reader.number(upTo: (targetSize - start) / rowSize)) * rowSize
            ranges.append(start..<end)
        }
        (self.ranges, self.targetSize) = (ranges, targetSize)
    }

    /// As the other `init` takes it.
    func encoded(rowSize: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        DeltaNumbers.append(UInt64(ranges.count), to: &bytes)
        var end = 0
        for range in ranges {
            DeltaNumbers.append(UInt64(range.lowerBound - end), to: &bytes)
            DeltaNumbers.append(UInt64(range.count / rowSize), to: &bytes)
            end = range.upperBound
        }
        return bytes
    }
}
