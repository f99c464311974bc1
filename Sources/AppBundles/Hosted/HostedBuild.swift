// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// A build of an app as a hosting service offers it to devices: where its archive is, and what an install must know before
/// the first byte of it has come. Sizes are in bytes.
package struct HostedBuild: Codable, Hashable, Sendable {
    /// The archive of one `Name.app`.
    package struct Archive: Codable, Hashable, Sendable {
        package var url: String
        package var size: Int64
        /// The tree digest in hexadecimal digits.
        package var digest: String

        package init(url: String, size: Int64, digest: String) {
            self.url = url
            self.size = size
            self.digest = digest
        }
    }

    /// The longest description of a build.
    package static let maximumSize = 64 << 10

    /// Names the build for good.
    package var id: String
    package var bundleID: String
    package var displayName: String
    /// As people see it.
    package var version: String
    /// `CFBundleVersion`.
    package var build: String
    /// `Name.app`, the archive's only entry at its root.
    package var folder: String
    /// Of the bundle's files, unpacked.
    package var installedSize: Int64
    package var appGroupID: String?
    package var mode: BackgroundAssetsKeys.Mode
    package var essentialDownloadAllowance: Int64?
    package var archive: Archive

    /// What a checked archive is described as; its URL and the build's identifier are set when it is served.
    package init(_ survey: AppArchive.Survey, archive: Archive, id: String) {
        let bundle = survey.bundle
        self.id = id
        bundleID = bundle.identifier
        displayName = bundle.displayName
        version = bundle.version
        build = bundle.build
        folder = survey.folder
        installedSize = survey.size
        appGroupID = bundle.backgroundAssets.appGroupID
        mode = bundle.backgroundAssets.mode
        essentialDownloadAllowance = bundle.backgroundAssets.restrictions?.essentialDownloadAllowance
        self.archive = archive
    }

    /// Reads a server's answer.
    /// - Parameter allowingPlainLoopback: whether the archive may be at an `http` address of this machine.
    /// - Throws: `BundleError` saying what is wrong.
    package static func decode(
        _ bytes: [UInt8], source: String, allowingPlainLoopback: Bool = false
    ) throws(BundleError) -> HostedBuild {
        let build: HostedBuild
        do {
            build = try JSONCoder.decode(HostedBuild.self, from: bytes)
        } catch {
            throw BundleError(.badOffer, "What \(source) says of its build cannot be read: \(error)", cause: error)
        }
        if let problem = build.problem(allowingPlainLoopback) {
            throw BundleError(.badOffer, "What \(source) says of its build cannot be used: \(problem)")
        }
        return build
    }

    private func problem(_ allowingPlainLoopback: Bool) -> String? {
        guard folder.hasSuffix(".app"), folder.utf8.count > 4, folder.isPlainPath,
            !folder.utf8.contains(UInt8(ascii: "/"))
        else {
            return "\"folder\" is no name of a Name.app."
        }
        guard !id.isEmpty, !bundleID.isEmpty, !version.isEmpty else { return "it names no build." }
        guard installedSize >= 0, archive.size > 0, essentialDownloadAllowance ?? 0 >= 0 else {
            return "a size in it is none."
        }
        guard Hexadecimal.decode(archive.digest)?.count == 32 else { return "the archive has no digest." }
        guard let address = WebAddress(archive.url),
            address.isSecure || allowingPlainLoopback && address.isLoopback
        else { return "the archive's address must begin with https://." }
        return nil
    }

    /// The same build, though it may be served from elsewhere.
    package func isSame(as other: HostedBuild) -> Bool {
        id == other.id && archive.digest == other.archive.digest
    }
}
