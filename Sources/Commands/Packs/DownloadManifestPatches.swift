// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import PackUpdates
import System

/// What `download-manifest create` and `update` make patches from.
struct DownloadManifestPatches {
    static let countOption = CommandOption.value(
        "patches-from", "number",
        "Make and list patches from so many of a pack's last versions; they go beside the pack, as Name.from-3.patch.")
    static let folderOption = CommandOption.value(
        "old-archives", "folder",
        "Where the earlier archives are, in folders within it, too; known by their digests. By default the manifest's folder.",
        completion: .directory)

    let count: Int
    private let folder: FilePath
    /// The manifest so far, which says what versions there were.
    private let manifest: DownloadManifest

    /// nil when no patches are asked for.
    /// - Parameter source: the manifest so far, and where it is.
    init?(
        _ arguments: ParsedArguments, _ context: CommandContext, source: () throws -> (DownloadManifest, FilePath)?
    ) throws {
        guard let text = arguments.value("patches-from") else {
            guard arguments.value("old-archives") == nil else {
                throw UsageError("--old-archives says where patches come from; give --patches-from, too.")
            }
            return nil
        }
        guard let count = Int(text), (1...DownloadManifestPack.LarderInfo.maximumPatchCount).contains(count) else {
            throw UsageError(
                "--patches-from needs a whole number from 1 to \(DownloadManifestPack.LarderInfo.maximumPatchCount), not "
                    + "\"\(text)\".")
        }
        guard let (manifest, path) = try source() else {
            throw UsageError("--patches-from needs --old-manifest, the manifest that says what versions there were.")
        }
        self.count = count
        self.manifest = manifest
        let beside = path.removingLastComponent()
        folder = arguments.value("old-archives").map { context.resolve($0) } ?? (beside.isEmpty ? "." : beside)
    }

    /// Makes what patches of a pack are not there yet. Blocks.
    /// - Parameter note: told of versions without an archive.
    /// - Throws: as `PatchMaker`.
    func make(
        for pack: PackContents, at path: FilePath, isCancelled: () -> Bool,
        progress: (_ completed: Int64, _ total: Int64) -> Void, note: (String) -> Void
    ) throws -> [UpdateListing.Patch] {
        let versions = PatchHistory.versions(
            of: manifest[pack.manifest.assetPackID], before: pack.digest, atMost: count)
        guard !versions.isEmpty else { return [] }
        let history = try PatchHistory(folder: folder)
        let new = try PatchVersion(archive: path, isCancelled: isCancelled)
        return try versions.compactMap { version in
            guard let archive = history.archive(of: version) else {
                note(
                    "warning: no patch from version \(version.number) of \(pack.manifest.assetPackID): its archive is not in "
                        + "\(folder). Say with --old-archives where it is.")
                return nil
            }
            let old = try PatchVersion(archive: archive, isCancelled: isCancelled)
            let target = PatchTable.path(besideArchive: path, from: version.number)
            if !PatchTable.isPatch(target, from: old, to: new) {
                _ = try PatchMaker.make(from: old, to: new, at: target, isCancelled: isCancelled, progress: progress)
            }
            return try PatchTable.listing(target, from: version)
        }
    }
}
