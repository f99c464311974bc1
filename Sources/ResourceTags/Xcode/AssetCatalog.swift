// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
import Kit

/// The tags inside an asset catalogue: each of its folders may have some, for all that is in it.
package enum AssetCatalog {
    package static let folderExtension = ".xcassets"
    private static let contentsName = "Contents.json"
    /// Larger than any real list, in bytes.
    private static let maximumSize = 4 << 20

    /// A file that has tags.
    package struct File: Hashable, Sendable {
        package let path: PackPath
        package let tags: [String]
        /// The list that tags it, with file and line.
        package let place: String
    }

    /// - Parameters:
    ///   - catalogue: its folder in the listing.
    ///   - tags: what the whole of it has.
    ///   - read: gives a file's bytes, no more than the limit.
    /// - Throws: `AssetPackError`, `ResourceTagsError`
    static func files(
        in catalogue: PackPath, tags: [String], place: String, _ listing: some SourceListing,
        read: (_ path: PackPath, _ limit: Int) throws -> (bytes: [UInt8], name: String)
    ) throws -> [File] {
        var files: [File] = []
        var waiting = [(folder: catalogue, tags: tags, place: place, depth: 0)]
        while let next = waiting.popLast() {
            let (folder, depth) = (next.folder, next.depth)
            var (tags, place) = (next.tags, next.place)
            guard depth <= 64 else {
                throw ResourceTagsError(.badProject, "The asset catalogue \"\(catalogue)\" is nested too deeply.")
            }
            let children = try listing.children(of: folder)
            if children.contains(where: { $0.name == contentsName }) {
                let (bytes, name) = try read(folder.appending(contentsName), maximumSize)
                if let own = try self.tags(bytes, source: name) {
                    tags += own.tags.filter { !tags.contains($0) }
                    place = own.place
                }
            }
            for (name, node) in children {
                let path = folder.appending(name)
                switch node {
                case .directory: waiting.append((path, tags, place, depth + 1))
                case .file where name != contentsName && !tags.isEmpty:
                    files.append(File(path: path, tags: tags, place: place))
                default: break
                }
            }
        }
        return files.sorted { $0.path < $1.path }
    }

    /// `on-demand-resource-tags` of a folder's list; nil when it has none.
    static func tags(_ bytes: [UInt8], source: String) throws -> (tags: [String], place: String)? {
        let reader = ManifestReader(source: source)
        let root = try reader.parse(bytes, allowsComments: false)
        let key = "on-demand-resource-tags"
        guard let node = root["properties"]?[key] else { return nil }
        let tags = try reader.array(node, key, example: "[\"cave\"]").map { element in
            let tag = try reader.string(element, key, example: "cave")
            if let problem = ResourceTag.problem(with: tag) {
                throw reader.error(element.position, "\(key): the tag \"\(tag.prefix(80))\" \(problem)")
            }
            return tag
        }
        return tags.isEmpty ? nil : (tags, "\(source):\(node.position.line)")
    }
}
