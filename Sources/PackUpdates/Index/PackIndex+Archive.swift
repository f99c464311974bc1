// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppleArchive
package import AssetPacks
import Kit
package import System

extension PackIndex {
    /// The index of an archive that exists, from reading it once. Blocks.
    /// - Parameters:
    ///   - isCancelled: asked now and then; true ends reading with `CancellationError`.
    ///   - progress: called with the bytes read so far and the archive's size.
    /// - Throws: `PackUpdateError.notIndexable`; `ArchiveError` or `AssetPackError`, which name the file.
    package static func make(
        ofArchive path: FilePath, chunkAverage: Int = ContentChunker.defaultAverage,
        isCancelled: () -> Bool = { false }, progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> PackIndex {
        let maker = PackIndexMaker(chunkAverage: chunkAverage)
        try ArchiveReading.read(path, into: maker, witness: maker, isCancelled: isCancelled, progress: progress)
        do {
            return try maker.finish()
        } catch let error as PackUpdateError {
            throw PackUpdateError(error.code, "\(path): \(error.message)", cause: error.cause)
        }
    }

    /// What is in a pack, and a new index of it, from reading the archive once. Blocks.
    /// - Parameters: as of `make`.
    /// - Returns: instead of the index `PackUpdateError.notIndexable`, which says why the archive can have none.
    /// - Throws: as `PackInspector.inspect`.
    package static func makeInspecting(
        _ path: FilePath, limits: ArchiveLimits = .default, isCancelled: () -> Bool = { false }
    ) throws -> (pack: PackContents, index: Result<PackIndex, PackUpdateError>) {
        let maker = PackIndexMaker(chunkAverage: ContentChunker.defaultAverage)
        let pack = try PackInspector.inspect(path, limits: limits, witness: maker, isCancelled: isCancelled)
        do {
            return (pack, .success(try maker.finish()))
        } catch let error as PackUpdateError where error.code == .notIndexable {
            return (pack, .failure(error))
        }
    }

    /// What is in a pack, and the index that lies beside it, which must be the archive's: from reading the archive once.
    /// Blocks.
    /// - Parameters: as of `make`.
    /// - Returns: no index when there is none.
    /// - Throws: as `PackInspector.inspect`, and `PackUpdateError`, which names the index.
    package static func inspect(
        _ path: FilePath, isCancelled: () -> Bool = { false },
        progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> (pack: PackContents, index: Published?) {
        let found = Result { try PackIndex.beside(archive: path) }
        let average = (try? found.get())?.index.chunkAverage
        let maker = average.map { PackIndexMaker(chunkAverage: $0) }
        let pack = try PackInspector.inspect(path, witness: maker, isCancelled: isCancelled, progress: progress)
        guard let (bytes, index) = try found.get(), let maker else { return (pack, nil) }
        if let difference = index.difference(from: try maker.finish()) {
            throw mismatch(besideArchive: path, difference)
        }
        return (pack, Published(bytes))
    }
}
