// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import System

/// Where the files lie that a project's groups name.
struct XcodeFileTree {
    /// A file or a group.
    struct Element {
        let object: XcodeObject
        /// Below the project's folder; nil for what lies elsewhere, such as in a system's folders.
        let path: PackPath?
    }

    private(set) var elements: [String: Element] = [:]

    /// - Throws: `ResourceTagsError`
    init(_ objects: XcodeObjects) throws {
        let root = try objects.root
        let base = Self.join(.root, try root.text("projectDirPath")?.value ?? "") ?? .root
        guard let main = try root.text("mainGroup") else { return }
        var waiting: [(id: String, folder: PackPath?)] = [(main.value, base)]
        while let (id, folder) = waiting.popLast() {
            guard elements[id] == nil, let object = objects.known(id) else { continue }
            let path = try Self.path(of: object, in: folder, root: base)
            elements[id] = Element(object: object, path: path)
            for child in try object.texts("children") { waiting.append((child.value, path)) }
        }
    }

    private static func path(
        of object: XcodeObject, in folder: PackPath?, root: PackPath
    ) throws -> PackPath? {
        let own = try object.text("path")?.value ?? ""
        let start: PackPath?
        switch try object.text("sourceTree")?.value {
        case "<group>", nil: start = folder
        case "SOURCE_ROOT": start = root
        default: start = nil
        }
        return start.flatMap { join($0, own) }
    }

    /// Follows `..` by names; nil for what leaves the project's folder.
    static func join(_ folder: PackPath, _ text: String) -> PackPath? {
        var components = folder.components.map(String.init)
        guard text.utf8.first != UInt8(ascii: "/") else { return nil }
        for component in text.pathNames where component != "." {
            if component == ".." {
                guard components.popLast() != nil else { return nil }
            } else {
                components.append(String(component))
            }
        }
        return components.isEmpty ? .root : try? PackPath(components.joined(separator: "/"))
    }
}
