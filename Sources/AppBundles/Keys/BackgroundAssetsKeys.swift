// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What an app's `Info.plist` says about its asset packs (BA 2.1), checked. Sizes are in bytes.
package struct BackgroundAssetsKeys: Hashable, Sendable {
    /// How the app's packs come to the device.
    package enum Mode: String, Hashable, Sendable, Codable {
        /// The app has no packs.
        case none
        /// The system manages them, and a server of the developer's hosts them (`BAManifestURL`).
        case managed
        /// The system manages them, and the store's hosting service serves them (`BAUsesAppleHosting`).
        case managedHosted
        /// The app's own extension decides what to download.
        case unmanaged
    }

    package var mode: Mode = .none
    package var appGroupID: String?
    /// Where the manifest is, https. nil with the store's hosting.
    package var manifestURL: String?
    package var restrictions: DownloadRestrictions?
    /// `BAMaxInstallSize`: of non-essential packs, unpacked.
    package var maxInstallSize: Int64?
    /// `BAEssentialMaxInstallSize`: of essential packs, unpacked.
    package var essentialMaxInstallSize: Int64?
    /// `CFBundleDevelopmentRegion`: the language that the app falls back to, as it stands there.
    package var developmentRegion: String?
    /// `LarderManifestKeys`: the app takes signed manifests only; nil: any.
    package var manifestKeys: PinnedManifestKeys?

    package init() {}

    package var isManaged: Bool { mode == .managed || mode == .managedHosted }
}

/// `BAInitialDownloadRestrictions` (BA 2.1): what holds until the app's first launch.
package struct DownloadRestrictions: Hashable, Sendable {
    /// `BADownloadAllowance`: bytes of all non-essential downloads; nil: unrestricted.
    package var downloadAllowance: Int64?
    /// `BAEssentialDownloadAllowance`: bytes of all essential downloads, the manifest included; nil: unrestricted.
    package var essentialDownloadAllowance: Int64?
    /// `BADownloadDomainAllowList`; nil: any host. An empty list allows none.
    package var domainAllowList: [DomainPattern]?

    package init() {}

    package func allows(host: String) -> Bool {
        guard let domainAllowList else { return true }
        return domainAllowList.contains { $0.matches(host: host) }
    }
}
