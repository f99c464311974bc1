// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Crypto
internal import Kit

extension UpdateFile {
    private typealias Info = DownloadManifestPack.LarderInfo

    /// What a download manifest lists of the files that lead to a version.
    static func members(of files: [UpdateFile], _ archives: ArchiveSigner) -> [String: JSONValue] {
        var index: Info.UpdateFile?
        var patches: [Info.Patch] = []
        var bases: Set<String> = []
        for file in files.sorted(by: { ($0.base?.number ?? 0) > ($1.base?.number ?? 0) }) {
            func entry(_ stored: Stored) -> Info.UpdateFile {
                Info.UpdateFile(
                    url: archives.url(of: stored.digest.hex), size: stored.size, sha256: stored.sha256,
                    front: stored.front)
            }
            guard let listed = file.stored.map(entry) else { continue }
            guard let base = file.base else {
                index = listed
                continue
            }
            // Two versions may have the same archive, and one patch serves devices that have either.
            guard bases.insert(base.digest).inserted, patches.count < Info.maximumPatchCount else { continue }
            patches.append(
                Info.Patch(
                    from: Int(clamping: base.number), base: base.digest, file: listed, list: file.list.map(entry)))
        }
        // A patch leads to what an index describes.
        return Info.updateMembers(index: index, patches: index == nil ? [] : patches)
    }
}
