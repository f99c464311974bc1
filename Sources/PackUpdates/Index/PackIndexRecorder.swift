// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppleArchive
import AssetPacks
package import Crypto
import Kit
package import System

/// Makes the index of an archive while that is being written, from what its writer shows: the archive is not read again.
/// Use it from one thread.
package final class PackIndexRecorder {
    private let maker: PackIndexMaker
    private let decoder: ArchiveDecoder
    private var digest = TreeDigest()

    /// - Parameters:
    ///   - format: how the archive is cut in blocks; nil for one without, which has no index.
    ///   - folder: where what grows with the archive's bytes lies meanwhile; nil for in memory.
    package init(
        format: ArchiveBlockFormat?, chunkAverage: Int? = nil, in folder: FilePath? = nil
    ) throws {
        let maker = PackIndexMaker(chunkAverage: chunkAverage, in: folder)
        if let format { maker.format(format) }
        self.maker = maker
        decoder = try ArchiveDecoder(sink: maker, threads: 1)
    }

    /// The archive's next bytes, as they are written.
    package func record(archive bytes: UnsafeRawBufferPointer) { digest.update(bytes) }

    /// The archive's next block, uncompressed, and how many bytes its payload has.
    /// - Throws: `ArchiveError`
    package func record(block content: UnsafeRawBufferPointer, storedSize: Int) throws {
        try maker.block(contentSize: UInt64(content.count), storedSize: UInt64(storedSize))
        try decoder.feed(content)
    }

    /// The archive's, when all of it was shown.
    package private(set) lazy var archiveDigest = digest.finish()

    /// The index, when all was shown.
    /// - Throws: `PackUpdateError.notIndexable`, `ArchiveError`
    package func finish() throws -> PackIndex { try draft().index() }

    /// Writes the index, when all was shown.
    /// - Throws: as `finish`; `AssetPackError`; `outputExists` when something is at `path`.
    func write(to path: FilePath) throws -> Packager.IndexOutcome {
        do {
            return .written(try draft().write(to: path))
        } catch let error as PackUpdateError where error.code == .notIndexable {
            return .impossible(reason: error.message)
        }
    }

    private func draft() throws -> IndexDraft {
        try decoder.finish()
        maker.archive(ArchiveReading(size: digest.length, digest: archiveDigest))
        return try maker.finish()
    }
}
