// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive

/// Chooses how large a pack's blocks are: as small as they may be without making the archive much larger. A device that
/// updates fetches whole blocks, so that small ones save it most; what they cost depends on the content.
///
/// A few pieces of the content are compressed in blocks of each size: the same files give the same choice.
struct BlockSizeChooser {
    /// The sizes to choose from, in bytes.
    static let candidates = [32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20]
    /// What a pack has of whose content nothing can be told: smaller ones must have been tried, and are for packs of at most so
    /// many of them. What is kept of each block comes to something in large packs.
    static let usual = 128 << 10
    static let mostSmall: Int64 = 1 << 16
    /// How much larger the pieces may become, in thousandths, against blocks of the largest size.
    static let allowance = 20
    /// How many pieces are looked at at most, each as long as the largest block.
    static let maximumPieces: Int64 = 3
    static let pieceSize = candidates[candidates.count - 1]
    /// There is a piece for each so many bytes of content: looking takes little of the time that packing does. Of less content
    /// there is one that is smaller by as much, unless it were no more than a block or two.
    static let contentPerPiece: Int64 = 64 << 20
    private static let smallestPiece: Int64 = 128 << 10
    /// Packs of fewer bytes never have larger blocks than the usual.
    private static let smallPack: Int64 = 32 << 20

    let compression: Compression

    /// Bytes of all content.
    let total: Int64

    /// Where pieces begin in the content, and how long each is.
    var places: [Range<Int64>] {
        let size = min(Int64(Self.pieceSize), total / (Self.contentPerPiece / Int64(Self.pieceSize)))
        guard size >= Self.smallestPiece else { return [] }
        let count = max(1, min(Self.maximumPieces, total / Self.contentPerPiece))
        return (0..<count).map { number in
            let start = count == 1 ? (total - size) / 2 : (total - size) / (count - 1) * number
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
        guard !pieces.isEmpty else { return Self.usual }
        let largest = total < Self.smallPack ? Self.usual : Self.pieceSize
        let most = try size(Self.pieceSize) * (1000 + Self.allowance)
        for candidate in Self.candidates where candidate < largest {
            guard candidate >= Self.usual || total / Int64(candidate) <= Self.mostSmall else { continue }
            if try size(candidate) * 1000 <= most { return candidate }
        }
        return largest
    }
}
