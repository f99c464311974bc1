// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import FuzzSupport
import Kit
import TestSupport

/// Mutated pack manifests must end in a manifest that says what the text says, or in one message that names file and
/// line; what is read must select within its tree.
@main
enum PackManifestFuzz {
    static func main() throws {
        let words =
            PackManifest.keys + FileSelector.keys + DownloadPolicy.names
            + [
                "installationEventTypes", "firstInstallation", "Linux", "//", "/*", "*/", "**/", "*.{a,b}", "[!a-z]",
                "..", "\\u0000", "{{{{",
            ]
        try Fuzzer(name: "fuzz-pack-manifest").run(corpus: corpus, dictionary: words.map { Array($0.utf8) }) {
            input, _ in
            try check(input)
        }
    }

    private static let corpus: [[UInt8]] = [
        PackManifest.template,
        """
        {"assetPackID":"a.b-c","downloadPolicy":{"onDemand":{}},"fileSelectors":[{"file":"a/x.png"},{"filePattern":"**/*.png"},
        {"fileExclusion":"b"},{"fileSource":"a/y","fileDestination":"z/y"},{"directorySource":".","directoryDestination":"all"}],
        "platforms":["iOS","Linux"],"language":"zh-Hant-TW","sourceRoot":"../x","userInfo":{"k":[1,2.5,null,true,"\\u00e9"]}}
        """,
        """
        {"assetPackID":"T","downloadPolicy":{"essential":{"installationEventTypes":["subsequentUpdate"]}},
        "fileSelectors":[{"filePattern":"{a,b}/[x-z].p?g"},{"directory":"a"}]}
        """,
    ].map { Array($0.utf8) }

    private static func check(_ input: [UInt8]) throws {
        do {
            let manifest = try PackManifest.decode(input, source: "M.json")
            let archived = try PackManifest.decodeArchived(manifest.archivedBytes, source: "M.json")
            try Finding.require(archived.archivedBytes == manifest.archivedBytes, "the archived form is not stable")
            try Finding.require(archived.downloadPolicy == manifest.downloadPolicy, "the archived policy differs")
            try Finding.require(
                AssetPackIdentifier.problem(with: manifest.assetPackID) == nil, "a wrong identifier came through")
            try select(manifest)
        } catch let error as AssetPackError {
            try Finding.require(error.message.hasPrefix("M.json:"), "a message without its place: \(error.message)")
        }
    }

    private static func select(_ manifest: PackManifest) throws {
        let selection: Selection
        do {
            selection = try SelectionPlanner.select(manifest.fileSelectors, from: Tree())
        } catch is AssetPackError {
            return
        }
        var seen: Set<String> = [""]
        var last = ""
        for item in selection.items {
            let path = item.destination.string
            try Finding.require(seen.contains(item.destination.parent.string), "\(path) stands before its folder")
            try Finding.require(seen.insert(path).inserted, "\(path) twice")
            try Finding.require(last.utf8.lexicographicallyPrecedes(path.utf8), "\(path) out of order")
            try Finding.require(
                !path.hasPrefix("/") && !path.split(separator: "/").contains(".."), "\(path) leaves the pack")
            last = path
        }
    }
}

/// A small tree: folders `a` and `b` with a few files, one link.
private struct Tree: SourceListing {
    var rootDescription: String { "the tree" }

    private static let folders = [
        "": ["a", "b", "x.png"], "a": ["l", "x.png", "y"], "b": ["c", "x.pdg"], "b/c": ["z"],
    ]

    func node(at path: PackPath) -> SourceNode? {
        if Self.folders[path.string] != nil { return .directory }
        guard Self.folders[path.parent.string]?.contains(String(path.name)) == true else { return nil }
        return path.name == "l" ? .link(target: "y") : .file(size: 1, isExecutable: false)
    }

    func children(of path: PackPath) -> [(name: String, node: SourceNode)] {
        (Self.folders[path.string] ?? []).compactMap { name in node(at: path.appending(name)).map { (name, $0) } }
    }
}
