// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppleArchive
import AssetPacks
import Kit
import System

/// How a new version could be packed so that an update without a patch moves much less: found by packing some of what has to be
/// fetched in other ways.
package struct PackingAdvice: Hashable, Sendable {
    package let compression: Compression
    package let blockSize: Int
    /// About how many bytes of blocks would be fetched.
    package let bytesToFetch: Int64
    /// About how many bytes the archive would have.
    package let archiveBytes: Int64

    /// Updates that fetch less are good enough.
    private static let leastFetched: Int64 = 512 << 10
    /// What is advised fetches at most this part of what is fetched now, in hundredths.
    private static let mostOfNow: Int64 = 90
    /// A byte of the archive counts as one of so many of an update: an app is installed once and updated often.
    private static let installation: Int64 = 8
    /// LZMA, which takes several times as long to pack and to unpack, must save one byte of so many.
    private static let leastSaving: Int64 = 6
    /// The ways, those that are unpacked faster or make the smaller archive first.
    private static let candidates: [(Compression, blockSize: Int)] = [
        (.lzfse, 128 << 10), (.lzfse, 64 << 10), (.lzfse, 32 << 10), (.lzma, 256 << 10), (.lzma, 128 << 10),
        (.lzma, 64 << 10),
    ]
    /// What is tried: so many pieces that hold something to fetch.
    private static let pieces = 4
    private static let pieceSize = 512 << 10

    /// nil when the new version is packed about as well as it can be.
    /// - Parameter fetched: bytes of blocks that are fetched as it is packed now.
    /// - Throws: `PackUpdateError`, `ArchiveError` or `AssetPackError`, which name the archive; `CancellationError`.
    package static func find(
        from old: PackIndex, to new: PatchVersion, fetched: Int64, isCancelled: () -> Bool = { false }
    ) throws -> PackingAdvice? {
        let index = new.index
        guard fetched >= leastFetched, let compression = Compression(letter: index.archive.letter) else { return nil }
        var local = LocalContents(for: index)
        local.add(old, as: 0)
        let missing = UpdatePlanner(target: index, local: local, facts: UpdateFacts(ranges: .single)).allMissingParts
        let sample = try new.read(places(missing, in: index.archive.streamSize))
        guard !sample.isEmpty else { return nil }
        /// By how much a sample gets smaller.
        func rate(_ sample: [[UInt8]], _ compression: Compression, _ blockSize: Int) throws -> Double {
            if isCancelled() { throw CancellationError() }
            let size = try sample.reduce(0) {
                $0 + (try ArchiveBlock.size(of: $1, compression: compression, blockSize: min(blockSize, pieceSize)))
            }
            return Double(size) / Double(sample.reduce(0) { $0 + $1.count })
        }
        /// What would be fetched if all were as the sample is.
        func cost(_ compression: Compression, _ blockSize: Int) throws -> Double {
            try rate(sample, compression, blockSize) * Double(touched(missing, blockSize, index.archive.streamSize))
        }
        let now = try cost(compression, index.archive.blockSize)
        guard now > 0 else { return nil }
        let ways = try candidates.map { compression, blockSize in
            let bytes = Int64(try cost(compression, blockSize) / now * Double(fetched))
            return Way(compression: compression, blockSize: blockSize, bytesToFetch: bytes)
        }
        let worthwhile = worthwhile(ways, fetched: fetched)
        guard !worthwhile.isEmpty else { return nil }
        // What the blocks' size costs those who install shows all over the archive.
        let all = try new.read(places([0..<index.archive.streamSize], in: index.archive.streamSize))
        let allNow = try rate(all, compression, index.archive.blockSize)
        return best(
            of: try worthwhile.map { way in
                let size = try rate(all, way.compression, way.blockSize) / max(allNow, .leastNormalMagnitude)
                return PackingAdvice(
                    compression: way.compression, blockSize: way.blockSize, bytesToFetch: way.bytesToFetch,
                    archiveBytes: Int64(size * Double(index.archive.size)))
            })
    }

    /// A way to pack, and about how many bytes of blocks would be fetched.
    struct Way: Hashable {
        let compression: Compression
        let blockSize: Int
        let bytesToFetch: Int64
    }

    /// The ways that save enough, of LZMA only when that saves more than others in blocks as small.
    static func worthwhile(_ ways: [Way], fetched: Int64) -> [Way] {
        let (slow, quick) = (ways.filter { $0.compression == .lzma }, ways.filter { $0.compression != .lzma })
        guard let smallest = slow.map(\.blockSize).min(), let leastSlow = slow.map(\.bytesToFetch).min(),
            let leastQuick = quick.filter({ $0.blockSize >= smallest }).map(\.bytesToFetch).min()
        else { return [] }
        let isWorthIt = leastSlow <= leastQuick - leastQuick / leastSaving
        return (isWorthIt ? ways : quick).filter { $0.bytesToFetch * 100 <= fetched * mostOfNow }
    }

    /// What costs least where updates and installations both count.
    static func best(of ways: [PackingAdvice]) -> PackingAdvice? {
        ways.min { $0.bytesToFetch + $0.archiveBytes / installation < $1.bytesToFetch + $1.archiveBytes / installation }
    }

    /// Ranges of the stream, of one size and all over it, that hold something that is missing.
    static func places(_ missing: [Range<Int64>], in streamSize: Int64) -> [Range<Int64>] {
        let size = Int64(pieceSize)
        var all: [Int64] = []
        for part in missing where !part.isEmpty {
            for number in max(
                part.lowerBound / size, (all.last ?? -1) + 1)..<max(
                    (part.upperBound - 1) / size + 1, (all.last ?? -1) + 1)
            { all.append(number) }
        }
        let step = max(1, all.count / pieces)
        return stride(from: step / 2, to: all.count, by: step).prefix(pieces).map {
            all[$0] * size..<min(streamSize, (all[$0] + 1) * size)
        }
    }

    /// Bytes of the stream that are in blocks of a size of which a part is missing.
    static func touched(_ missing: [Range<Int64>], _ blockSize: Int, _ streamSize: Int64) -> Int64 {
        let size = Int64(blockSize)
        var (sum, end) = (Int64(0), Int64(0))
        for part in missing where !part.isEmpty {
            let first = max(end, part.lowerBound / size * size)
            end = max(end, min(streamSize, ((part.upperBound - 1) / size + 1) * size))
            sum += max(0, end - first)
        }
        return sum
    }
}

