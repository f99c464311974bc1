// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
package import DeviceProtocol

/// A pack's part in an install or update.
package struct PlannedPack: Codable, Hashable, Sendable {
    /// What the pack is fetched as.
    package enum Role: String, Codable, Hashable, Sendable {
        /// The app does not start before it is there.
        case essential
        /// Comes behind the install.
        case prefetch
        /// A local pack whose version differs from the manifest's.
        case update
    }

    package enum State: String, Codable, Hashable, Sendable {
        /// To be fetched. → finished, failed; or declined, deferred while planning.
        case pending
        case finished
        case failed
        /// The extension said no.
        case declined
        /// A restriction of BA 2.1 holds it back until the first launch.
        case deferred
        /// Settings or conditions hold it back; it comes by itself, and the install does not wait for it.
        case held

        package var isResolved: Bool { self != .pending }
    }

    package var pack: DownloadManifestPack
    package var role: Role
    package var state: State
    /// The identifier of the unmanaged download that this stands for; nil for a pack. Both are parts of an install in
    /// the same way.
    package var download: String?
    /// Bytes of the archive that are here.
    package var downloaded: Int64 = 0
    package var error: DeviceError?
    /// Why it failed as an essential pack; since then it is fetched as another.
    package var essentialError: DeviceError?

    package init(_ pack: DownloadManifestPack, _ role: Role, _ state: State = .pending, error: DeviceError? = nil) {
        self.pack = pack
        self.role = role
        self.state = state
        self.error = error
    }
}

extension PlannedPack {
    /// An unmanaged download's part in an install or update.
    init(_ download: Download) {
        let description = download.description
        self.init(
            DownloadManifestPack(
                id: Self.id(of: download), url: "https://unmanaged.invalid/", version: 0,
                downloadSize: description.fileSize ?? 0, downloadPolicy: .onDemand),
            description.isEssential ? .essential : .prefetch)
        self.download = description.identifier
    }

    /// A download that was refused.
    init(refused description: DownloadDescription, _ index: Int, _ error: DeviceError) {
        self.init(
            DownloadManifestPack(
                id: "refused-\(index)", url: "https://unmanaged.invalid/", version: 0,
                downloadSize: description.fileSize ?? 0, downloadPolicy: .onDemand),
            description.isEssential ? .essential : .prefetch, .deferred, error: error)
        download = description.identifier
    }

    /// The name under which the install knows a download.
    static func id(of download: Download) -> String { "download-\(download.number ?? 0)" }

    /// As a person knows it.
    var name: String { download ?? pack.id }
}
