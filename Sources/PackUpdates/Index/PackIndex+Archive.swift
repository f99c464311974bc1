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
        ofArchive path: FilePath, chunkAverage: Int? = nil,
        isCancelled: () -> Bool = { false }, progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> PackIndex {
        try draft(ofArchive: path, in: nil, chunkAverage: chunkAverage, isCancelled: isCancelled, progress: progress)
            .index()
    }

    /// As `make`, written to a file, with what grows with the archive's bytes on the disk only. Blocks.
    /// - Parameter index: where it goes, complete or not at all.
    /// - Throws: `ArchiveError` or `AssetPackError`, which name the file; `outputExists` when something is at `index`;
    ///   `PackUpdateError.io`
    package static func write(
        ofArchive path: FilePath, to index: FilePath, isCancelled: () -> Bool = { false },
        progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> Packager.IndexOutcome {
        do {
            return .written(
                try draft(
                    ofArchive: path, in: index.removingLastComponent(), isCancelled: isCancelled, progress: progress
                ).write(to: index))
        } catch let error as PackUpdateError where error.code == .notIndexable {
            return .impossible(reason: error.message)
        }
    }

    private static func draft(
        ofArchive path: FilePath, in folder: FilePath?, chunkAverage: Int? = nil,
        isCancelled: () -> Bool, progress: (_ completed: Int64, _ total: Int64) -> Void
    ) throws -> IndexDraft {
        let maker = PackIndexMaker(chunkAverage: chunkAverage, in: folder)
        try ArchiveReading.read(path, into: maker, witness: maker, isCancelled: isCancelled, progress: progress)
        do {
            return try maker.finish()
        } catch let error as PackUpdateError {
            throw PackUpdateError(error.code, "\(path): \(error.message)", cause: error.cause)
        }
    }

    /// What is in a pack, and a new index of it that is written to a file, from reading the archive once. What grows with the
    /// archive's bytes is on the disk only. Blocks.
    /// - Parameters:
    ///   - index: where it goes, complete or not at all.
    ///   - isCancelled: as of `make`.
    /// - Throws: as `PackInspector.inspect`; `PackUpdateError.io` when the index cannot be written.
    package static func writeInspecting(
        _ path: FilePath, to index: FilePath, limits: ArchiveLimits = .default, isCancelled: () -> Bool = { false }
    ) throws -> (pack: PackContents, index: Packager.IndexOutcome) {
        let maker = PackIndexMaker(in: index.removingLastComponent())
        let pack = try PackInspector.inspect(path, limits: limits, witness: maker, isCancelled: isCancelled)
        do {
            return (pack, .written(try maker.finish().write(to: index)))
        } catch let error as PackUpdateError where error.code == .notIndexable {
            return (pack, .impossible(reason: error.message))
        } catch let error as AssetPackError {
            // The archive is not to blame.
            throw PackUpdateError(.io, error.message, cause: error)
        }
    }

    /// What is in a pack, and the index that lies beside it, which must be the archive's: from reading the archive once.
    /// Blocks.
    /// - Parameters: as of `make`.
    /// - Returns: no index when there is none; in place of one that is not the archive's a `PackUpdateError`, which names it.
    /// - Throws: as `PackInspector.inspect`
    package static func inspect(
        _ path: FilePath, isCancelled: () -> Bool = { false },
        progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> (pack: PackContents, index: Result<Published?, any Error>) {
        let found = Result { try PackIndex.beside(archive: path) }
        let average = (try? found.get())?.index.chunkAverage
        let maker = average.map { PackIndexMaker(chunkAverage: $0) }
        let pack = try PackInspector.inspect(path, witness: maker, isCancelled: isCancelled, progress: progress)
        let checked = Result<Published?, any Error> {
            guard let (bytes, index) = try found.get(), let maker else { return nil }
            if let difference = index.difference(from: try maker.finish().index()) {
                throw mismatch(besideArchive: path, difference)
            }
            return Published(bytes)
        }
        return (pack, checked)
    }
}
