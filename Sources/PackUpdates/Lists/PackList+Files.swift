// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
package import Crypto
import Kit
package import System

extension PackList {
    /// Where the list goes: beside the patch, with `.list` in place of `.patch`.
    package static func path(besidePatch patch: FilePath) -> FilePath {
        let name = patch.string.hasSuffix(".patch") ? String(patch.string.dropLast(6)) : patch.string
        return FilePath(name + ".list")
    }

    /// Makes the list that belongs to a patch, beside it; one that is there and tells of the same versions is left. Blocks.
    /// - Returns: its bytes; nil where the index will do.
    /// - Throws: `AssetPackError`; `outputExists` when something else stands there. `DeltaError`
    @discardableResult package static func write(
        from old: PatchVersion, to new: PatchVersion, besidePatch patch: FilePath
    ) throws -> Int64? {
        if let there = published(besidePatch: patch), there.tells(from: old, to: new) {
            return Int64(there.bytes.count)
        }
        guard let bytes = try make(from: old.index, to: new) else { return nil }
        let path = path(besidePatch: patch)
        guard !FileDescriptor.currentDirectory.exists(at: path) else {
            throw AssetPackError(
                .outputExists,
                "\"\(path)\" stands where the list goes that belongs to \(patch), and is none from \(old.archive) to "
                    + "\(new.archive): it is of another build, or damaged. Remove it, and it is made anew.")
        }
        do {
            var file = try NewFile(at: path)
            try file.descriptor.writeAll(bytes)
            try file.publish()
            return Int64(bytes.count)
        } catch let error as Errno {
            throw Packager.describe(error, writing: path)
        }
    }

    /// A list as a server sends it.
    package struct Published: Sendable {
        package let bytes: [UInt8]
        /// SHA-256 of the file, in lower-case hexadecimal.
        package let sha256: String
        private let base: VersionMark
        private let index: VersionMark

        fileprivate init?(_ bytes: [UInt8]) {
            guard let ends = PackList.ends(of: bytes) else { return nil }
            (self.bytes, sha256) = (bytes, SHA256.hash(bytes).hex)
            (base, index) = ends
        }

        /// Whether it belongs to a patch.
        /// - Parameters:
        ///   - base: the tree digest of the archive that the patch starts from.
        ///   - index: of the index to whose version it leads.
        package func belongs(base: Digest, index: VersionMark) -> Bool {
            self.base == VersionMark(base) && self.index == index
        }

        /// Whether it is the list between two versions.
        package func leads(from old: PatchVersion, to new: PatchVersion) -> Bool {
            belongs(base: old.index.archive.digest, index: VersionMark(new.indexDigest))
        }

        /// Whether it is the list between two versions, whole.
        func tells(from old: PatchVersion, to new: PatchVersion) -> Bool {
            guard leads(from: old, to: new), let base = PackListBase(of: old.index),
                let listed = try? PackList.read(
                    bytes, forIndex: new.indexDigest, base: base, archiveSize: new.index.archive.size,
                    digest: new.index.archive.digest)
            else { return false }
            return listed.entries.map(\.path) == new.index.entries.map(\.path)
                && listed.contents.map(\.size) == new.index.contents.map(\.size)
        }

        /// In bytes; nil for a list between other versions.
        package func size(from old: PatchVersion, to new: PatchVersion) -> Int64? {
            leads(from: old, to: new) ? Int64(bytes.count) : nil
        }

        /// What a download manifest lists of it.
        package func listing(of patch: DownloadManifestPack.LarderInfo.Patch, packURL: String)
            -> DownloadManifestPack.LarderInfo.UpdateFile
        {
            patch.listFile(packURL: packURL, size: Int64(bytes.count), sha256: sha256)
        }
    }

    /// The list that lies beside a patch; nil when there is none.
    package static func published(besidePatch patch: FilePath) -> Published? {
        (try? File.read(path(besidePatch: patch), limit: PackIndex.maximumSize)).flatMap(Published.init)
    }
}
