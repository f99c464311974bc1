// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A pack as the manifest describes it (BA 1.9).
package struct PackDescription: Codable, Hashable, Sendable {
    package var id: String
    /// The publisher's number. Any other number is another version; it may also fall.
    package var version: Int
    /// Bytes of the archive to download.
    package var downloadSize: Int64
    /// Bytes of the files once unpacked, when the manifest says.
    package var installedSize: Int64?
    package var policy: PackPolicy
    /// A BCP 47 tag, or nil when the pack is not localised.
    package var language: String?
    /// The publisher's JSON, as text.
    package var userInfo: String?

    package init(
        id: String, version: Int, downloadSize: Int64, installedSize: Int64? = nil, policy: PackPolicy,
        language: String? = nil, userInfo: String? = nil
    ) {
        self.id = id
        self.version = version
        self.downloadSize = downloadSize
        self.installedSize = installedSize
        self.policy = policy
        self.language = language
        self.userInfo = userInfo
    }
}

/// When a pack comes to the device (BA 2.3). Unknown names are kept.
package struct PackPolicy: RawRepresentable, Codable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package static let essential = PackPolicy(rawValue: "essential")
    package static let prefetch = PackPolicy(rawValue: "prefetch")
    package static let onDemand = PackPolicy(rawValue: "onDemand")
}

/// What is true of a pack on this device; the bits of `AssetPack.Status` (BA 1.10).
package struct PackStatus: OptionSet, Codable, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let downloadAvailable = PackStatus(rawValue: 1 << 0)
    package static let updateAvailable = PackStatus(rawValue: 1 << 1)
    package static let upToDate = PackStatus(rawValue: 1 << 2)
    package static let outOfDate = PackStatus(rawValue: 1 << 3)
    package static let obsolete = PackStatus(rawValue: 1 << 4)
    package static let downloading = PackStatus(rawValue: 1 << 5)
    package static let downloaded = PackStatus(rawValue: 1 << 6)
}
