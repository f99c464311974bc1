// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

extension ManifestReader {
    /// An array of selectors, one of which takes something.
    /// - Throws: `AssetPackError` that names file, line and key.
    package func fileSelectors(_ node: JSONNode, _ what: String) throws -> [FileSelector] {
        let elements = try array(node, what, example: "[{\"directory\": \"Levels\"}]")
        var result: [FileSelector] = []
        for (index, element) in elements.enumerated() {
            result.append(try fileSelector(element, "\(what)[\(index)]"))
        }
        let takesSomething = result.contains { if case .fileExclusion = $0.kind { false } else { true } }
        guard takesSomething else {
            throw error(node.position, "\(what) takes no file; add for example {\"directory\": \"Levels\"}")
        }
        return result
    }

    private func fileSelector(_ node: JSONNode, _ what: String) throws -> FileSelector {
        let object = try object(node, what, keys: FileSelector.keys, example: "{\"file\": \"Intro.m4v\"}")
        let kind: FileSelector.Kind
        switch Set(object.members.map(\.key)) {
        case ["file"]: kind = .file(try path(object, "file", of: .file))
        case ["directory"]: kind = .directory(try path(object, "directory", of: .directory))
        case ["filePattern"]:
            kind = .filePattern(try glob(object, "filePattern") { text throws(Glob.Problem) in try Glob(text) })
        case ["fileExclusion"]:
            kind = .fileExclusion(
                try glob(object, "fileExclusion") { text throws(Glob.Problem) in try Glob(nameOrPath: text) })
        case ["fileSource", "fileDestination"]:
            kind = .fileTo(
                source: try path(object, "fileSource", of: .file),
                destination: try path(object, "fileDestination", of: .fileDestination))
        case ["directorySource", "directoryDestination"]:
            kind = .directoryTo(
                source: try path(object, "directorySource", of: .folder),
                destination: try path(object, "directoryDestination", of: .folder))
        default: throw wrongKeys(object, what)
        }
        return FileSelector(kind, place: "\(place(node.position)): \(what)")
    }

    private func wrongKeys(_ object: ManifestObject, _ what: String) -> AssetPackError {
        let keys = object.members.map(\.key)
        guard let first = keys.first else {
            return error(
                object.node.position,
                "\(what) is empty; it must have one of the keys \"file\", \"directory\", \"filePattern\" and \"fileExclusion\", "
                    + "or \"fileSource\" with \"fileDestination\", or \"directorySource\" with \"directoryDestination\""
            )
        }
        let partners = [
            "fileSource": "fileDestination", "fileDestination": "fileSource", "directorySource": "directoryDestination",
            "directoryDestination": "directorySource",
        ]
        if keys.count == 1, let partner = partners[first] {
            return error(object.node.position, "\(what): \"\(first)\" needs \"\(partner)\" beside it")
        }
        return error(
            object.node.position, "\(what): the keys \(Self.list(keys)) cannot stand together; make a selector of each")
    }

    private enum PathUse { case file, directory, fileDestination, folder }

    private func path(_ object: ManifestObject, _ key: String, of use: PathUse) throws -> PackPath {
        let node = try object.required(key, example: "\"Levels\"")
        let what = object.path(key)
        let text = try string(node, what, example: use == .directory || use == .folder ? "Levels" : "Videos/Intro.m4v")
        let path: PackPath
        do {
            path = try PackPath(text)
        } catch let problem {
            throw error(node.position, "\(what): \"\(text)\" \(problem.reason)\(hint(for: problem, use))")
        }
        if text.utf8.last == UInt8(ascii: "/"), use == .file || use == .fileDestination {
            throw error(node.position, "\(what): \"\(text)\" names a folder, where a file must stand")
        }
        if path.isRoot, use != .folder {
            let instead =
                use == .directory
                ? "; write {\"filePattern\": \"**\"}, or {\"directorySource\": \".\", \"directoryDestination\": \".\"}"
                : ""
            throw error(
                node.position,
                "\(what): \"\(text)\" is the whole source root, where a \(use == .directory ? "folder in it" : "file") "
                    + "must stand\(instead)")
        }
        return path
    }

    private func hint(for problem: PackPath.Problem, _ use: PathUse) -> String {
        switch use {
        case .folder where problem == .empty: "; write \".\" for the root"
        case .file, .directory, .folder:
            problem == .absolute || problem == .parent ? "; set \"sourceRoot\" to look in another place" : ""
        case .fileDestination: ""
        }
    }

    private func glob(
        _ object: ManifestObject, _ key: String, _ make: (String) throws(Glob.Problem) -> Glob
    ) throws -> Glob {
        let node = try object.required(key, example: "\"**/*.png\"")
        let text = try string(node, object.path(key), example: "**/*.png")
        do {
            return try make(text)
        } catch let problem {
            throw error(node.position, "\(object.path(key)): the pattern \"\(text)\" \(problem.reason)")
        }
    }
}
