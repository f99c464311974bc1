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

        package var isResolved: Bool { self != .pending }
    }

    package var pack: DownloadManifestPack
    package var role: Role
    package var state: State
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
