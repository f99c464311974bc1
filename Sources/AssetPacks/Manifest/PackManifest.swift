// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit
package import Languages
package import System

/// What a pack is and what goes into it: the file that `ba-package` reads (A1, BA 3.2).
package struct PackManifest: Hashable, Sendable {
    package let assetPackID: String
    package let downloadPolicy: DownloadPolicy
    /// Empty in a manifest that was read out of an archive.
    package let fileSelectors: [FileSelector]
    /// The systems the pack is for; empty means all.
    package let platforms: Set<AssetPackPlatform>
    package let language: LanguageTag?
    /// Below what the selectors look, as written.
    package let sourceRoot: String?
    /// Where `sourceRoot` stands, as `<file>:<line>:<column>: sourceRoot`; nil without one.
    package let sourceRootPlace: String?
    /// The developer's own object, handed to the app.
    package let userInfo: JSONValue?
    /// Everything the file says, without its comments.
    package let json: JSONValue

    /// A manifest that no person wrote, for all platforms.
    package init(assetPackID: String, downloadPolicy: DownloadPolicy, fileSelectors: [FileSelector]) {
        self.assetPackID = assetPackID
        self.downloadPolicy = downloadPolicy
        self.fileSelectors = fileSelectors
        platforms = []
        language = nil
        sourceRoot = nil
        sourceRootPlace = nil
        userInfo = nil
        json = [
            "assetPackID": .string(assetPackID), "downloadPolicy": downloadPolicy.json,
            "fileSelectors": .array(fileSelectors.map(\.json)),
        ]
    }

    /// Larger than any real manifest.
    package static let maximumSize = 16 << 20

    /// Reads and checks a manifest that a person wrote. `//` and `/* */` comments are allowed.
    /// - Throws: `AssetPackError` that names file, line and key.
    package init(contentsOf path: FilePath) throws {
        let bytes = try ManifestFile.read(path, "manifest", limit: Self.maximumSize)
        self = try PackManifest.decode(bytes, source: path.string)
    }

    /// Whether the pack is for the platform.
    package func supports(_ platform: AssetPackPlatform) -> Bool { platforms.isEmpty || platforms.contains(platform) }

    /// The folder that selectors look in: `sourceRoot` is relative to the manifest; without it, it is the working directory.
    package func sourceDirectory(manifest: FilePath, workingDirectory: FilePath) -> FilePath {
        guard let sourceRoot else { return workingDirectory }
        let folder = manifest.removingLastComponent()
        let root = folder.pushing(FilePath(sourceRoot)).lexicallyNormalized()
        return root.isEmpty ? "." : root
    }

    /// The manifest as it stands in the archive: the same JSON without comments, keys in order.
    package var archivedBytes: [UInt8] { Array(json.serialized(.pretty).utf8) }
}
