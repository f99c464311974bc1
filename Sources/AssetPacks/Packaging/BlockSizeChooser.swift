// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive

/// Chooses how large a pack's blocks are: as small as they may be without making the archive much larger. A device that
/// updates fetches whole blocks, so that small ones save it most; what they cost depends on the content.
///
/// A few pieces of the content are compressed in blocks of each size: the same files give the same choice.
struct BlockSizeChooser {
    /// The sizes to choose from, in bytes.
    static let candidates = [128 << 10, 256 << 10, 512 << 10, 1 << 20]
    /// How much larger the pieces may become, in thousandths, against blocks of the largest size.
    static let allowance = 20
    /// How many pieces are looked at at most, each as long as the largest block.
    static let maximumPieces: Int64 = 3
    static let pieceSize = candidates[candidates.count - 1]
    /// There is a piece for each so many bytes of content: looking takes little of the time that packing does, and small
    /// packs have the smallest blocks.
    static let contentPerPiece: Int64 = 32 << 20

    let compression: Compression

    /// Where pieces begin in a content of `total` bytes, and how long each is.
    static func places(in total: Int64) -> [Range<Int64>] {
        let size = Int64(pieceSize)
        let count = min(maximumPieces, total / contentPerPiece)
        return (0..<count).map { number in
            let start = (total - size) / max(1, count - 1) * number
            return start..<start + size
        }
    }

    /// The smallest size whose cost is allowed.
    /// - Throws: `ArchiveError`
    func choose(for pieces: [[UInt8]]) throws -> Int {
        func size(_ blockSize: Int) throws -> Int {
            try pieces.reduce(0) {
                $0 + (try ArchiveBlock.size(of: $1, compression: compression, blockSize: blockSize))
            }
        }
        let most = try size(Self.pieceSize) * (1000 + Self.allowance)
        for candidate in Self.candidates.dropLast() where try size(candidate) * 1000 <= most { return candidate }
        return Self.pieceSize
    }
}
