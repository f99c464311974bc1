// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Kit

/// What the pipeline must know of a pack to fetch, check and record it.
struct PackDownload: Hashable, Sendable {
    var id: String
    var version: UInt64
    var url: String
    /// Bytes of the archive, as promised.
    var downloadSize: Int64
    /// The archive's tree digest in hexadecimal, when the manifest gives one.
    var digest: String?
    /// Bytes of the files' contents, when the manifest says.
    var installedSize: Int64?
    var fileCount: Int?
    var language: String?
    /// JSON text.
    var userInfo: String?
    var policy: String?
    /// Its index; nil when the server has none.
    var index: ListedFile?
    var patches: [ListedPatch] = []

    /// A file beside the archive.
    struct ListedFile: Hashable, Sendable {
        var url: String
        /// In bytes.
        var size: Int64
        /// SHA-256 of all of it.
        var digest: Digest
        /// The beginning of an index, which tells what of the rest is needed.
        var front: Front?

        struct Front: Hashable, Sendable {
            /// In bytes.
            var size: Int64
            var digest: Digest
        }

        /// nil when its digest is none.
        init?(_ file: DownloadManifestPack.LarderInfo.UpdateFile) {
            guard let digest = Digest(hex: file.sha256) else { return nil }
            (url, size, self.digest) = (file.url, file.size, digest)
            front = file.front.flatMap { front in
                Digest(hex: front.sha256).map { Front(size: front.size, digest: $0) }
            }
        }
    }

    /// What leads from another archive's contents to this one's.
    struct ListedPatch: Hashable, Sendable {
        /// The version it starts from. Other bytes may have had the same number.
        var from: Int
        /// The tree digest of the other archive, in hexadecimal.
        var base: String
        var file: ListedFile
        /// What is fetched in place of the index by who has the other archive's files.
        var list: ListedFile?
    }
}

extension PackDownload {
    init(_ pack: DownloadManifestPack) {
        self.init(
            id: pack.id, version: UInt64(clamping: pack.version), url: pack.url, downloadSize: pack.downloadSize,
            digest: pack.larder?.digest.value, installedSize: pack.larder?.installedSize,
            fileCount: pack.larder?.fileCount, language: pack.language, userInfo: pack.userInfo?.serialized(),
            policy: pack.downloadPolicy.name, index: pack.larder?.index.flatMap(ListedFile.init),
            patches: (pack.larder?.patches ?? []).compactMap { patch in
                ListedFile(patch.file).map {
                    ListedPatch(
                        from: patch.from, base: patch.base, file: $0, list: patch.list.flatMap(ListedFile.init))
                }
            })
    }

    /// Whether what is under way of another description is worth nothing: not when only the address is another one, and the
    /// digest tells that the bytes are the same. Addresses that expire change from manifest to manifest.
    func replaces(_ other: PackDownload) -> Bool {
        var other = other
        if digest != nil, digest == other.digest { other.url = url }
        (other.index, other.patches) = (index, patches)
        return self != other
    }

    /// What must be the same for staged bytes to be worth going on with. Without a digest the address tells versions
    /// apart that the number does not.
    var identity: StagingIdentity {
        StagingIdentity(
            version: version, downloadSize: downloadSize, digest: digest, url: digest == nil ? url : nil)
    }
}

/// Which download a staging folder belongs to.
struct StagingIdentity: Codable, Hashable, Sendable {
    /// What lies in the folder, and how; one of another format is thrown away.
    static let currentFormat = 2

    var format = currentFormat
    var version: UInt64
    var downloadSize: Int64
    var digest: String?
    var url: String?
}
