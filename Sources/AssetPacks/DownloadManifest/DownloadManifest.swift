// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What a server has for one platform: the file that `BAManifestURL` serves (A6, BA 3.4).
///
/// Keys it does not know are kept and written back.
package struct DownloadManifest: Hashable, Sendable {
    package var assetPacks: [DownloadManifestPack]
    /// Larder's own object beside the packs, which other readers ignore.
    package var larder: JSONValue?
    /// What else the file said at its top level.
    package var other: [String: JSONValue]

    package init(assetPacks: [DownloadManifestPack], larder: JSONValue? = nil, other: [String: JSONValue] = [:]) {
        self.assetPacks = assetPacks
        self.larder = larder
        self.other = other
    }

    package static let maximumSize = 16 << 20
    package static let maximumPackCount = 10_000

    package subscript(id: String) -> DownloadManifestPack? { assetPacks.first { $0.id == id } }

    package var json: JSONValue {
        var members = other
        members["assetPacks"] = .array(assetPacks.map(\.json))
        members["larder"] = larder
        return .object(members)
    }

    /// The file's text: pretty JSON with its keys in order, so that the same packs give the same bytes.
    package var serialized: [UInt8] { Array(json.serialized(.pretty).utf8) }
}

/// One pack of a download manifest.
package struct DownloadManifestPack: Hashable, Sendable {
    package var id: String
    /// Where the archive is: an absolute https URL.
    package var url: String
    /// From 0; rises with each publication.
    package var version: Int
    /// The archive's size in bytes.
    package var downloadSize: Int64
    package var downloadPolicy: DownloadPolicy
    /// Who serves the archive; `{"thirdParty": {}}` for everyone but Apple.
    package var host: JSONValue
    package var userInfo: JSONValue?
    package var language: String?
    package var larder: LarderInfo?
    /// What else the file said about the pack.
    package var other: [String: JSONValue]

    package static let thirdPartyHost: JSONValue = ["thirdParty": [:]]

    package init(
        id: String, url: String, version: Int, downloadSize: Int64, downloadPolicy: DownloadPolicy,
        host: JSONValue = thirdPartyHost, userInfo: JSONValue? = nil, language: String? = nil,
        larder: LarderInfo? = nil, other: [String: JSONValue] = [:]
    ) {
        self.id = id
        self.url = url
        self.version = version
        self.downloadSize = downloadSize
        self.downloadPolicy = downloadPolicy
        self.host = host
        self.userInfo = userInfo
        self.language = language
        self.larder = larder
        self.other = other
    }

    /// What Larder adds: what makes every byte checkable, and what planning space needs.
    package struct LarderInfo: Hashable, Sendable {
        package var digest: Digest
        /// The sum of the sizes of the pack's files, in bytes.
        package var installedSize: Int64
        package var fileCount: Int
        /// The archive's index, with which devices fetch only what changed.
        package var index: UpdateFile?
        /// Patches from earlier versions.
        package var patches: [Patch]
        /// What else the object said.
        package var other: [String: JSONValue]

        package init(
            digest: Digest, installedSize: Int64, fileCount: Int, index: UpdateFile? = nil, patches: [Patch] = [],
            other: [String: JSONValue] = [:]
        ) {
            self.digest = digest
            self.installedSize = installedSize
            self.fileCount = fileCount
            self.index = index
            self.patches = patches
            self.other = other
        }

        /// The archive's digest, as the manifest writes it.
        package struct Digest: Hashable, Sendable {
            package var algorithm: String
            /// Lower-case hexadecimal.
            package var value: String

            package init(algorithm: String = treeAlgorithm, value: String) {
                self.algorithm = algorithm
                self.value = value
            }

            /// SHA-256 over the SHA-256 of each 1 MiB of the archive.
            package static let treeAlgorithm = "sha256-tree-1m"
        }
    }

    package var json: JSONValue {
        var members = other
        members["id"] = .string(id)
        members["url"] = .string(url)
        members["version"] = .integer(Int64(version))
        members["downloadSize"] = .integer(downloadSize)
        members["downloadPolicy"] = downloadPolicy.json
        members["host"] = host
        members["userInfo"] = userInfo
        members["language"] = language.map { .string($0) }
        members["larder"] = larder?.json
        return .object(members)
    }
}

extension DownloadManifestPack.LarderInfo {
    package var json: JSONValue {
        var members = other.merging(updateMembers) { _, known in known }
        members["digest"] = ["algorithm": .string(digest.algorithm), "value": .string(digest.value)]
        members["installedSize"] = .integer(installedSize)
        members["fileCount"] = .integer(Int64(fileCount))
        return .object(members)
    }
}

extension DownloadPolicy {
    /// The object that stands for the policy in manifests.
    package var json: JSONValue {
        let events = JSONValue.array(installationEventTypes.sorted().map { .string($0.rawValue) })
        return switch self {
        case .onDemand: ["onDemand": [:]]
        case .essential: ["essential": ["installationEventTypes": events]]
        case .prefetch: ["prefetch": ["installationEventTypes": events]]
        }
    }
}
