// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A local pack as the namespace lists it.
package struct NamespacePack: Hashable, Sendable {
    package var id: String
    package var version: UInt64
    /// Where its files are, relative to the app root.
    package var directory: String
    /// The language the pack is localised in, as the manifest spells it; nil when it is not localised.
    package var language: String?
    /// The publisher's own object, as JSON text.
    package var userInfo: String?
    /// The name of the download policy the pack came by.
    package var policy: String?
    /// Bytes of the archive it came in.
    package var downloadSize: UInt64
    /// Bytes of its files' contents.
    package var installedSize: UInt64
    /// Bytes of the blocks that its files occupy on disk.
    package var allocatedSize: UInt64
    package var fileCount: UInt64

    package init(
        id: String, version: UInt64, directory: String, language: String? = nil, userInfo: String? = nil,
        policy: String? = nil, downloadSize: UInt64 = 0, installedSize: UInt64 = 0, allocatedSize: UInt64 = 0,
        fileCount: UInt64 = 0
    ) {
        self.id = id
        self.version = version
        self.directory = directory
        self.language = language
        self.userInfo = userInfo
        self.policy = policy
        self.downloadSize = downloadSize
        self.installedSize = installedSize
        self.allocatedSize = allocatedSize
        self.fileCount = fileCount
    }
}

/// A path that several local packs hold. The pack whose id is bytewise smallest wins (A5).
package struct PathCollision: Codable, Hashable, Sendable {
    package var path: String
    package var winner: String
    package var losers: [String]

    package init(path: String, winner: String, losers: [String]) {
        self.path = path
        self.winner = winner
        self.losers = losers
    }
}
