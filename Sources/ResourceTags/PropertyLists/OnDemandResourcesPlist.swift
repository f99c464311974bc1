// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppBundles
import System

/// `OnDemandResources.plist`: which packs a tag needs, and what is in them (BA 6.2). It lies at the root of an app's resources.
package struct OnDemandResourcesPlist: Hashable, Sendable {
    package static let fileName = "OnDemandResources.plist"

    /// Each tag's packs, in order of their identifiers.
    package let packIDsByTag: [String: [String]]
    /// Each pack's files by paths below the app's resources, in order. A pack without any is not there.
    package let subpathsByPackID: [String: [String]]

    /// One pack of an app.
    package struct Pack: Hashable, Sendable {
        package let id: String
        package let tags: ResourceTagSet
        package let subpaths: Set<String>

        package init(id: String, tags: ResourceTagSet, subpaths: some Sequence<String>) {
            self.id = id
            self.tags = tags
            self.subpaths = Set(subpaths)
        }
    }

    package init(packs: [Pack]) {
        var packIDsByTag: [String: Set<String>] = [:]
        var subpathsByPackID: [String: Set<String>] = [:]
        for pack in packs {
            for tag in pack.tags.tags { packIDsByTag[tag, default: []].insert(pack.id) }
            if !pack.subpaths.isEmpty { subpathsByPackID[pack.id, default: []].formUnion(pack.subpaths) }
        }
        self.packIDsByTag = packIDsByTag.mapValues { $0.sorted() }
        self.subpathsByPackID = subpathsByPackID.mapValues { $0.sorted() }
    }

    /// All packs, with files or without.
    package var packIDs: Set<String> { Set(packIDsByTag.values.joined()).union(subpathsByPackID.keys) }

    /// The tags of each pack.
    package var tagsByPackID: [String: ResourceTagSet] {
        var tags: [String: [String]] = [:]
        for (tag, ids) in packIDsByTag { for id in ids { tags[id, default: []].append(tag) } }
        return tags.mapValues { ResourceTagSet($0) }
    }
}

extension OnDemandResourcesPlist: TagPropertyList {
    private static let tagsKey = "NSBundleResourceRequestTags"
    private static let packsKey = "NSBundleResourceRequestAssetPacks"
    private static let packListKey = "NSAssetPacks"

    package init(_ file: PropertyListFile) throws {
        let reader = TagPropertyListReader(source: file.path.string)
        var packIDsByTag: [String: [String]] = [:]
        for (tag, value) in try reader.dictionary(file.values[Self.tagsKey], Self.tagsKey) {
            if let problem = ResourceTag.problem(with: tag) {
                throw reader.error(Self.tagsKey, "has a tag \"\(tag.prefix(200))\", which \(problem)")
            }
            let place = "\(Self.tagsKey).\(tag)"
            let ids = try reader.dictionary(value, place)[Self.packListKey]
            packIDsByTag[tag] = Set(
                try reader.strings(ids, "\(place).\(Self.packListKey)").map { try reader.packID($0, place) }
            ).sorted()
        }
        var subpathsByPackID: [String: [String]] = [:]
        // Where every pack is empty, the key may be left out.
        let packs = try reader.dictionary(file.values[Self.packsKey] ?? .dictionary([:]), Self.packsKey)
        for (id, value) in packs {
            let place = "\(Self.packsKey).\(try reader.packID(id, Self.packsKey))"
            let paths = try reader.strings(value, place).map { try reader.subpath($0, place) }
            if !paths.isEmpty { subpathsByPackID[id] = Set(paths).sorted() }
        }
        self.packIDsByTag = packIDsByTag
        self.subpathsByPackID = subpathsByPackID
    }

    package var propertyList: PropertyListValue {
        func strings(_ values: [String]) -> PropertyListValue { .array(values.map { .string($0) }) }
        return .dictionary([
            Self.tagsKey: .dictionary(packIDsByTag.mapValues { .dictionary([Self.packListKey: strings($0)]) }),
            Self.packsKey: .dictionary(subpathsByPackID.mapValues(strings)),
        ])
    }
}
