// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation

/// An asset pack: a named, versioned folder of files that the system downloads as one archive.
///
/// A value of this type is what the server said when it was made. It does not change when the server moves on; compare it
/// with what is on the device by ``AssetPackManager/status(relativeTo:)``. (BA 1.9)
public struct AssetPack: Sendable, Identifiable, Hashable {
    /// The pack's identifier, unique within an app.
    public let id: String

    /// The bytes to be downloaded: the size of the archive, not of the files in it.
    public let downloadSize: Int

    /// The version number. Versions differ or do not; a higher number is not by itself a later version.
    public let version: Int

    /// The JSON-encoded custom information of the pack's manifest, if it has some.
    public let userInfo: Data?

    /// The language that the pack is localised for, or `nil` when it is for all.
    public let language: Locale.Language?

    /// When the system downloads the pack by itself.
    package let policy: DownloadPolicy

    /// Where the archive is, when the pack came from a self-hosted manifest.
    package let source: String?

    /// The app group in which a download by hand stores the archive.
    package let appGroupID: String?

    package init(
        id: String, version: Int, downloadSize: Int, userInfo: Data? = nil, language: Locale.Language? = nil,
        policy: DownloadPolicy = .onDemand, source: String? = nil, appGroupID: String? = nil
    ) {
        self.id = id
        self.version = version
        self.downloadSize = downloadSize
        self.userInfo = userInfo
        self.language = language
        self.policy = policy
        self.source = source
        self.appGroupID = appGroupID
    }

    /// Packs are equal when the server said the same of them.
    public static func == (left: AssetPack, right: AssetPack) -> Bool {
        left.id == right.id && left.version == right.version && left.downloadSize == right.downloadSize
            && left.userInfo == right.userInfo && left.language == right.language
    }

    /// Feeds what identifies the pack to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(version)
    }
}

extension AssetPack: CustomStringConvertible {
    /// The identifier and the version, as in `Tutorial (version 3)`.
    public var description: String { "\(id) (version \(version))" }
}
