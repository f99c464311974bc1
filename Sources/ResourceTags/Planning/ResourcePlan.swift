// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
import Kit

/// The packs that an app's tagged resources make: one for each distinct set of tags (BA 6.2). Pure.
package struct ResourcePlan: Sendable {
    package struct Pack: Sendable {
        package let id: String
        package let tags: ResourceTagSet
        package let downloadPolicy: DownloadPolicy
        /// nil on demand.
        package let priority: Double?
        package let selection: Selection

        /// The pack's manifest, which names every file.
        package var manifest: PackManifest {
            let selectors = selection.items.compactMap { item -> FileSelector? in
                switch item.content {
                case .directory: nil
                case .file(let source, _, _), .link(let source, _):
                    FileSelector(
                        source == item.destination
                            ? .file(source) : .fileTo(source: source, destination: item.destination), place: id)
                }
            }
            return PackManifest(assetPackID: id, downloadPolicy: downloadPolicy, fileSelectors: selectors)
        }

        /// Files and links by their paths below the app's resources.
        package var subpaths: [String] {
            selection.items.filter { $0.content != .directory }.map(\.destination.string)
        }
    }

    package let bundleID: String
    package let categories: ResourceTagCategories
    /// Those that are fetched first come first; then by identifier.
    package let packs: [Pack]
    /// What each tag needs, in bytes of its packs' files.
    package let sizesByTag: [String: Int64]

    package var onDemandResources: OnDemandResourcesPlist {
        OnDemandResourcesPlist(packs: packs.map { .init(id: $0.id, tags: $0.tags, subpaths: $0.subpaths) })
    }

    /// - Parameter selections: what each tag's selectors took; in the order in which conflicts are told.
    /// - Throws: `AssetPackError`, `ResourceTagsError`
    package init(
        bundleID: String, categories: ResourceTagCategories,
        selections: [(tag: String, items: [Selection.Item])]
    ) throws {
        if let problem = TagManifest.problem(withBundleID: bundleID) {
            throw AssetPackError(.invalidArgument, "The bundle id \"\(bundleID.prefix(200))\" \(problem).")
        }
        var items: [PackPath: (item: Selection.Item, tags: [String])] = [:]
        for (tag, chosen) in selections {
            var isEmpty = true
            for item in chosen where item.content != .directory {
                isEmpty = false
                let known = items[item.destination]
                if let known, known.item.content != item.content {
                    throw Self.conflict(known.item, known.tags[0], item, tag)
                }
                items[item.destination] = (known?.item ?? item, (known?.tags ?? []) + [tag])
            }
            guard !isEmpty else {
                throw ResourceTagsError(.badTag, "The tag \"\(tag)\" has no files. Give it some, or take it out.")
            }
        }
        var itemsByTags: [ResourceTagSet: [Selection.Item]] = [:]
        for (item, tags) in items.values { itemsByTags[ResourceTagSet(tags), default: []].append(item) }

        var tagsByID: [String: ResourceTagSet] = [:]
        var packs: [Pack] = []
        for (tags, items) in itemsByTags {
            let id = tags.packID(bundleID: bundleID)
            if let other = tagsByID.updateValue(tags, forKey: id) {
                throw ResourceTagsError(
                    .badTag, "The tags \(tags) and the tags \(other) would name one pack. Rename a tag with a colon.")
            }
            packs.append(
                Pack(
                    id: id, tags: tags, downloadPolicy: categories.downloadPolicy(of: tags),
                    priority: categories.priority(of: tags), selection: try Self.selection(items, tags)))
        }
        var sizes: [String: Int64] = [:]
        for pack in packs {
            for tag in pack.tags.tags {
                sizes[tag] = (sizes[tag] ?? 0).addingReportingOverflow(pack.selection.totalSize).partialValue
            }
        }
        self.bundleID = bundleID
        self.categories = categories
        self.packs = packs.sorted { ($1.priority ?? 0, $0.id) < ($0.priority ?? 0, $1.id) }
        sizesByTag = sizes
    }

    /// Links stay within one pack, since each pack comes and goes by itself.
    private static func selection(_ items: [Selection.Item], _ tags: ResourceTagSet) throws -> Selection {
        do {
            return try Selection(of: items)
        } catch let error as AssetPackError {
            throw AssetPackError(error.code, "In the pack of the tags \(tags): \(error.message)")
        }
    }

    private static func conflict(
        _ first: Selection.Item, _ firstTag: String, _ second: Selection.Item, _ secondTag: String
    ) -> AssetPackError {
        func source(_ item: Selection.Item) -> String {
            switch item.content {
            case .file(let source, _, _), .link(let source, _): "\"\(source)\""
            case .directory: "a folder"
            }
        }
        return AssetPackError(
            .conflict,
            "Two sources for \"\(first.destination)\": \(source(first)) with the tag \"\(firstTag)\" and \(source(second)) with "
                + "the tag \"\(secondTag)\". Give one of them another destination.")
    }
}
