// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit

extension TagManifest {
    private static let keys = ["bundleID", "sourceRoot", "initialInstall", "prefetch", "onDemand", "exclude", "tags"]

    /// - Parameter source: names the file in messages.
    /// - Throws: `AssetPackError` that names file, line and key.
    package init(_ bytes: some Sequence<UInt8>, source: String) throws {
        let reader = ManifestReader(source: source)
        let object = try reader.object(
            try reader.parse(bytes, allowsComments: true), "", keys: Self.keys,
            example: "{\"tags\": {\"cave\": [{\"directory\": \"Levels/Cave\"}]}}")
        bundleID = try object.optional("bundleID").map { node in
            let text = try reader.string(node, "bundleID", example: "org.example.game")
            if let problem = Self.problem(withBundleID: text) {
                throw reader.error(node.position, "bundleID: \"\(text.prefix(160))\" \(problem)")
            }
            return text
        }
        sourceRoot = try object.optional("sourceRoot").map { node in
            let text = try reader.string(node, "sourceRoot", example: "Resources")
            guard !text.utf8.isEmpty, !text.utf8.contains(0) else {
                throw reader.error(node.position, "sourceRoot is no path; write \".\" for the manifest's own folder")
            }
            return text
        }
        exclusions = try object.optional("exclude").map { try Self.exclusions($0, reader) } ?? []
        let tags = try Self.tags(
            try object.required("tags", example: "{\"cave\": [{\"directory\": \"Levels/Cave\"}]}"), reader)
        self.tags = tags
        categories = try Self.categories(object, reader, names: tags.map(\.name))
    }

    /// What is wrong with an app's identifier as a part of its packs', as the end of a sentence; nil when it is right.
    package static func problem(withBundleID text: String) -> String? {
        let id = ResourceTagSet([""]).packID(bundleID: text)
        if text.utf8.isEmpty { return "is empty" }
        if id.utf8.count > AssetPackIdentifier.maximumLength {
            let room = AssetPackIdentifier.maximumLength - (id.utf8.count - text.utf8.count)
            return "is longer than the \(room) characters that leave room for a pack's hash"
        }
        return AssetPackIdentifier.problem(with: text)
    }

    private static func exclusions(_ node: JSONNode, _ reader: ManifestReader) throws -> [FileSelector] {
        try reader.array(node, "exclude", example: "[\"*.psd\"]").enumerated().map { index, element in
            let place = "exclude[\(index)]"
            let text = try reader.string(element, place, example: "*.psd")
            do throws(Glob.Problem) {
                return FileSelector(
                    .fileExclusion(try Glob(nameOrPath: text)), place: "\(reader.place(element.position)): \(place)")
            } catch {
                throw reader.error(element.position, "\(place): the pattern \"\(text)\" \(error.reason)")
            }
        }
    }

    private static func tags(_ node: JSONNode, _ reader: ManifestReader) throws -> [Tag] {
        guard case .object(let members) = node.content, !members.isEmpty else {
            throw reader.error(
                node.position,
                "tags must be an object with a member for each tag, such as {\"cave\": [{\"directory\": \"Levels/Cave\"}]}"
            )
        }
        return try members.map { member in
            if let problem = ResourceTag.problem(with: member.key) {
                throw reader.error(member.keyPosition, "tags: the tag \"\(member.key.prefix(80))\" \(problem)")
            }
            return Tag(name: member.key, selectors: try reader.fileSelectors(member.value, "tags.\(member.key)"))
        }
    }

    private static func categories(
        _ object: ManifestObject, _ reader: ManifestReader, names: [String]
    ) throws -> ResourceTagCategories {
        var found: [String: ResourceTagCategories.Category] = [:]
        var result = ResourceTagCategories()
        for category in ResourceTagCategories.Category.allCases {
            guard let node = object.optional(category.rawValue) else { continue }
            let elements = try reader.array(node, category.rawValue, example: "[\"cave\"]")
            for (index, element) in elements.enumerated() {
                let place = "\(category.rawValue)[\(index)]"
                let tag = try reader.string(element, place, example: "cave")
                guard names.contains(tag) else {
                    let hint =
                        Spelling.closest(to: tag, among: names).map { "did you mean \"\($0)\"?" }
                        ?? "tags has \(ManifestReader.list(Array(names.sorted().prefix(20))))"
                    throw reader.error(element.position, "\(place): there is no tag \"\(tag)\"; \(hint)")
                }
                if let other = found.updateValue(category, forKey: tag) {
                    throw reader.error(
                        element.position,
                        "\(place): the tag \"\(tag)\" stands in \"\(other.rawValue)\" already; leave it in one place")
                }
                switch category {
                case .initialInstall: result.initialInstall.insert(tag)
                case .prefetch: result.prefetchOrder.append(tag)
                case .onDemand: break
                }
            }
        }
        return result
    }
}
