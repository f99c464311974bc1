// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import PackUpdates

/// The ranges of an archive that hold certain blocks, in as few requests as is sensible. A value; it touches nothing.
struct BlockRanges: Hashable, Sendable {
    /// Neighbouring blocks, heads included.
    struct Run: Hashable, Sendable {
        /// Bytes of the archive.
        var range: Range<Int64>
        var blocks: Range<Int>
    }

    /// Bytes that nobody needs are fetched along rather than asking once more, up to so many.
    static let gapLimit: Int64 = 16 << 10
    /// Ranges in one request: servers take more for an attack.
    static let rangesPerRequest = 16

    /// Ascending, apart.
    let runs: [Run]

    init(_ index: PackIndex, blocks: some Sequence<Int>) {
        let offsets = index.archive.blockOffsets
        var runs: [Run] = []
        for block in blocks where offsets.indices.contains(block + 1) {
            let range = offsets[block]..<offsets[block + 1]
            if let last = runs.last, range.lowerBound - last.range.upperBound <= Self.gapLimit,
                last.blocks.upperBound <= block
            {
                runs[runs.count - 1] = Run(
                    range: last.range.lowerBound..<range.upperBound, blocks: last.blocks.lowerBound..<block + 1)
            } else {
                runs.append(Run(range: range, blocks: block..<block + 1))
            }
        }
        self.runs = runs
    }

    /// Bytes that come.
    var size: Int64 { runs.reduce(0) { $0 + Int64($1.range.count) } }

    /// How many requests fetch them.
    func requests(of ranges: Int) -> Int { (runs.count + ranges - 1) / max(1, ranges) }
}

extension PackIndex.Archive {
    /// What a decoder is to expect of a block.
    func expected(_ block: Int) -> BlocksDecoder.Block {
        BlocksDecoder.Block(
            streamOffset: Int64(block) * Int64(blockSize), contentSize: contentSize(of: block),
            storedSize: storedSizes[block])
    }
}
