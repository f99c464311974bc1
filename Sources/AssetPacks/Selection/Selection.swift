// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a pack will hold: the outcome of its selectors.
package struct Selection: Sendable {
    package struct Item: Hashable, Sendable {
        package enum Content: Hashable, Sendable {
            case file(source: PackPath, size: Int64, isExecutable: Bool)
            case link(source: PackPath, target: String)
            case directory
        }

        /// Where it goes, below `Contents`.
        package let destination: PackPath
        package let content: Content
        /// Which of the manifest's selectors took it first; nil for folders that only hold what was taken.
        package let selector: Int?

        package init(destination: PackPath, content: Content, selector: Int? = nil) {
            self.destination = destination
            self.content = content
            self.selector = selector
        }
    }

    /// Something that is right but seldom meant.
    package struct Warning: Hashable, Sendable, CustomStringConvertible {
        package enum Kind: String, Sendable {
            case underscoreInIdentifier, matchedTwice, unusedExclusion, allExcluded, differsInCaseOnly, systemFile
        }

        package let kind: Kind
        package let message: String
        package var description: String { message }
    }

    /// In the order of the archive: bytewise by destination.
    package let items: [Item]
    package let warnings: [Warning]
    /// How many files each selector took, or kept out; by the selectors' order.
    package let countsBySelector: [Int]

    package let fileCount: Int
    package let linkCount: Int
    /// The sum of the files' sizes, in bytes.
    package let totalSize: Int64

    /// What was chosen elsewhere, one item for each place: the folders above are added, the links are checked.
    /// - Throws: `AssetPackError`
    package init(of items: [Item]) throws {
        let chosen = items.map { Item(destination: $0.destination, content: $0.content) }
        let all = try SelectionChecks.withParents(
            Dictionary(chosen.map { ($0.destination.string, $0) }) { first, _ in first }, selectors: [])
        try SelectionChecks.checkLinks(all, selectors: [])
        self.init(
            items: all.sorted { $0.destination < $1.destination }, warnings: SelectionChecks.nameWarnings(all),
            countsBySelector: [])
    }

    init(items: [Item], warnings: [Warning], countsBySelector: [Int]) {
        self.items = items
        self.warnings = warnings
        self.countsBySelector = countsBySelector
        var files = 0
        var links = 0
        var size: Int64 = 0
        for item in items {
            switch item.content {
            case .file(_, let bytes, _):
                files += 1
                size = size.addingReportingOverflow(bytes).partialValue
            case .link: links += 1
            case .directory: break
            }
        }
        fileCount = files
        linkCount = links
        totalSize = size
    }
}
