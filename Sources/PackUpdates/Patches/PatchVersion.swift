// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
package import Crypto
import Kit
package import System

/// A version of a pack, to make a patch from or to: its archive and its index.
package struct PatchVersion: Sendable {
    package let archive: FilePath
    package let index: PackIndex
    /// SHA-256 of the index's file.
    package let indexDigest: Digest
    /// Of the index's file, in bytes.
    package let indexSize: Int64
    /// The beginning of the index's file.
    package let front: IndexFront?

    /// Takes the index that lies beside the archive, or elsewhere, or makes one when none does. Blocks.
    /// - Parameter index: the path of the archive's index; nil for beside it.
    /// - Throws: `PackUpdateError`, `ArchiveError` or `AssetPackError`, which name the file; `CancellationError`.
    package init(
        archive: FilePath, index path: FilePath? = nil, isCancelled: () -> Bool = { false },
        progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws {
        guard let (bytes, index) = try PackIndex.load(path ?? PackIndex.path(besideArchive: archive)) else {
            let index = try Self.makeIndex(archive, isCancelled, progress)
            self.init(archive: archive, index: index, try index.encoded())
            return
        }
        let size = try? FileDescriptor.currentDirectory.status(at: archive, followingLinks: true).size
        guard size == nil || size == index.archive.size else {
            throw PackIndex.mismatch(besideArchive: archive, "it is of an archive of another size")
        }
        self.init(archive: archive, index: index, bytes)
    }

    /// As `init`, for looking at a version that is not published yet: an index beside the archive counts only when it is the
    /// archive's to the digest; otherwise the archive is read. Blocks.
    /// - Parameter note: told why an index does not count.
    package static func examined(
        archive: FilePath, isCancelled: () -> Bool = { false },
        progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }, note: (String) -> Void
    ) throws -> PatchVersion {
        do {
            if let (bytes, index) = try PackIndex.beside(archive: archive) {
                let file = try PackInspector.open(archive)
                let (digest, size) = try TreeDigest.hash(file: file.borrowed)
                guard size == index.archive.size, digest == index.archive.digest else {
                    throw PackIndex.mismatch(besideArchive: archive, "it is that of another one")
                }
                return PatchVersion(archive: archive, index: index, bytes)
            }
        } catch let error as PackUpdateError {
            note("warning: \(error.message) The archive is read instead.")
        } catch let error as Errno {
            throw AssetPackError(.io, "Could not read \"\(archive)\": \(error.clause).")
        }
        let index = try makeIndex(archive, isCancelled, progress)
        return PatchVersion(archive: archive, index: index, try index.encoded())
    }

    /// Refuses what can be read only once: the archive's blocks are read again for what is made of it.
    private static func makeIndex(
        _ archive: FilePath, _ isCancelled: () -> Bool, _ progress: (_ completed: Int64, _ total: Int64) -> Void
    ) throws -> PackIndex {
        _ = try PackInspector.open(archive)
        return try PackIndex.make(ofArchive: archive, isCancelled: isCancelled, progress: progress)
    }

    /// - Parameter bytes: the index's file.
    private init(archive: FilePath, index: PackIndex, _ bytes: [UInt8]) {
        self.archive = archive
        self.index = index
        indexDigest = SHA256.hash(bytes)
        indexSize = Int64(bytes.count)
        front = try? IndexFront(decoding: bytes[...])
    }

    /// What a device with an old version fetches of the index to update with blocks, in bytes.
    package func indexCost(from old: PackIndex) -> Int64 {
        let known = Set(old.contents.map(\.digest))
        let changed = index.contents.indices.filter { !known.contains(index.contents[$0].digest) }
        return front?.cost(from: old, to: index, rebuilding: Set(changed)).size ?? indexSize
    }

    /// Unpacks contents that have a place into files.
    /// - Throws: `PackUpdateError`, `ArchiveError` or `AssetPackError`, which name the archive; `Errno` of a file.
    func unpack(_ layout: ContentLayout, to files: [FileDescriptor], threads: Int = 0, isCancelled: () -> Bool) throws {
        let source = try PackInspector.open(archive)
        do {
            try layout.unpack(source.borrowed, to: files, threads: threads, isCancelled: isCancelled)
        } catch let error as PackUpdateError {
            throw PackUpdateError(error.code, "\(archive): \(error.message)", cause: error.cause)
        } catch let error as ArchiveError {
            throw ArchiveError(error.code, "\(archive): \(error.message)", cause: error.cause)
        }
    }
}
