// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive

extension PackIndex.Archive {
    /// Whether it is known where anything lies in the archive.
    package var hasBlocks: Bool { !storedSizes.isEmpty || streamSize == 0 }

    package var blockCount: Int { storedSizes.count }

    /// Where a block's head begins in the archive, for every block, and behind the last one the archive's size.
    package var blockOffsets: [Int64] {
        var offset = Int64(ArchiveBlock.wrapperHeadSize)
        var offsets = [offset]
        offsets.reserveCapacity(storedSizes.count + 1)
        for size in storedSizes {
            offset += Int64(ArchiveBlock.headSize + size)
            offsets.append(offset)
        }
        return offsets
    }

    /// How many bytes of the uncompressed stream a block gives.
    package func contentSize(of block: Int) -> Int {
        Int(min(Int64(blockSize), streamSize - Int64(block) * Int64(blockSize)))
    }

    /// The blocks that hold a range of the uncompressed stream; empty for an empty range.
    package func blocks(holding range: Range<Int64>) -> Range<Int> {
        guard !range.isEmpty else { return 0..<0 }
        let first = Int(range.lowerBound / Int64(blockSize))
        return first..<Int((range.upperBound - 1) / Int64(blockSize)) + 1
    }

    /// How many blocks a stream has.
    static func blockCount(streamSize: Int64, blockSize: Int) -> Int64 {
        streamSize / Int64(blockSize) + (streamSize % Int64(blockSize) == 0 ? 0 : 1)
    }
}
