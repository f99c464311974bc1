// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
package import Crypto
package import System

extension PackIndex {
    /// An index as a server sends it.
    package struct Published: Sendable {
        package let bytes: [UInt8]
        /// SHA-256 of the file.
        package let digest: Digest
        /// The same in lower-case hexadecimal.
        package var sha256: String { digest.hex }
        package let front: Front?

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            digest = SHA256.hash(bytes)
            front = PackIndex.front(of: bytes)
        }

        /// What a download manifest lists of it.
        package func listing(packURL: String) -> DownloadManifestPack.LarderInfo.UpdateFile {
            .index(packURL: packURL, size: Int64(bytes.count), sha256: sha256, front: front)
        }
    }

    /// An index that was written to a file.
    package struct Written: Hashable, Sendable {
        /// In bytes.
        package let size: Int64
        /// SHA-256 of the file, in lower-case hexadecimal.
        package let sha256: String
        package let front: Front?

        package init(size: Int64, sha256: String, front: Front?) {
            self.size = size
            self.sha256 = sha256
            self.front = front
        }

        /// What a download manifest lists of it.
        package func listing(packURL: String) -> DownloadManifestPack.LarderInfo.UpdateFile {
            .index(packURL: packURL, size: size, sha256: sha256, front: front)
        }
    }

    /// The index that lies beside an archive; nil when there is none.
    /// - Parameter pack: what is in the archive.
    /// - Throws: `PackUpdateError`, which names the file; `.mismatch` when the index is that of another archive.
    package static func published(besideArchive archive: FilePath, of pack: PackContents) throws -> Published? {
        guard let (bytes, index) = try beside(archive: archive) else { return nil }
        guard index.archive.size == pack.archiveSize, index.archive.digest.hex == pack.digest else {
            throw mismatch(besideArchive: archive, "it is that of another one")
        }
        return Published(bytes)
    }
}
