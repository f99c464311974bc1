// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
package import Kit

/// Managed packs for what was tagged: the manifests that `ba-package` packs, and which of them a tag stood for. Pure.
package struct PackMigration: Sendable {
    package struct Pack: Sendable {
        package let id: String
        package let tags: ResourceTagSet
        /// The pack manifest, without comments.
        package let manifest: JSONValue

        /// The manifest's file name.
        package var fileName: String { "\(id).json" }
    }

    /// Those that are fetched first come first.
    package let packs: [Pack]

    /// The packs that each tag needs from now on.
    package var packIDsByTag: [String: [String]] {
        var result: [String: [String]] = [:]
        for pack in packs { for tag in pack.tags.tags { result[tag, default: []].append(pack.id) } }
        return result
    }

    /// - Parameters:
    ///   - sourceRoot: the resources' folder, relative to where the manifests will be.
    ///   - untagged: files that are in no pack: a folder is only named as a whole when none of them is below it.
    ///   - exclusions: selectors that keep files out of folders that are named as a whole.
    ///   - keepsIDs: packs are named as they were on demand, instead of after their tags.
    package init(
        _ plan: ResourcePlan, sourceRoot: String, untagged: [PackPath], exclusions: [FileSelector] = [], keepsIDs: Bool
    ) {
        let files = FolderCounts(
            plan.packs.flatMap { Self.files($0) }.map(\.source) + untagged)
        var taken: Set<String> = []
        packs = plan.packs.map { pack in
            let id = keepsIDs ? pack.id : Self.id(pack.tags, taken: &taken)
            var selectors = Self.selectors(Self.files(pack), files)
            if selectors.contains(where: { if case .directory = $0.kind { true } else { false } }) {
                selectors += exclusions
            }
            var manifest: [String: JSONValue] = [
                "assetPackID": .string(id), "downloadPolicy": pack.downloadPolicy.json,
                "fileSelectors": .array(selectors.map(\.json)),
            ]
            if sourceRoot != "" { manifest["sourceRoot"] = .string(sourceRoot) }
            return Pack(id: id, tags: pack.tags, manifest: .object(manifest))
        }
    }

    private static func files(_ pack: ResourcePlan.Pack) -> [(source: PackPath, destination: PackPath)] {
        pack.selection.items.compactMap { item in
            switch item.content {
            case .directory: nil
            case .file(let source, _, _), .link(let source, _): (source, item.destination)
            }
        }
    }

    /// `cave`, `cave.forest`: what an identifier cannot hold becomes a hyphen, and what is too long or not unique gets the hash.
    private static func id(_ tags: ResourceTagSet, taken: inout Set<String>) -> String {
        let names = tags.tags.map { tag in
            String(
                tag.unicodeScalars.map { scalar -> Character in
                    switch scalar {
                    case "A"..."Z", "a"..."z", "0"..."9", ".", "-": Character(scalar)
                    default: "-"
                    }
                })
        }
        var id = names.joined(separator: ".")
        if id.hasPrefix(".") { id = "pack" + id }
        if id.utf8.count > AssetPackIdentifier.maximumLength || !taken.insert(id.lowercased()).inserted {
            id = "\(id.prefix(AssetPackIdentifier.maximumLength - 33))-\(tags.hash)"
            taken.insert(id.lowercased())
        }
        return id
    }

    /// Whole folders where all that is in them belongs to the pack, single files elsewhere.
    private static func selectors(
        _ files: [(source: PackPath, destination: PackPath)], _ all: FolderCounts
    ) -> [FileSelector] {
        let own = FolderCounts(files.filter { $0.source == $0.destination }.map(\.source))
        var folders: Set<PackPath> = []
        var result: [FileSelector] = []
        for (source, destination) in files {
            guard source == destination else {
                result.append(FileSelector(.fileTo(source: source, destination: destination), place: ""))
                continue
            }
            var whole: PackPath?
            var folder = source.parent
            while !folder.isRoot, own[folder] == all[folder] {
                whole = folder
                folder = folder.parent
            }
            if let whole {
                if folders.insert(whole).inserted { result.append(FileSelector(.directory(whole), place: "")) }
            } else {
                result.append(FileSelector(.file(source), place: ""))
            }
        }
        return result
    }
}

/// How many files are below each folder.
private struct FolderCounts {
    private var counts: [PackPath: Int] = [:]

    init(_ files: [PackPath]) {
        for file in files {
            var folder = file.parent
            while !folder.isRoot {
                counts[folder, default: 0] += 1
                folder = folder.parent
            }
        }
    }

    subscript(folder: PackPath) -> Int { counts[folder] ?? 0 }
}
