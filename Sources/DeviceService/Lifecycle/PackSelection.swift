// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import DeviceProtocol

/// Decides which packs of a manifest an event brings, and which of them the restrictions hold back (BA 2.1, 2.3).
enum PackSelection {
    /// What the decision rests on.
    struct Facts: Sendable {
        var manifest: [DownloadManifestPack]
        /// Bytes of the manifest itself, which count against the essential allowance.
        var manifestSize: Int64
        var event: InstallationEventType
        var keys: BackgroundAssetsKeys
        /// The restrictions end with the first launch.
        var wasLaunched: Bool
        /// A developer's server stands in; its host need not be on the list.
        var isOverridden: Bool
        /// The host of the service that the app leaves its packs to; it need not be on the list either.
        var store: String?
        /// Versions of the packs that are local.
        var local: [String: Int]
        /// Of the localised packs, only those of one language come by themselves.
        var language: LanguageRule
        /// The person lets content come before the first launch (C11).
        var allowsInAppContent = true
        /// Of packs with tags (BA 6.2 `downloadPriority`): of those that are prefetched the greater comes first, and all of them
        /// before those that have none.
        var downloadPriorities: [String: Double] = [:]
    }

    /// Packs to fetch, essential first, each group in the manifest's order. Packs that are local at the manifest's version
    /// are left out.
    static func select(_ facts: Facts) -> [PlannedItem] {
        let wanted = facts.manifest.compactMap { pack -> PlannedItem? in
            if facts.local[pack.id] == pack.version { return nil }
            if facts.local[pack.id] == nil, !facts.language.includes(pack.language) { return nil }
            switch pack.downloadPolicy {
            case .essential(let events) where events.contains(facts.event): return PlannedItem(pack, .essential)
            case .prefetch(let events) where events.contains(facts.event): return PlannedItem(pack, .prefetch)
            default: return facts.local[pack.id] == nil ? nil : PlannedItem(pack, .update)
            }
        }
        let ordered = [PlannedItem.Role.essential, .prefetch, .update].flatMap { role in
            let items = wanted.filter { $0.role == role }
            guard role == .prefetch, !facts.downloadPriorities.isEmpty else { return items }
            return items.enumerated().sorted { left, right in
                let (first, second) = (priority(of: left.element, facts), priority(of: right.element, facts))
                return first == second ? left.offset < right.offset : first > second
            }.map(\.element)
        }
        return facts.wasLaunched ? ordered : restrict(ordered, facts)
    }

    private static func priority(of item: PlannedItem, _ facts: Facts) -> Double {
        item.pack.flatMap { facts.downloadPriorities[$0.id] } ?? -1
    }

    /// Marks as deferred what does not fit. Packs are taken in order as long as they fit, so a small one may pass behind a
    /// large one that did not.
    private static func restrict(_ items: [PlannedItem], _ facts: Facts) -> [PlannedItem] {
        let restrictions = facts.keys.restrictions
        var essential = Budget(
            download: restrictions?.essentialDownloadAllowance, "BAEssentialDownloadAllowance",
            install: facts.keys.essentialMaxInstallSize, "BAEssentialMaxInstallSize")
        essential.spent = facts.manifestSize
        var other = Budget(
            download: restrictions?.downloadAllowance, "BADownloadAllowance",
            install: facts.keys.maxInstallSize, "BAMaxInstallSize")
        return items.map { item in
            guard let pack = item.pack else { return item }
            var item = item
            let refusal =
                settingRefusal(pack, facts) ?? domainRefusal(pack, facts)
                ?? (item.role == .essential ? essential.take(pack) : other.take(pack))
            if let refusal {
                item.state = .deferred
                item.error = refusal
            }
            return item
        }
    }

    private static func settingRefusal(_ pack: DownloadManifestPack, _ facts: Facts) -> DeviceError? {
        guard !facts.allowsInAppContent else { return nil }
        return DeviceError(
            .restricted,
            "\(pack.id) waits for the app's first launch, because in-app content is off. To have such packs earlier, run "
                + "`larder settings set inAppContent on`.", details: ["pack": pack.id])
    }

    private static func domainRefusal(_ pack: DownloadManifestPack, _ facts: Facts) -> DeviceError? {
        guard !facts.isOverridden, let restrictions = facts.keys.restrictions else { return nil }
        guard let host = WebAddress(pack.url)?.host, host != facts.store, !restrictions.allows(host: host) else {
            return nil
        }
        return DeviceError(
            .domainNotAllowed,
            "\(pack.id) comes from \(host), which BADownloadDomainAllowList does not allow before the app's first launch. "
                + "It follows after that; to have it earlier, add the host to the list.",
            details: ["pack": pack.id, "host": host])
    }
}

/// What one kind of packs may use before the first launch, in bytes; nil is no limit.
private struct Budget {
    var download: Int64?
    var downloadKey: String
    var install: Int64?
    var installKey: String
    var spent: Int64 = 0
    var installed: Int64 = 0

    init(download: Int64?, _ downloadKey: String, install: Int64?, _ installKey: String) {
        self.download = download
        self.downloadKey = downloadKey
        self.install = install
        self.installKey = installKey
    }

    /// Takes the pack into account, or says why it does not fit.
    mutating func take(_ pack: DownloadManifestPack) -> DeviceError? {
        // Unpacked size unknown: at least the archive's, for want of better.
        let unpacked = pack.larder?.installedSize ?? pack.downloadSize
        let (spentThen, tooMuch) = spent.addingReportingOverflow(pack.downloadSize)
        if let download, tooMuch || spentThen > download {
            return refusal(pack, pack.downloadSize, "download", left: max(0, download - spent), downloadKey)
        }
        let (installedThen, tooLarge) = installed.addingReportingOverflow(unpacked)
        if let install, tooLarge || installedThen > install {
            return refusal(pack, unpacked, "install", left: max(0, install - installed), installKey)
        }
        spent = tooMuch ? .max : spentThen
        installed = tooLarge ? .max : installedThen
        return nil
    }

    private func refusal(
        _ pack: DownloadManifestPack, _ size: Int64, _ verb: String, left: Int64, _ key: String
    ) -> DeviceError {
        DeviceError(
            .restricted,
            "\(pack.id) has \(size) bytes to \(verb), and \(key) leaves \(left) before the app's first launch. "
                + "It follows after that; to have it earlier, raise the key.",
            details: ["pack": pack.id, "size": "\(size)", "left": "\(left)", "key": key])
    }
}
