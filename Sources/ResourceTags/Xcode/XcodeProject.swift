// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks

/// What an Xcode project says of tags, for one of its targets. Pure.
package struct XcodeProject: Sendable {
    /// A resource of the target that has tags, or may have some inside.
    package struct Item: Hashable, Sendable {
        package enum Role: Hashable, Sendable {
            /// A file or a folder, which goes to the root of the app's resources.
            case resource
            /// A file for one language, which goes into that language's folder.
            case localized(language: String)
            /// A catalogue that lies outside of the project's folder, where nothing is looked up.
            case outside(name: String)
            /// A folder all of whose files belong to the target, but for some.
            case synchronized(except: Set<PackPath>)
        }

        package let path: PackPath
        package let role: Role
        package let tags: [String]
        /// File and line.
        package let place: String
    }

    package let targetName: String
    /// nil when the project does not say it.
    package let bundleID: String?
    package let items: [Item]
    let initialInstall: [XcodeObjects.Text]
    let prefetchOrder: [XcodeObjects.Text]
    /// Configuration files, which are not read here.
    let settingsFiles: [XcodeObjects.Text]
    /// How messages name the project's file.
    package let source: String
    package private(set) var notes: [String]

    package static let initialInstallSetting = "ON_DEMAND_RESOURCES_INITIAL_INSTALL_TAGS"
    package static let prefetchSetting = "ON_DEMAND_RESOURCES_PREFETCH_ORDER"

    /// - Parameters:
    ///   - bytes: of `project.pbxproj`.
    ///   - source: how messages name that file.
    ///   - target: its name; nil when there is only one that has tags.
    ///   - configuration: its name; nil is the one that command line builds use.
    /// - Throws: `ResourceTagsError` that names file and line.
    package init(_ bytes: [UInt8], source: String, target: String? = nil, configuration: String? = nil) throws {
        let objects = try XcodeObjects(bytes, source: source)
        let tree = try XcodeFileTree(objects)
        var candidates: [(name: String, object: XcodeObject, items: [Item])] = []
        for id in try objects.root.texts("targets") {
            guard let object = objects.known(id.value) else { continue }
            let name = try object.text("name")?.value ?? id.value
            if let target, name != target { continue }
            let items = try Self.items(of: object, objects, tree)
            // Catalogues are looked into later: they alone make no target the one that is meant.
            if target != nil || items.contains(where: { !$0.tags.isEmpty }) || Self.isApplication(object) {
                candidates.append((name, object, items))
            }
        }
        let tagged = candidates.filter { $0.items.contains { !$0.tags.isEmpty } }
        guard let chosen = tagged.count == 1 ? tagged.first : candidates.first,
            tagged.count == 1 || candidates.count == 1
        else {
            let root = try objects.root
            if let target { throw root.error(root.line, "has no target \"\(target)\"") }
            let names = (tagged.isEmpty ? candidates : tagged).map { "\"\($0.name)\"" }.joined(separator: ", ")
            throw root.error(
                root.line,
                names.isEmpty ? "has no target with tagged resources" : "has tags in the targets \(names): name one")
        }
        let settings = try XcodeBuildSettings(objects, target: chosen.object, configuration: configuration)
        self.source = source
        targetName = chosen.name
        items = chosen.items
        bundleID = try settings.text("PRODUCT_BUNDLE_IDENTIFIER")
        initialInstall = try settings.words(Self.initialInstallSetting) ?? []
        prefetchOrder = try settings.words(Self.prefetchSetting) ?? []
        settingsFiles = settings.files
        notes = []
        for setting in [Self.initialInstallSetting, Self.prefetchSetting] {
            for text in settings.conditional(setting) {
                notes.append("\(source):\(text.line): \(text.value) is passed over: it holds for some systems only")
            }
        }
        if try settings.text("ENABLE_ON_DEMAND_RESOURCES") == "NO" {
            notes.append("\(source): ENABLE_ON_DEMAND_RESOURCES is NO, so Xcode puts what is tagged into the app")
        }
        let used = Set(items.flatMap(\.tags))
        let attributes = try objects.root.dictionary("attributes")
        if let known = attributes["KnownAssetTags"] {
            for tag in try objects.root.texts(known, "KnownAssetTags") where !used.contains(tag.value) {
                unusedTags.append(tag)
            }
        }
    }

    /// Tags that the project knows and no file outside of catalogues has.
    private(set) var unusedTags: [XcodeObjects.Text] = []

    private static func isApplication(_ target: XcodeObject) -> Bool {
        ((try? target.text("productType")) ?? nil)?.value == "com.apple.product-type.application"
    }

    // MARK: - Resources of a target

    private static func items(of target: XcodeObject, _ objects: XcodeObjects, _ tree: XcodeFileTree) throws -> [Item] {
        var items: [Item] = []
        for phaseID in try target.texts("buildPhases") {
            guard let phase = objects.known(phaseID.value), phase.kind == "PBXResourcesBuildPhase" else { continue }
            for fileID in try phase.texts("files") {
                guard let file = objects.known(fileID.value) else { continue }
                items += try self.items(of: file, tree)
            }
        }
        for groupID in try target.texts("fileSystemSynchronizedGroups") {
            guard let group = tree.elements[groupID.value], let folder = group.path else { continue }
            items += try synchronized(group.object, folder, target, objects)
        }
        return items
    }

    /// What one entry of the phase that copies resources stands for.
    private static func items(of file: XcodeObject, _ tree: XcodeFileTree) throws -> [Item] {
        guard let reference = try file.text("fileRef") else { return [] }
        var tags: [String] = []
        if let node = try file.dictionary("settings")["ASSET_TAGS"] {
            tags = try file.tags(file.texts(node, "ASSET_TAGS"), "ASSET_TAGS")
        }
        guard let element = tree.elements[reference.value] else {
            if tags.isEmpty { return [] }
            throw file.error(reference.line, "tags \"\(reference.value.prefix(80))\", which is in no group")
        }
        let children = try element.object.kind == "PBXVariantGroup" ? element.object.texts("children") : [reference]
        return try children.compactMap { child -> Item? in
            guard let element = tree.elements[child.value] else { return nil }
            let name = try element.path?.name ?? element.object.text("path")?.value[...] ?? ""
            guard !tags.isEmpty || name.hasSuffix(AssetCatalog.folderExtension) else { return nil }
            let place = "\(file.source):\(file.line)"
            guard let path = element.path, !path.isRoot else {
                if tags.isEmpty { return Item(path: .root, role: .outside(name: String(name)), tags: [], place: place) }
                throw element.object.error(
                    element.object.line, "tags something that lies outside of the project's folder. Move it there")
            }
            var role = Item.Role.resource
            if children != [reference], let language = try language(of: element, path) {
                role = .localized(language: language)
            }
            return Item(path: path, role: role, tags: tags, place: place)
        }
    }

    private static func language(of element: XcodeFileTree.Element, _ path: PackPath) throws -> String? {
        let folder = path.parent.name
        if folder.hasSuffix(".lproj") { return String(folder.dropLast(".lproj".count)) }
        return try element.object.text("name")?.value
    }

    /// A folder that is part of the target with all that is in it.
    private static func synchronized(
        _ group: XcodeObject, _ folder: PackPath, _ target: XcodeObject, _ objects: XcodeObjects
    ) throws -> [Item] {
        var items: [Item] = []
        var excepted: Set<PackPath> = []
        for id in try group.texts("exceptions") {
            guard let exceptions = objects.known(id.value),
                exceptions.kind == "PBXFileSystemSynchronizedBuildFileExceptionSet",
                try exceptions.text("target")?.value == target.id
            else { continue }
            excepted.formUnion(
                try exceptions.texts("membershipExceptions").compactMap { XcodeFileTree.join(folder, $0.value) })
            let key = "assetTagsByRelativePath"
            for (relative, node) in try exceptions.dictionary(key).sorted(by: { $0.key < $1.key }) {
                guard let path = XcodeFileTree.join(folder, relative), !path.isRoot else {
                    throw exceptions.error(
                        node.line, "tags \"\(relative)\", which lies outside of the project's folder")
                }
                let tags = try exceptions.tags(exceptions.texts(node, key), key)
                guard !tags.isEmpty, !excepted.contains(path) else { continue }
                items.append(
                    Item(path: path, role: .resource, tags: tags, place: "\(exceptions.source):\(node.line)"))
            }
        }
        let place = "\(group.source):\(group.line)"
        items.append(Item(path: folder, role: .synchronized(except: excepted), tags: [], place: place))
        return items
    }
}
