// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import PackUpdates
import System

/// What `download-manifest create` and `update` make patches from.
struct DownloadManifestPatches: Sendable {
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
    /// - Parameters:
    ///   - history: where the earlier archives are.
    ///   - note: told of versions from which there is no patch.
    /// - Throws: as `PatchMaker`.
    func make(
        for pack: PackContents, at path: FilePath, packURL: String, history: PatchHistory, isCancelled: () -> Bool,
        bar: PackProgress, note: (String) -> Void
    ) throws -> [DownloadManifestPack.LarderInfo.Patch] {
        let versions = PatchHistory.versions(
            of: manifest[pack.manifest.assetPackID], before: pack.digest, atMost: count)
        guard !versions.isEmpty else { return [] }
        let new = try PatchVersion(archive: path, isCancelled: isCancelled)
        return try versions.compactMap { version in
            func none(_ reason: String) -> DownloadManifestPack.LarderInfo.Patch? {
                note("warning: no patch from version \(version.number) of \(pack.manifest.assetPackID): \(reason)")
                return nil
            }
            guard let archive = history.archive(of: version, note: { note("warning: \($0)") }) else {
                return none("its archive is not in \(folder). Say with --old-archives where it is.")
            }
            let old: PatchVersion
            do {
                old = try PatchVersion(
                    archive: archive, isCancelled: isCancelled, progress: bar.updates("Reading", archive))
            } catch let error as PackUpdateError where error.code == .notIndexable {
                return none("\(archive): \(error.message)")
            }
            let target = PatchTable.path(besideArchive: path, from: version.number)
            if !PatchTable.isPatch(target, from: old, to: new) {
                guard !FileDescriptor.currentDirectory.exists(at: target) else {
                    throw AssetPackError(
                        .outputExists,
                        "\"\(target)\" stands where the patch from version \(version.number) of "
                            + "\(pack.manifest.assetPackID) goes, and is none from \(archive) to \(path): it is of another "
                            + "build, or damaged. Remove it, and it is made anew.")
                }
                _ = try PatchMaker.make(
                    from: old, to: new, at: target, isCancelled: isCancelled, progress: bar.updates("Comparing", path))
            }
            let list = try PackList.write(from: old, to: new, besidePatch: target)
            let difference = PackDifference(
                from: old.index, to: new.index, indexSize: new.indexSize, front: new.front,
                patch: try PatchTable.facts(target, from: old, to: new), listSize: list)
            if difference.isPatchOutdone {
                let blocks = difference.cost(difference.blocks).bytesToFetch
                return none(
                    "\(target) has \(ByteCount.formatted(difference.patchSize)), and without it a device fetches "
                        + "\(ByteCount.formatted(blocks)) in blocks.")
            }
            var patch = try PatchTable.listing(target, from: version, packURL: packURL)
            if let list = PackList.published(besidePatch: target), list.leads(from: old, to: new) {
                patch.list = list.listing(of: patch, packURL: packURL)
            }
            return patch
        }
    }

    /// Looks for the earlier archives. Blocks.
    func history() throws -> PatchHistory { try PatchHistory(folder: folder) }
}

extension DownloadManifest {
    /// Lists what lies beside the archives for updates, and makes the patches that are asked for.
    mutating func listUpdates(
        of packs: [PackContents], _ archives: [FilePath], _ patches: DownloadManifestPatches?, _ bar: PackProgress,
        _ context: CommandContext
    ) async throws {
        let manifest = self
        self = try await offloadCancellable { isCancelled in
            var manifest = manifest
            let history = try patches?.history()
            for (pack, archive) in zip(packs, archives) {
                guard let place = manifest.assetPacks.firstIndex(where: { $0.id == pack.manifest.assetPackID }) else {
                    continue
                }
                let url = manifest.assetPacks[place].url
                let index = try PackIndex.published(besideArchive: archive, of: pack)?.listing(packURL: url)
                manifest.assetPacks[place].larder?.index = index
                guard let patches, let history else { continue }
                guard index != nil else {
                    bar.note(
                        "warning: no patches of \(archive), which has no index; make it with 'ba-package index'.",
                        context)
                    continue
                }
                manifest.assetPacks[place].larder?.patches = try patches.make(
                    for: pack, at: archive, packURL: url, history: history, isCancelled: isCancelled, bar: bar
                ) { bar.note($0, context) }
            }
            return manifest
        }
    }

    /// Warns of packs that devices would not update, because their version does not rise.
    func tellLowVersions(than old: DownloadManifest, at path: FilePath, _ context: CommandContext) {
        for pack in assetPacks {
            guard let before = old[pack.id], pack.version <= before.version,
                pack.version < before.version || pack.larder?.digest != before.larder?.digest
            else { continue }
            context.note(
                "warning: \(PackSupport.printable(pack.id)) has version \(pack.version), and \(path) has version "
                    + "\(before.version) of another archive already: devices that have it do not update. Give it a higher "
                    + "number with --asset-pack-versions.")
        }
    }

    /// Says under which URL each file belongs: the names differ, since Apple's tool gives archives' URLs no extension.
    func tellWhatToPublish(_ packs: [PackContents], _ archives: [FilePath], _ context: CommandContext) {
        for (pack, archive) in zip(packs, archives) {
            guard let entry = self[pack.manifest.assetPackID] else { continue }
            var files = [(archive, entry.url)]
            if let index = entry.larder?.index { files.append((PackIndex.path(besideArchive: archive), index.url)) }
            for patch in entry.larder?.patches ?? [] {
                let path = PatchTable.path(besideArchive: archive, from: patch.from)
                files.append((path, patch.file.url))
                if let list = patch.list { files.append((PackList.path(besidePatch: path), list.url)) }
            }
            for (file, url) in files { context.print("  publish \(file) as \(PackSupport.printable(url))") }
        }
    }
}
