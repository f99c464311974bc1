// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
import Crypto
import Kit
package import System

extension PackIndex {
    /// An index as a server sends it, and what a download manifest lists of it.
    package struct Published: Sendable {
        package let bytes: [UInt8]
        package let listing: UpdateListing.File
    }

    /// The index that lies beside an archive; nil when there is none.
    /// - Parameter pack: what is in the archive.
    /// - Throws: `PackUpdateError`, which names the file; `.mismatch` when the index is that of another archive.
    package static func published(besideArchive archive: FilePath, of pack: PackContents) throws -> Published? {
        let path = path(besideArchive: archive)
        let bytes: [UInt8]
        do {
            bytes = try File.read(path, limit: maximumSize)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch {
            throw PackUpdateError(.io, "Could not read the index \"\(path)\": \(error).", cause: error)
        }
        let index: PackIndex
        do {
            index = try PackIndex(decoding: bytes)
        } catch let error as PackUpdateError {
            throw PackUpdateError(error.code, "\(path): \(error.message)", cause: error.cause)
        }
        guard index.archive.size == pack.archiveSize, index.archive.digest.hex == pack.digest else {
            throw PackUpdateError(
                .mismatch,
                "\(path) is the index of another archive than \(archive). Remove it, and make it again with 'ba-package "
                    + "index'.")
        }
        return Published(
            bytes: bytes, listing: UpdateListing.File(size: Int64(bytes.count), sha256: SHA256.hash(bytes).hex))
    }
}
