// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

@testable import AssetPacks

/// A source tree in memory.
struct MemoryListing: SourceListing {
    private(set) var nodes: [String: SourceNode] = ["": .directory]
    var rootDescription: String { "the tree" }

    init(_ nodes: [String: SourceNode]) {
        for (path, node) in nodes { add(path, node) }
    }

    /// Files of one byte each.
    init(files: [String]) { self.init(Dictionary(uniqueKeysWithValues: files.map { ($0, .small) })) }

    private mutating func add(_ path: String, _ node: SourceNode) {
        nodes[path] = node
        var parts = path.split(separator: "/").dropLast()
        while !parts.isEmpty {
            nodes[parts.joined(separator: "/")] = nodes[parts.joined(separator: "/")] ?? .directory
            parts = parts.dropLast()
        }
    }

    func node(at path: PackPath) throws -> SourceNode? { nodes[path.string] }

    func children(of path: PackPath) throws -> [(name: String, node: SourceNode)] {
        let prefix = path.isRoot ? "" : path.string + "/"
        return nodes.filter {
            $0.key.hasPrefix(prefix) && !$0.key.dropFirst(prefix.count).contains("/") && !$0.key.isEmpty
        }
        .map { (String($0.key.dropFirst(prefix.count)), $0.value) }
        .filter { !$0.0.isEmpty }
        .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    }
}

extension SourceNode {
    static let small = SourceNode.file(size: 1, isExecutable: false)
}

extension FileSelector {
    static func file(_ path: String) throws -> FileSelector { .init(.file(try PackPath(path)), place: "M.json:1:1") }
    static func directory(_ path: String) throws -> FileSelector {
        .init(.directory(try PackPath(path)), place: "M.json:2:1")
    }
    static func pattern(_ text: String) throws -> FileSelector {
        .init(.filePattern(try Glob(text)), place: "M.json:3:1")
    }
    static func exclusion(_ text: String) throws -> FileSelector {
        .init(.fileExclusion(try Glob(nameOrPath: text)), place: "M.json:4:1")
    }
    static func file(_ source: String, to destination: String) throws -> FileSelector {
        .init(.fileTo(source: try PackPath(source), destination: try PackPath(destination)), place: "M.json:5:1")
    }
    static func directory(_ source: String, to destination: String) throws -> FileSelector {
        .init(.directoryTo(source: try PackPath(source), destination: try PackPath(destination)), place: "M.json:6:1")
    }
}

extension Selection {
    /// Destinations of files and links.
    var paths: [String] { items.filter { $0.content != .directory }.map(\.destination.string) }
    var directories: [String] { items.filter { $0.content == .directory }.map(\.destination.string) }
}
