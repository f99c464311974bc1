// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
import Kit
package import System

/// A version of a pack, to make a patch from or to: its archive and its index.
package struct PatchVersion: Sendable {
    package let archive: FilePath
    package let index: PackIndex
    /// SHA-256 of the index's file.
    package let indexDigest: Digest

    /// Takes the index that lies beside the archive, or makes one when none does. Blocks.
    /// - Throws: `PackUpdateError`, `ArchiveError` or `AssetPackError`, which name the file; `CancellationError`.
    package init(
        archive: FilePath, isCancelled: () -> Bool = { false },
        progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws {
        self.archive = archive
        guard let (bytes, index) = try PackIndex.beside(archive: archive) else {
            index = try PackIndex.make(ofArchive: archive, isCancelled: isCancelled, progress: progress)
            indexDigest = SHA256.hash(try index.encoded())
            return
        }
        let size = try? FileDescriptor.currentDirectory.status(at: archive, followingLinks: true).size
        guard size == nil || size == index.archive.size else {
            throw PackIndex.mismatch(besideArchive: archive, "it is of an archive of another size")
        }
        self.index = index
        indexDigest = SHA256.hash(bytes)
    }
}
