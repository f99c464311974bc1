// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
import Kit
package import System

/// A tag manifest with the files that its selectors take.
package struct TaggedSources: Sendable {
    package let plan: ResourcePlan
    package let sourceDirectory: FilePath
    /// Files and links below the source directory that carry no tag, in order: the app's own resources.
    package let untagged: [PackPath]
    /// What keeps files out of every tag.
    package let exclusions: [FileSelector]
    package let warnings: [String]

    /// Looks up what carries which tag. Blocks.
    /// - Throws: `AssetPackError`, `ResourceTagsError`
    package init(_ manifest: TagManifest, bundleID: String, sourceDirectory: FilePath) throws {
        let status = try? FileDescriptor.currentDirectory.status(at: sourceDirectory, followingLinks: true)
        guard status?.kind == .directory else {
            throw AssetPackError(.notFound, "\"\(sourceDirectory)\" is no folder with resources. Name the one to tag.")
        }
        self.sourceDirectory = sourceDirectory
        let listing = RememberedListing(FileSystemListing(root: sourceDirectory))
        var selections: [(tag: String, items: [Selection.Item])] = []
        var warnings: [String] = []
        var tagged: Set<PackPath> = []
        for tag in manifest.tags {
            let selection = try SelectionPlanner.select(tag.selectors + manifest.exclusions, from: listing)
            selections.append((tag.name, selection.items))
            // An exclusion for all tags need not concern each of them.
            warnings += selection.warnings.filter { warning in
                warning.kind != .unusedExclusion
                    || !manifest.exclusions.contains { warning.message.hasPrefix($0.place) }
            }.map(\.message)
            for item in selection.items {
                switch item.content {
                case .file(let source, _, _), .link(let source, _): tagged.insert(source)
                case .directory: break
                }
            }
        }
        plan = try ResourcePlan(bundleID: bundleID, categories: manifest.categories, selections: selections)
        self.warnings = warnings
        exclusions = manifest.exclusions
        let excluded = manifest.exclusions.compactMap {
            if case .fileExclusion(let glob) = $0.kind { glob } else { nil }
        }
        untagged = try Self.files(in: listing, except: tagged, excluded: excluded)
    }

    private static func files(
        in listing: some SourceListing, except tagged: Set<PackPath>, excluded: [Glob]
    ) throws -> [PackPath] {
        var result: [PackPath] = []
        var waiting = [PackPath.root]
        while let folder = waiting.popLast() {
            for (name, node) in try listing.children(of: folder) {
                let path = folder.appending(name)
                if excluded.contains(where: { $0.matches(path) }) { continue }
                switch node {
                case .directory: waiting.append(path)
                case .file, .link: if !tagged.contains(path) { result.append(path) }
                case .special: break
                }
            }
        }
        return result.sorted()
    }
}
