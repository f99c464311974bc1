// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import System

extension PatchVersion {
    /// The manifest in the archive, from the blocks that hold it. Blocks.
    /// - Throws: `PackUpdateError`, `ArchiveError` or `AssetPackError`.
    func manifest() throws -> PackManifest {
        for entry in index.entries where entry.path == PackIndex.manifestPath {
            guard case .file(let content, let offset, _) = entry.kind else { continue }
            let size = index.contents[content].size
            guard size <= Int64(PackManifest.maximumSize) else { break }
            let bytes = try read([offset..<offset + size]).joined()
            return try PackManifest.decodeArchived(bytes, source: "\(archive): \(entry.path)")
        }
        throw PackUpdateError(.mismatch, "\(archive) holds no pack's manifest of a size that one has.")
    }

    /// - Throws: `PackUpdateError.mismatch` when the two are of different packs; as `manifest()`.
    package static func requireOnePack(_ old: PatchVersion, _ new: PatchVersion) throws {
        let (before, after) = (try old.manifest().assetPackID, try new.manifest().assetPackID)
        guard before == after else {
            throw PackUpdateError(
                .mismatch,
                "\(old.archive) is the pack \(before), and \(new.archive) is \(after): devices update between versions "
                    + "of one pack only. Name two versions of the same pack.")
        }
    }
}
