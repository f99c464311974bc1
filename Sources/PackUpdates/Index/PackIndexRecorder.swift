// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppleArchive
import AssetPacks
package import Crypto

/// Makes the index of an archive while that is being written, from what its writer shows: the archive is not read again.
/// Use it from one thread.
package final class PackIndexRecorder {
    private let maker: PackIndexMaker
    private let decoder: ArchiveDecoder
    private var digest = TreeDigest()

    /// - Parameter format: how the archive is cut in blocks; nil for one without, which has no index.
    package init(format: ArchiveBlockFormat?, chunkAverage: Int = ContentChunker.defaultAverage) throws {
        let maker = PackIndexMaker(chunkAverage: chunkAverage)
        if let format { maker.format(format) }
        self.maker = maker
        decoder = try ArchiveDecoder(sink: maker, threads: 1)
    }

    /// The archive's next bytes, as they are written.
    package func record(archive bytes: UnsafeRawBufferPointer) { digest.update(bytes) }

    /// The archive's next block, uncompressed, and how many bytes its payload has.
    /// - Throws: `ArchiveError`
    package func record(block content: UnsafeRawBufferPointer, storedSize: Int) throws {
        maker.block(contentSize: UInt64(content.count), storedSize: UInt64(storedSize))
        try decoder.feed(content)
    }

    /// The archive's, when all of it was shown.
    package private(set) lazy var archiveDigest = digest.finish()

    /// The index, when all was shown.
    /// - Throws: `PackUpdateError.notIndexable`, `ArchiveError`
    package func finish() throws -> PackIndex {
        try decoder.finish()
        maker.archive(ArchiveReading(size: digest.length, digest: archiveDigest))
        return try maker.finish()
    }
}
