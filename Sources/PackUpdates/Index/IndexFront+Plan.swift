// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// What of an index is fetched. Pure.

extension IndexFront {
    /// An index of few bytes more than its front is fetched as a whole.
    private static let leastSaving: Int64 = 4 << 10
    /// Whether the front is fetched first.
    /// - Parameter size: of the whole file, in bytes.
    package static func pays(front: Int64, size: Int64) -> Bool {
        // Of a server without ranges all of it comes.
        size <= Int64(PackIndex.maximumSize) && size - front >= leastSaving
    }

    /// Where the parts are that are not known, and what may as well come with them.
    package func ranges(
        besides known: IndexForeknowledge, from server: UpdateFacts.Ranges = .expected
    ) -> [Range<Int64>] {
        Self.cheapest(
            parts.filter { known.body(of: $0) == nil }.map(\.range),
            of: Int64(size)..<(parts.last?.range.upperBound ?? Int64(size)), server)
    }

    /// Ranges in order, with those joined whose gap costs less than asking for one more; all of a file's part in which they are where that
    /// costs less.
    static func cheapest(
        _ wanted: [Range<Int64>], of all: Range<Int64>, _ server: UpdateFacts.Ranges
    ) -> [Range<Int64>] {
        let joined = joined(wanted, for: server)
        return price(joined, server) > price([all], server) ? [all] : joined
    }

    /// Ranges in order, with those joined whose gap costs less than asking for one more.
    package static func joined(
        _ ranges: [Range<Int64>], for server: UpdateFacts.Ranges
    ) -> [Range<Int64>] {
        let costs = UpdateFacts.Costs()
        let gap = server.isOneByOne ? costs.request : costs.part
        var result: [Range<Int64>] = []
        for range in ranges {
            if let last = result.last, range.lowerBound - last.upperBound <= gap {
                result[result.count - 1] = last.lowerBound..<range.upperBound
            } else {
                result.append(range)
            }
        }
        return result
    }

    private static func price(_ ranges: [Range<Int64>], _ server: UpdateFacts.Ranges) -> Int64 {
        ranges.totalSize + Int64(requests(ranges, server)) * UpdateFacts.Costs().request
    }

    private static func requests(_ ranges: [Range<Int64>], _ server: UpdateFacts.Ranges) -> Int {
        guard case .several(let most) = server, most > 1 else { return ranges.count }
        return (ranges.count + most - 1) / most
    }

    /// What a device fetches of an index.
    struct Cost {
        /// In bytes.
        var size: Int64
        var requests: Int
    }

    /// What a device with an old version fetches to update.
    /// - Parameters:
    ///   - rebuilt: the contents that it puts together of blocks, by their numbers.
    ///   - index: the one that this is the front of.
    func cost(from old: PackIndex, to index: PackIndex, rebuilding rebuilt: Set<Int>) -> Cost {
        guard Self.pays(front: Int64(size), size: fileSize) else { return Cost(size: fileSize, requests: 1) }
        let files = PackListBase.files(of: old)
        var cost = Cost(size: Int64(size), requests: 1)
        let wanted = pendingChunks.wanted(for: rebuilt, of: index, among: Set(files.map(\.path)))
        for ranges in [ranges(besides: IndexForeknowledge(files: files)), wanted.ranges] where !ranges.isEmpty {
            cost.size += ranges.totalSize + (ranges.count > 1 ? UpdateFacts.Costs().part * Int64(ranges.count) : 0)
            cost.requests += Self.requests(ranges, .expected)
        }
        return cost
    }
}

extension PackIndex.PendingChunks {
    /// Chunks of contents that are there are looked at when what comes anew has so many times their bytes.
    private static let worthAll: Int64 = 32

    /// The chunks to fetch for contents that are put together of blocks: theirs, and those of all where some come under new paths, which
    /// may be made of anything.
    /// - Parameters:
    ///   - rebuilt: their numbers.
    ///   - known: the paths of the version that is here, below the pack's contents.
    /// - Returns: the contents whose chunks these are, and where they are.
    package func wanted(
        for rebuilt: Set<Int>, of index: PackIndex, among known: Set<String>,
        from server: UpdateFacts.Ranges = .expected
    ) -> (contents: [Int], ranges: [Range<Int64>]) {
        let new = index.contents(atOtherPathsThan: known).intersection(rebuilt)
        let takesAll = new.reduce(0) { $0 + index.contents[$1].size } / Self.worthAll >= size
        let contents = index.contents.indices.filter {
            (takesAll || rebuilt.contains($0)) && !range(of: $0).isEmpty
        }
        return (contents, IndexFront.cheapest(contents.map(range), of: range, server))
    }
}

extension UpdateFacts.Ranges {
    /// Whether a request gives one range at most.
    fileprivate var isOneByOne: Bool {
        if case .several(let most) = self { most < 2 } else { true }
    }
}

extension [Range<Int64>] {
    /// In bytes.
    fileprivate var totalSize: Int64 { reduce(0) { $0 + $1.upperBound - $1.lowerBound } }
}
