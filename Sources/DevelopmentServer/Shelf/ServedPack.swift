// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import HTTP
internal import Kit
import Languages
internal import PackUpdates
internal import System

/// An archive as it is served: open, inspected, and with the version it is announced under.
struct ServedPack: Sendable {
    let path: FilePath
    let contents: PackContents
    let file: ServedFile
    let status: FileStatus
    var version: Int
    /// What lies beside the archive for updates.
    var index: PackIndex.Published?
    var patches: [ServedPatch] = []

    var id: String { contents.manifest.assetPackID }
    /// The digest names the content, so it is the entity tag.
    var etag: String { "\"\(contents.digest)\"" }

    /// What the download manifest says about it.
    func entry(base: String) -> DownloadManifestPack {
        let url = "\(base)/assets/\(id)"
        let info = DownloadManifestPack.LarderInfo(
            digest: .init(value: contents.digest), installedSize: contents.installedSize, fileCount: contents.fileCount,
            index: index?.listing(packURL: url), patches: patches.map { $0.listing(packURL: url) })
        return DownloadManifestPack(
            id: id, url: url, version: version, downloadSize: contents.archiveSize,
            downloadPolicy: contents.manifest.downloadPolicy, userInfo: contents.manifest.userInfo,
            language: contents.manifest.language?.description, larder: info)
    }
}
