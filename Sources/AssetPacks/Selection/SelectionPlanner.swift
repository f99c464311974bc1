// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Turns selectors and a source tree into what a pack will hold. Reads names and sizes, never contents.
package struct SelectionPlanner<Listing: SourceListing> {
    private let listing: Listing
    private let selectors: [FileSelector]
    private let exclusions: [Exclusion]

    private var taken: [String: Selection.Item] = [:]
    private var counts: [Int]
    private var exclusionCounts: [Int: Int] = [:]
    /// Pairs of selectors that took the same file, with one such file and their number.
    private var doubles: [[Int]: (example: PackPath, count: Int)] = [:]

    private struct Exclusion {
        let selector: Int
        let glob: Glob
    }

    /// A walk down the tree on behalf of one selector.
    private struct Visit {
        let selector: Int
        /// nil takes everything.
        var pattern: Glob.Walk?
        var exclusions: [Glob.Walk]
        var found = 0
        var excluded = 0

        func entering(_ name: some StringProtocol) -> Visit {
            Visit(
                selector: selector, pattern: pattern?.entering(name), exclusions: exclusions.map { $0.entering(name) })
        }
    }

    package init(selectors: [FileSelector], listing: Listing) {
        self.listing = listing
        self.selectors = selectors
        counts = Array(repeating: 0, count: selectors.count)
        exclusions = selectors.enumerated().compactMap { index, selector in
            if case .fileExclusion(let glob) = selector.kind { Exclusion(selector: index, glob: glob) } else { nil }
        }
    }

    /// - Throws: `AssetPackError` that names the selector.
    package static func select(_ selectors: [FileSelector], from listing: Listing) throws -> Selection {
        var planner = SelectionPlanner(selectors: selectors, listing: listing)
        return try planner.run()
    }

    private mutating func run() throws -> Selection {
        var warnings: [Selection.Warning] = []
        for (index, selector) in selectors.enumerated() {
            let visit: Visit
            switch selector.kind {
            case .file(let path): visit = try takeFile(path, to: path, for: index)
            case .fileTo(let source, let destination): visit = try takeFile(source, to: destination, for: index)
            case .directory(let path): visit = try takeDirectory(path, to: path, for: index)
            case .directoryTo(let source, let destination):
                visit = try takeDirectory(source, to: destination, for: index)
            case .filePattern(let glob):
                var walk = newVisit(index)
                walk.pattern = Glob.Walk(glob)
                try walkDirectory(.root, to: .root, &walk)
                visit = walk
            case .fileExclusion: continue
            }
            if visit.found > 0 { continue }
            guard visit.excluded > 0 else { throw nothingMatched(selector) }
            warnings.append(
                .init(kind: .allExcluded, message: "\(selector.place): every file that \(selector) takes is excluded."))
        }
        for exclusion in exclusions {
            counts[exclusion.selector] = exclusionCounts[exclusion.selector] ?? 0
            if counts[exclusion.selector] == 0 {
                let selector = selectors[exclusion.selector]
                warnings.append(
                    .init(kind: .unusedExclusion, message: "\(selector.place): \(selector) keeps no file out."))
            }
        }
        warnings += doubleWarnings()
        let items = try SelectionChecks.withParents(taken, selectors: selectors)
        try SelectionChecks.checkLinks(items, selectors: selectors)
        warnings += SelectionChecks.nameWarnings(items)
        return Selection(
            items: items.sorted { $0.destination < $1.destination }, warnings: warnings, countsBySelector: counts)
    }

    private func newVisit(_ selector: Int) -> Visit {
        Visit(selector: selector, exclusions: exclusions.map { Glob.Walk($0.glob) })
    }

    // MARK: Taking

    private mutating func takeFile(_ source: PackPath, to destination: PackPath, for index: Int) throws -> Visit {
        let selector = selectors[index]
        let (node, visit) = try find(source, for: index)
        var result = visit
        if node == .directory {
            throw AssetPackError(
                .selection,
                "\(selector.place): \"\(source)\" is a folder. Use \(Self.directoryForm(of: selector.kind)) for it.")
        }
        try take(node, source, destination, &result)
        return result
    }

    private mutating func takeDirectory(_ source: PackPath, to destination: PackPath, for index: Int) throws -> Visit {
        let selector = selectors[index]
        let (node, visit) = try find(source, for: index)
        var result = visit
        switch node {
        case .directory: break
        case .link(let target):
            throw AssetPackError(
                .selection,
                "\(selector.place): \"\(source)\" is a symbolic link to \"\(target)\". Name the folder itself.")
        case .file, .special:
            throw AssetPackError(
                .selection, "\(selector.place): \"\(source)\" is no folder. Use {\"file\": \"\(source)\"} for a file.")
        }
        if isExcluded(result) {
            result.excluded += 1
            return result
        }
        if !destination.isRoot { try keep(.init(destination: destination, content: .directory, selector: index)) }
        try walkDirectory(source, to: destination, &result)
        return result
    }

    /// Goes down to `source` by names that are folders, not links, and says what is there.
    private func find(_ source: PackPath, for index: Int) throws -> (SourceNode, Visit) {
        var path = PackPath.root
        var visit = newVisit(index)
        var node = SourceNode.directory
        for name in source.components {
            guard case .directory = node else {
                let place = selectors[index].place
                if case .link = node {
                    throw AssetPackError(
                        .selection,
                        "\(place): \"\(source)\" passes through the symbolic link \"\(path)\". Name the folder itself.")
                }
                throw AssetPackError(.selection, "\(place): \"\(path)\" is no folder, so \"\(source)\" cannot be.")
            }
            let next = path.appending(name)
            guard let found = try listing.node(at: next) else {
                throw try notFound(source, missing: String(name), in: path, selectors[index])
            }
            (path, node, visit) = (next, found, visit.entering(name))
        }
        return (node, visit)
    }

    private mutating func walkDirectory(_ source: PackPath, to destination: PackPath, _ visit: inout Visit) throws {
        for (name, node) in try listing.children(of: source) {
            var below = visit.entering(name)
            if case .directory = node {
                if isExcluded(below) {
                    visit.excluded += 1
                    continue
                }
                if let pattern = below.pattern, !pattern.canGoOn { continue }
                if visit.pattern == nil {
                    try keep(
                        .init(destination: destination.appending(name), content: .directory, selector: visit.selector))
                }
                try walkDirectory(source.appending(name), to: destination.appending(name), &below)
            } else if below.pattern?.isMatch ?? true {
                try take(node, source.appending(name), destination.appending(name), &below)
            }
            visit.found += below.found
            visit.excluded += below.excluded
        }
    }

    private mutating func isExcluded(_ visit: Visit) -> Bool {
        guard let position = visit.exclusions.firstIndex(where: \.isMatch) else { return false }
        exclusionCounts[exclusions[position].selector, default: 0] += 1
        return true
    }

    private mutating func take(
        _ node: SourceNode, _ source: PackPath, _ destination: PackPath, _ visit: inout Visit
    ) throws {
        if isExcluded(visit) {
            visit.excluded += 1
            return
        }
        visit.found += 1
        counts[visit.selector] += 1
        let place = selectors[visit.selector].place
        switch node {
        case .file(let size, let isExecutable):
            try keep(
                .init(
                    destination: destination, content: .file(source: source, size: size, isExecutable: isExecutable),
                    selector: visit.selector))
        case .link(let target):
            try keep(
                .init(
                    destination: destination, content: .link(source: source, target: target), selector: visit.selector))
        case .special:
            throw AssetPackError(
                .unsupportedFile,
                "\(place): \"\(source)\" is a device, socket or pipe, which no pack can hold. "
                    + "Remove it, or add {\"fileExclusion\": \"\(source)\"}.")
        case .directory: break
        }
    }

    // MARK: Keeping

    private mutating func keep(_ item: Selection.Item) throws {
        guard item.destination.string.utf8.count <= PackPath.maximumLength else {
            throw AssetPackError(
                .selection,
                "The path \"\(item.destination)\" is longer than the \(PackPath.maximumLength) bytes of a pack's paths."
            )
        }
        guard let earlier = taken[item.destination.string] else {
            taken[item.destination.string] = item
            return
        }
        guard item.destination == earlier.destination else {
            throw SelectionChecks.sameLetters(earlier.destination, item.destination)
        }
        if item.content == .directory, earlier.content == .directory { return }
        guard item.content == earlier.content, let first = earlier.selector, let second = item.selector else {
            throw SelectionChecks.conflict(earlier, item, selectors)
        }
        let known = doubles[[first, second]]
        doubles[[first, second]] = (known?.example ?? item.destination, (known?.count ?? 0) + 1)
    }

    private func doubleWarnings() -> [Selection.Warning] {
        doubles.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { pair, double in
            let (first, second) = (selectors[pair[0]], selectors[pair[1]])
            let files =
                double.count == 1
                ? "\"\(double.example)\" is" : "\(double.count) files such as \"\(double.example)\" are"
            return .init(
                kind: .matchedTwice,
                message: "\(second.place): \(files) matched twice, by \(first) and \(second); packed once.")
        }
    }

    // MARK: Messages

    private func nothingMatched(_ selector: FileSelector) -> AssetPackError {
        let reason =
            switch selector.kind {
            case .filePattern: "no file below \(listing.rootDescription) fits the pattern"
            default: "the folder holds no files"
            }
        return AssetPackError(
            .selection, "\(selector.place): \(selector) takes nothing: \(reason). Correct it, or remove it.")
    }

    private func notFound(
        _ source: PackPath, missing: String, in parent: PackPath, _ selector: FileSelector
    ) throws -> AssetPackError {
        let names = try listing.children(of: parent).map(\.name)
        var hint = ""
        if let close = Spelling.closest(to: missing, among: names) {
            hint = " (did you mean \"\(parent.appending(close))\"?)"
        } else if missing.utf8.contains(UInt8(ascii: "\\")) {
            hint = " (paths have \"/\" between their names, not \"\\\")"
        } else if missing.unicodeScalars.contains(where: { "*?[".unicodeScalars.contains($0) }) {
            hint = " (use {\"filePattern\": \"\(source)\"} for a pattern)"
        }
        return AssetPackError(
            .selection,
            "\(selector.place): there is no \"\(parent.appending(missing))\" below \(listing.rootDescription)\(hint).")
    }

    private static func directoryForm(of kind: FileSelector.Kind) -> String {
        switch kind {
        case .fileTo(let source, let destination):
            "{\"directorySource\": \"\(source)\", \"directoryDestination\": \"\(destination)\"}"
        case .file(let path): "{\"directory\": \"\(path)\"}"
        default: "\"directory\""
        }
    }
}
