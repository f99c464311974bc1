// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import System

/// Selectors for what an Xcode project tags, below the project's folder.
struct XcodeSelectors {
    private let folder: FilePath
    private let listing: RememberedListing<FileSystemListing>
    private(set) var byTag: [String: [FileSelector]] = [:]
    /// What a person should know, with file and line.
    private(set) var notes: [String]

    /// Looks up what is in folders and catalogues. Blocks.
    /// - Throws: `AssetPackError`, `ResourceTagsError`
    init(_ project: XcodeProject, in folder: FilePath) throws {
        self.folder = folder
        listing = RememberedListing(FileSystemListing(root: folder))
        notes = project.notes
        for item in project.items { try add(item) }
    }

    private mutating func add(_ item: XcodeProject.Item) throws {
        let name = item.path.name
        switch item.role {
        case .synchronized(let excepted):
            for path in try catalogues(in: item.path, except: excepted) { try addCatalogue(path, [], item.place) }
        case .outside(let name):
            notes.append(
                "\(item.place): \(name) lies outside of the project's folder, and is not looked into; if it has tags, move it there"
            )
        case .localized(let language):
            try add(item.path, to: "\(language).lproj/\(name)", item.tags, item.place)
        case .resource where name.hasSuffix(AssetCatalog.folderExtension):
            try addCatalogue(item.path, item.tags, item.place)
        case .resource:
            if Self.compiledExtensions.contains(where: { name.hasSuffix($0) }) {
                notes.append(
                    "\(item.place): \(item.path) is compiled by Xcode; put what Xcode makes of it in its place before packing"
                )
            }
            try add(item.path, to: String(name), item.tags, item.place)
        }
    }

    private static let compiledExtensions = [
        ".storyboard", ".xib", ".mlmodel", ".mlpackage", ".xcdatamodeld", ".atlas", ".scnassets", ".rcproject",
        ".metal",
    ]

    /// A file, or a folder with all that is in it.
    private mutating func add(_ path: PackPath, to text: String, _ tags: [String], _ place: String) throws {
        let destination: PackPath
        do throws(PackPath.Problem) {
            destination = try PackPath(text)
        } catch {
            throw ResourceTagsError(.badProject, "\(place): the path \"\(text.prefix(200))\" \(error.reason).")
        }
        let isFolder = try listing.node(at: path) == .directory
        let kind: FileSelector.Kind =
            switch (isFolder, path == destination) {
            case (false, true): .file(path)
            case (false, false): .fileTo(source: path, destination: destination)
            case (true, true): .directory(path)
            case (true, false): .directoryTo(source: path, destination: destination)
            }
        for tag in tags where byTag[tag]?.contains(where: { $0.kind == kind }) != true {
            byTag[tag, default: []].append(FileSelector(kind, place: place))
        }
    }

    private mutating func addCatalogue(_ catalogue: PackPath, _ tags: [String], _ place: String) throws {
        let folder = folder
        let files = try AssetCatalog.files(in: catalogue, tags: tags, place: place, listing) { path, limit in
            let location = folder.appending(path.string)
            do {
                return (try File.read(location, limit: limit), location.string)
            } catch {
                throw AssetPackError(.io, "Could not read \"\(location)\": \(error.clause).", cause: nil)
            }
        }
        func destination(_ file: AssetCatalog.File) -> String {
            file.path.components.dropFirst(catalogue.parent.components.count).joined(separator: "/")
        }
        for file in files { try add(file.path, to: destination(file), file.tags, file.place) }
        guard let first = files.first else { return }
        notes.append(
            "\(first.place): Xcode compiles \(catalogue), and what it tags goes into packs as single files: open them by path, "
                + "such as \"\(destination(first))\", and not by an asset's name")
    }

    /// Asset catalogues below a folder, those inside of others left out.
    private func catalogues(in folder: PackPath, except excepted: Set<PackPath>) throws -> [PackPath] {
        guard try listing.node(at: folder) == .directory else { return [] }
        var found: [PackPath] = []
        var waiting = [folder]
        while let folder = waiting.popLast() {
            for (name, node) in try listing.children(of: folder) where node == .directory {
                let path = folder.appending(name)
                if excepted.contains(path) { continue }
                if name.hasSuffix(AssetCatalog.folderExtension) { found.append(path) } else { waiting.append(path) }
            }
        }
        return found.sorted()
    }

    /// When the tags are wanted, as far as there are resources with them.
    mutating func categories(_ project: XcodeProject) -> ResourceTagCategories {
        var categories = ResourceTagCategories()
        func isKnown(_ tag: XcodeObjects.Text, _ setting: String) -> Bool {
            if byTag[tag.value] != nil { return true }
            notes.append(
                "\(project.source):\(tag.line): \(setting) has the tag \"\(tag.value)\", which no resource of "
                    + "\(project.targetName) has; it is left out")
            return false
        }
        for tag in project.initialInstall where isKnown(tag, XcodeProject.initialInstallSetting) {
            categories.initialInstall.insert(tag.value)
        }
        for tag in project.prefetchOrder where isKnown(tag, XcodeProject.prefetchSetting) {
            if categories.category(of: tag.value) == .onDemand { categories.prefetchOrder.append(tag.value) }
        }
        for tag in project.unusedTags where byTag[tag.value] == nil {
            notes.append(
                "\(project.source):\(tag.line): no resource of \(project.targetName) has the tag \"\(tag.value)\"")
        }
        return categories
    }
}
