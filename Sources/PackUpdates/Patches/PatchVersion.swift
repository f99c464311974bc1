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
    package init(archive: FilePath, isCancelled: () -> Bool = { false }) throws {
        self.archive = archive
        let path = PackIndex.path(besideArchive: archive)
        let bytes: [UInt8]
        do {
            bytes = try File.read(path, limit: PackIndex.maximumSize)
        } catch Errno.noSuchFileOrDirectory {
            index = try PackIndex.make(ofArchive: archive, isCancelled: isCancelled)
            indexDigest = SHA256.hash(try index.encoded())
            return
        } catch {
            throw PackUpdateError(.io, "Could not read the index \"\(path)\": \(error).", cause: error)
        }
        do {
            index = try PackIndex(decoding: bytes)
        } catch let error as PackUpdateError {
            throw PackUpdateError(error.code, "\(path): \(error.message)", cause: error.cause)
        }
        let size = try? FileDescriptor.currentDirectory.status(at: archive, followingLinks: true).size
        guard size == nil || size == index.archive.size else {
            throw PackUpdateError(
                .mismatch, "\(path) is the index of another archive than \(archive). Remove it, and make it again.")
        }
        indexDigest = SHA256.hash(bytes)
    }
}
