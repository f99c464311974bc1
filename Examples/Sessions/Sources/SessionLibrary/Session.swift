// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import BackgroundAssets

/// A talk that can be watched.
public struct Session: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let title: String
    /// Where the film is.
    public let url: URL
    /// Bytes in the film.
    public let size: Int
    /// Whether the app is of no use without it.
    public let essential: Bool?

    /// The group that app and extension share.
    public static let appGroup = "group.org.example.Sessions"

    /// - Parameter mayBeEssential: true while the app is being installed or updated.
    public func download(mayBeEssential: Bool) -> BADownload {
        BAURLDownload(
            identifier: id, request: URLRequest(url: url), essential: mayBeEssential && essential == true,
            fileSize: size, applicationGroupIdentifier: Self.appGroup, priority: .default)
    }
}

/// The list that the app's server keeps at `BAManifestURL`.
public struct SessionManifest: Codable, Sendable {
    public let sessions: [Session]

    public init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(SessionManifest.self, from: try Data(contentsOf: url))
    }
}
