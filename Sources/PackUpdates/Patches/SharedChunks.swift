// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Deltas

/// What the indexes tell of a content and its bases before anything is unpacked: which stretches are the same, since their chunks
/// are, and which are left to be compared. Pure.
struct SharedChunks: Hashable {
    /// A content of the base.
    struct Base {
        /// In bytes.
        let size: Int
        /// Empty when it has none, because it is small, or was cut otherwise.
        let chunks: ArraySlice<ContentChunker.Chunk>
    }

    /// Smaller contents are compared whole.
    private static let leastSize = 4 << 20
    /// The most bytes of the base that are compared: they are in memory.
    private static let mostCompared = 64 << 20
    /// What stood where something is new is compared even if it stands elsewhere still, up to so many times the new bytes and
    /// these besides.
    private static let (gapFactor, gapSlack) = (4, 256 << 10)

    /// Stretches of the target that stand in the base.
    private(set) var copies: [Match] = []
    /// What is left of the target, cut where chunks are.
    private(set) var targetSpans: [Range<Int>] = []
    /// What of the base may be in there: what the target has no more, and what stood beside what it has.
    private(set) var baseSpans: [Range<Int>] = []

    /// nil when less than half of the target is known so, or the target is small: then comparing all is as well.
    init?(of target: ArraySlice<ContentChunker.Chunk>, size: Int, bases: [Base], leastSize: Int = leastSize) {
        guard size >= leastSize, !target.isEmpty else { return nil }
        var chunkAt: [Int: ContentChunker.Chunk] = [:]
        var places: [ContentChunker.Chunk: Int] = [:]
        var end = 0
        for base in bases {
            var place = end
            for chunk in base.chunks {
                chunkAt[place] = chunk
                if places[chunk] == nil { places[chunk] = place }
                place += chunk.size
            }
            end += base.size
        }
        var shared: Set<ContentChunker.Chunk> = []
        var position = 0
        for chunk in target {
            let expected = copies.last.map { $0.base + position - $0.target }
            if let place = expected.flatMap({ chunkAt[$0] == chunk ? $0 : nil }) ?? places[chunk] {
                shared.insert(chunk)
                if let last = copies.last, last.target + last.count == position, last.base + last.count == place {
                    copies[copies.count - 1].count += chunk.size
                } else {
                    copies.append(Match(target: position, base: place, count: chunk.size))
                }
            } else {
                targetSpans.append(joining: position..<position + chunk.size)
            }
            position += chunk.size
        }
        guard position == size, copies.reduce(0, { $0 + $1.count }) >= size / 2 else { return nil }
        baseSpans = wanted(bases, shared) + gaps(baseSize: end)
        baseSpans.joinRanges()
        guard baseSpans.reduce(0, { $0 + $1.count }) <= Self.mostCompared else { return nil }
    }

    private func wanted(_ bases: [Base], _ shared: Set<ContentChunker.Chunk>) -> [Range<Int>] {
        var spans: [Range<Int>] = []
        var end = 0
        for base in bases {
            if base.chunks.isEmpty { spans.append(joining: end..<end + base.size) }
            var place = end
            for chunk in base.chunks {
                if !shared.contains(chunk) { spans.append(joining: place..<place + chunk.size) }
                place += chunk.size
            }
            end += base.size
        }
        return spans
    }

    /// What of the base lies between what comes before something new and what comes behind it.
    private func gaps(baseSize: Int) -> [Range<Int>] {
        var spans: [Range<Int>] = []
        var next = 0
        for span in targetSpans {
            while next < copies.count, copies[next].target < span.lowerBound { next += 1 }
            let lower = next > 0 ? copies[next - 1].base + copies[next - 1].count : 0
            let upper = next < copies.count ? copies[next].base : baseSize
            if lower < upper, upper - lower <= span.count * Self.gapFactor + Self.gapSlack {
                spans.append(lower..<upper)
            }
        }
        return spans
    }
}

extension [Range<Int>] {
    /// Appends a range, or lengthens the last one that ends where it begins.
    mutating func append(joining range: Range<Int>) {
        if let last, last.upperBound == range.lowerBound {
            self[count - 1] = last.lowerBound..<range.upperBound
        } else if !range.isEmpty {
            append(range)
        }
    }

    /// Sorts ranges and makes one of those that overlap or touch.
    mutating func joinRanges() {
        let sorted = sorted { $0.lowerBound < $1.lowerBound }
        self = []
        for range in sorted where !range.isEmpty {
            if let last, last.upperBound >= range.lowerBound {
                self[count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                append(range)
            }
        }
    }

    /// What of a range none of these, which are in order and disjoint, have.
    func missing(of range: Range<Int>) -> [Range<Int>] {
        var missing: [Range<Int>] = []
        var lower = range.lowerBound
        for known in self where known.upperBound > range.lowerBound && known.lowerBound < range.upperBound {
            if known.lowerBound > lower { missing.append(lower..<known.lowerBound) }
            lower = Swift.max(lower, known.upperBound)
        }
        if lower < range.upperBound { missing.append(lower..<range.upperBound) }
        return missing
    }
}
