// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
package import System

extension TagManifest {
    init(bundleID: String?, categories: ResourceTagCategories, tags: [Tag]) {
        self.bundleID = bundleID
        sourceRoot = nil
        self.categories = categories
        self.tags = tags
        exclusions = []
    }

    /// What an app was built from, as far as its lists tell. Blocks.
    ///
    /// They have priorities of packs, each the greatest of its tags'. A tag is taken to come when the last of its packs does.
    /// - Parameter folder: the root of the app's resources.
    /// - Throws: `BundleError`, `ResourceTagsError`, `AssetPackError`
    package init(builtInto folder: FilePath) throws {
        let list = try OnDemandResourcesPlist(contentsOf: folder.appending(OnDemandResourcesPlist.fileName))
        let resources = try AssetPackManifestPlist(ofApp: folder)?.resources ?? []
        try self.init(
            list, priorities: Dictionary(resources.map { ($0.packID, $0.downloadPriority) }) { first, _ in first })
    }

    init(_ list: OnDemandResourcesPlist, priorities: [String: Double?]) throws {
        var prefetch: [(tag: String, priority: Double)] = []
        var categories = ResourceTagCategories()
        var tags: [Tag] = []
        for (tag, packIDs) in list.packIDsByTag.sorted(by: { $0.key < $1.key }) {
            let lowest = packIDs.map { (priorities[$0] ?? nil) ?? 0 }.min() ?? 0
            if lowest >= 1 {
                categories.initialInstall.insert(tag)
            } else if lowest > 0 {
                prefetch.append((tag, lowest))
            }
            let paths = Set(packIDs.flatMap { list.subpathsByPackID[$0] ?? [] }).sorted()
            let selectors = try paths.map { path in
                do throws(PackPath.Problem) {
                    return FileSelector(.file(try PackPath(path)), place: OnDemandResourcesPlist.fileName)
                } catch {
                    throw ResourceTagsError(.badPropertyList, "The path \"\(path)\" \(error.reason).")
                }
            }
            if !selectors.isEmpty { tags.append(Tag(name: tag, selectors: selectors)) }
        }
        categories.prefetchOrder = prefetch.sorted { ($1.priority, $0.tag) < ($0.priority, $1.tag) }.map(\.tag)
        self.init(bundleID: nil, categories: categories, tags: tags)
    }
}
