// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// Finds where code uses On-Demand Resources, and says what takes the place of each use. Pure.
package enum ResourceRequestUses {
    /// One line of code that has to change.
    package struct Use: Hashable, Sendable {
        /// From 1.
        package let line: Int
        /// What is used there.
        package let symbol: String
        /// What to write instead.
        package let advice: String
    }

    /// The names of files that may hold such code.
    package static let fileExtensions: Set<String> = ["swift", "m", "mm", "h"]

    /// The longer names before those they hold.
    private static let symbols: [(name: String, advice: String)] = [
        (
            "NSBundleResourceRequestLowDiskSpace",
            "packs stay until they are removed; remove what is not needed with AssetPackManager.shared.remove(assetPackWithID:)"
        ),
        (
            "NSBundleResourceRequestLoadingPriorityUrgent",
            "drop it: a download that the app waits for goes first"
        ),
        ("NSBundleOnDemandResource", "handle ManagedBackgroundAssetsError and URLError instead"),
        (
            "conditionallyBeginAccessingResources",
            "ask AssetPackManager.shared.assetPackIsAvailableLocally(withID:) for each pack of the tags"
        ),
        (
            "beginAccessingResources",
            "await AssetPackManager.shared.ensureLocalAvailability(of:) for each pack of the tags"
        ),
        (
            "endAccessingResources",
            "drop it; where the room is needed again, AssetPackManager.shared.remove(assetPackWithID:)"
        ),
        (
            "NSBundleResourceRequest",
            "take the packs of the tags from AssetPackManager.shared.assetPack(withID:)"
        ),
        ("setPreservationPriority", "drop it: packs are not purged"),
        ("preservationPriority", "drop it: packs are not purged"),
        ("loadingPriority", "drop it: a download that the app waits for goes first"),
    ]

    /// Lookups that find tagged resources in code that requests them.
    private static let lookups = [
        ".url(forResource:", ".url(forResource", ".path(forResource", "pathForResource:", "URLForResource:",
        "UIImage(named:", "NSDataAsset(name:",
    ]

    /// Uses in one file, at most one for each line. What stands behind `//` is passed over.
    package static func find(in text: String) -> [Use] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.utf8.firstOccurrence(of: "//".utf8).map { line[..<$0.lowerBound] } ?? line)
        }
        var uses: [Use] = []
        for (index, line) in lines.enumerated() {
            guard let symbol = symbols.first(where: { line.mentions($0.name) }) else { continue }
            uses.append(Use(line: index + 1, symbol: symbol.name, advice: symbol.advice))
        }
        guard !uses.isEmpty else { return [] }
        let known = Set(uses.map(\.line))
        for (index, line) in lines.enumerated() where !known.contains(index + 1) {
            guard let lookup = lookups.first(where: { line.mentions($0) }) else { continue }
            uses.append(
                Use(
                    line: index + 1, symbol: String(lookup.drop { $0 == "." }),
                    advice:
                        "if the resource was tagged, read it with AssetPackManager.shared.contents(at:) or url(for:), by its path"
                ))
        }
        return uses.sorted { $0.line < $1.line }
    }
}