extension Compression {
    /// What an archive was written with; nil for what this writes not.
    fileprivate init?(letter: UInt8) {
        guard let found = Compression.allCases.first(where: { $0.letter == letter }) else { return nil }
        self = found
    }
}

extension UpdatePlanner {
    /// What of all contents is not there, in the order of the stream.
    fileprivate var allMissingParts: [Range<Int64>] {
        var repeats = repeatedChunks()
        return target.contents.indices.filter { local.source(of: target.contents[$0].digest) == nil }
            .flatMap { missingParts(of: $0, &repeats) }.sorted { $0.lowerBound < $1.lowerBound }
    }
}

extension PatchVersion {
    /// Ranges of the uncompressed stream.
    func read(_ ranges: [Range<Int64>]) throws -> [[UInt8]] {
        let source = try PackInspector.open(archive)
        let decoder = try? ArchiveBlockDecoder(letter: index.archive.letter)
        let offsets = index.archive.blockOffsets
        return try ranges.map { range in
            var bytes: [UInt8] = []
            for number in index.archive.blocks(holding: range) {
                let block = try UnpackedBlock(number, of: index, in: source.borrowed, at: offsets[number])
                try block.decode(decoder)
                let part = range.clamped(to: block.start..<block.start + Int64(block.content.count))
                bytes += block.content[Int(part.lowerBound - block.start)..<Int(part.upperBound - block.start)]
            }
            return bytes
        }
    }
}
