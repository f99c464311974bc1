// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The files for updates that lie beside an archive, to be listed with it in a download manifest.
package struct UpdateListing: Hashable, Sendable {
    /// A file's size in bytes and its SHA-256 in lower-case hexadecimal.
    package struct File: Hashable, Sendable {
        package let size: Int64
        package let sha256: String

        package init(size: Int64, sha256: String) {
            self.size = size
            self.sha256 = sha256
        }
    }

    /// A patch, with the version and the archive that it starts from.
    package struct Patch: Hashable, Sendable {
        package let from: Int
        package let base: String
        package let file: File

        package init(from: Int, base: String, file: File) {
            self.from = from
            self.base = base
            self.file = file
        }
    }

    package var index: File?
    package var patches: [Patch]

    package init(index: File? = nil, patches: [Patch] = []) {
        self.index = index
        self.patches = patches
    }

    /// What an index's URL has behind the name in the pack's URL.
    package static let indexSuffix = ".index"

    /// What a patch's URL has behind the name in the pack's URL.
    package static func patchSuffix(from version: Int) -> String { ".from-\(version).patch" }

    /// Puts the URLs of the files into what a download manifest says of a pack.
    package func list(in info: inout DownloadManifestPack.LarderInfo, packURL: String) {
        func listed(_ file: File, _ suffix: String) -> DownloadManifestPack.LarderInfo.UpdateFile {
            .init(url: Self.url(packURL, suffix), size: file.size, sha256: file.sha256)
        }
        info.index = index.map { listed($0, Self.indexSuffix) }
        info.patches = patches.map {
            .init(from: $0.from, base: $0.base, file: listed($0.file, Self.patchSuffix(from: $0.from)))
        }
    }

    /// The suffix belongs to the path, before any query or fragment.
    private static func url(_ url: String, _ suffix: String) -> String {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        return url[..<end] + suffix + url[end...]
    }
}
