// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
package import System

/// Which resources of an app carry which tags, and when the tags' resources are wanted: the file that `larder odr build` reads.
package struct TagManifest: Hashable, Sendable {
    /// A tag and what carries it.
    package struct Tag: Hashable, Sendable {
        package let name: String
        package let selectors: [FileSelector]
    }

    /// The app's; nil when the command line has to say it.
    package let bundleID: String?
    /// The folder that selectors look in, relative to the manifest; nil when the command line has to say it.
    package let sourceRoot: String?
    package let categories: ResourceTagCategories
    /// In the file's order.
    package let tags: [Tag]
    /// What no tag takes.
    package let exclusions: [FileSelector]

    /// Larger than any real manifest.
    package static let maximumSize = 16 << 20

    /// Reads and checks a manifest. `//` and `/* */` comments are allowed. Blocks.
    /// - Throws: `AssetPackError` that names file, line and key.
    package init(contentsOf path: FilePath) throws {
        try self.init(
            ManifestFile.read(path, "tag manifest", limit: Self.maximumSize), source: path.string)
    }
}
