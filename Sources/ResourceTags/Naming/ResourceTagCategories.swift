// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks

/// Which tags come with the app, and which behind it; all others come when they are asked for.
package struct ResourceTagCategories: Hashable, Sendable {
    /// Part of the installation (`ON_DEMAND_RESOURCES_INITIAL_INSTALL_TAGS`).
    package var initialInstall: Set<String>
    /// Fetched after the installation, in this order (`ON_DEMAND_RESOURCES_PREFETCH_ORDER`).
    package var prefetchOrder: [String]

    package init(initialInstall: Set<String> = [], prefetchOrder: [String] = []) {
        self.initialInstall = initialInstall
        self.prefetchOrder = prefetchOrder
    }

    /// What a tag has been put into.
    package enum Category: String, CaseIterable, Hashable, Sendable {
        case initialInstall
        case prefetch
        case onDemand
    }

    package func category(of tag: String) -> Category {
        if initialInstall.contains(tag) { return .initialInstall }
        return prefetchOrder.contains(tag) ? .prefetch : .onDemand
    }

    /// From 1.0 for the initial installation down to 0.05 for the last tag to be prefetched (BA 6.2); nil on demand.
    package func priority(of tag: String) -> Double? {
        if initialInstall.contains(tag) { return 1 }
        guard let index = prefetchOrder.firstIndex(of: tag) else { return nil }
        let last = prefetchOrder.count - 1
        return last == 0 ? 0.5 : Double(last - index) / Double(last) * 0.9 + 0.05
    }

    /// A pack's: the greatest of its tags'.
    package func priority(of set: ResourceTagSet) -> Double? { set.tags.compactMap { priority(of: $0) }.max() }

    /// When a device fetches a pack: the earliest of its tags counts.
    package func downloadPolicy(of set: ResourceTagSet) -> DownloadPolicy {
        if set.tags.contains(where: initialInstall.contains) { return .essential([.firstInstallation]) }
        return set.tags.contains(where: prefetchOrder.contains) ? .prefetch([.firstInstallation]) : .onDemand
    }
}
