// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// Checks of what was selected as a whole.
enum SelectionChecks {
    /// The items with every folder above them, so that a folder stands in the archive before what it holds.
    /// - Parameter limit: how many that may be. A few long paths can name many folders.
    static func withParents(
        _ taken: [String: Selection.Item], selectors: [FileSelector], atMost limit: Int = .max
    ) throws -> [Selection.Item] {
        var all = taken
        for item in taken.values {
            var parent = item.destination.parent
            while !parent.isRoot {
                if let known = all[parent.string] {
                    guard known.destination == parent else { throw sameLetters(known.destination, parent) }
                    guard known.content == .directory else { throw conflict(known, item, selectors) }
                    break
                }
                guard all.count < limit else {
                    throw AssetPackError(.verification, "There are more than \(limit) files and folders.")
                }
                all[parent.string] = Selection.Item(destination: parent, content: .directory, selector: nil)
                parent = parent.parent
            }
        }
        return Array(all.values)
    }

    /// Two names that Unicode takes for one, as an accent can be a character of its own or part of its letter.
    static func sameLetters(_ first: PackPath, _ second: PackPath) -> AssetPackError {
        AssetPackError(
            .conflict,
            "\"\(first)\" and \"\(second)\" are the same letters in other Unicode characters, and Apple's file systems take "
                + "them for one name. Rename one of them, or exclude it.")
    }

    static func conflict(
        _ first: Selection.Item, _ second: Selection.Item, _ selectors: [FileSelector]
    ) -> AssetPackError {
        func origin(_ item: Selection.Item) -> String {
            let what =
                switch item.content {
                case .file(let source, _, _), .link(let source, _): "\"\(source)\""
                case .directory: "a folder"
                }
            guard let index = item.selector, selectors.indices.contains(index) else { return what }
            return "\(what) (\(selectors[index].place): \(selectors[index]))"
        }
        let (early, late) = (first.selector ?? -1) <= (second.selector ?? -1) ? (first, second) : (second, first)
        if first.destination != second.destination {
            let (outer, inner) =
                first.destination.string.utf8.count < second.destination.string.utf8.count
                ? (first, second) : (second, first)
            return AssetPackError(
                .conflict,
                "\"\(outer.destination)\" would be both \(origin(outer)) and the folder of \"\(inner.destination)\", "
                    + "which comes from \(origin(inner)). Give one of them another destination.")
        }
        return AssetPackError(
            .conflict,
            "Two sources for \"\(first.destination)\" in the pack: \(origin(early)) and \(origin(late)). "
                + "Give one of them another destination, or exclude it.")
    }

    /// Links may only lead to what the pack itself holds.
    /// - Parameter limit: how many bytes of names are looked up for all links together. Links that lead through long links cost
    ///   far more time than room in an archive.
    static func checkLinks(
        _ items: [Selection.Item], selectors: [FileSelector], lookingUpAtMost limit: Int = 1 << 30
    ) throws {
        guard items.contains(where: { if case .link = $0.content { true } else { false } }) else { return }
        let byPath = Dictionary(
            items.map { ($0.destination.string, $0.content) }, uniquingKeysWith: { first, _ in first })
        var left = limit
        for item in items.sorted(by: { $0.destination < $1.destination }) {
            guard case .link(let source, let target) = item.content else { continue }
            guard let problem = problem(withLink: item.destination, target, byPath, &left) else { continue }
            let place = item.selector.map { "\(selectors[$0].place): " } ?? ""
            throw AssetPackError(
                .unsupportedFile,
                "\(place)the symbolic link \"\(source)\" points to \"\(target)\", which \(problem). "
                    + "A pack keeps links only to what it holds itself: replace the link by a copy, "
                    + "select what it points to, or add {\"fileExclusion\": \"\(source)\"}.")
        }
    }

    /// What a name costs beside its bytes, in bytes.
    private static let perName = 64

    private static func problem(
        withLink link: PackPath, _ target: String, _ items: [String: Selection.Item.Content], _ left: inout Int
    ) -> String? {
        if target.utf8.isEmpty || target.unicodeScalars.contains("\u{FFFD}") { return "is no valid path" }
        if target.utf8.first == UInt8(ascii: "/") { return "is an absolute path" }
        // A device refuses links that could lead out by way of another link, so the path must go up first and down then.
        guard ArchivePath.staysInside(target: target, of: link.string) else {
            let goesUpFirst = target.pathNames.drop { $0 == ".." || $0 == "." }.allSatisfy { $0 != ".." }
            return goesUpFirst
                ? "is outside the pack" : "goes down and up again, where it must be written without detours"
        }
        var path = link.parent
        var waiting = Array(target.pathNames.reversed())
        var linksFollowed = 0
        left -= target.utf8.count
        while let name = waiting.popLast() {
            left -= perName
            if left < 0 { return "leads, as do the links before it, through more links than are followed" }
            if name == "." { continue }
            if name == ".." {
                path = path.parent
                continue
            }
            let next = path.appending(name)
            left -= next.string.utf8.count
            switch items[next.string] {
            case nil: return "leads to \"\(next)\", and that is not in the pack"
            case .directory: path = next
            case .file:
                if !waiting.isEmpty { return "takes the file \"\(next)\" for a folder" }
                path = next
            case .link(_, let another):
                linksFollowed += 1
                if linksFollowed > 32 { return "goes in a circle" }
                if another.utf8.first == UInt8(ascii: "/") { return "leads through a link to an absolute path" }
                left -= another.utf8.count
                waiting += another.pathNames.reversed()
            }
        }
        // Devices give what is in a folder second names below the link: there would be no end of them.
        if path.isRoot || link.string.utf8.starts(with: (path.string + "/").utf8) {
            return "is a folder that the link is in"
        }
        return nil
    }

    private static let systemFiles: Set<String> = [".DS_Store", "Thumbs.db", "desktop.ini", ".git", ".svn", "__MACOSX"]

    static func nameWarnings(_ items: [Selection.Item]) -> [Selection.Warning] {
        var warnings: [Selection.Warning] = []
        var folded: [String: PackPath] = [:]
        for item in items.sorted(by: { $0.destination < $1.destination }) {
            if systemFiles.contains(String(item.destination.name)) {
                warnings.append(
                    .init(
                        kind: .systemFile,
                        message: "\"\(item.destination)\" is seldom meant to be in a pack; "
                            + "{\"fileExclusion\": \"\(item.destination.name)\"} keeps it out."))
            }
            if let other = folded.updateValue(item.destination, forKey: item.destination.string.lowercased()) {
                warnings.append(
                    .init(
                        kind: .differsInCaseOnly,
                        message: "\"\(other)\" and \"\(item.destination)\" differ in case only: "
                            + "where file names ignore case, one hides the other."))
            }
        }
        return warnings
    }
}
