// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Crypto
internal import HostingModel
internal import Kit
internal import Languages

/// What a processed version holds, as devices are told of it.
struct VersionContent: Sendable {
    let identifier: String
    /// The archive's tree digest.
    let digest: String
    /// In bytes.
    let archiveSize: Int64
    let platforms: [Platform]
    let language: String?
    let warnings: [String]
    private let entry: JSONValue

    init(_ contents: PackContents) {
        let manifest = contents.manifest
        identifier = manifest.assetPackID
        digest = contents.digest
        archiveSize = contents.archiveSize
        let all = AssetPackPlatform.allCases.filter { manifest.supports($0) }
        platforms = all.compactMap { Platform(manifestName: $0.rawValue) }
        language = manifest.language?.description
        warnings = contents.warnings
        // The entry of the download manifest, apart from what is only known when it is served.
        entry =
            DownloadManifestPack(
                id: identifier, url: "", version: 0, downloadSize: archiveSize,
                downloadPolicy: manifest.downloadPolicy, userInfo: manifest.userInfo, language: language,
                larder: .init(
                    digest: .init(value: contents.digest), installedSize: contents.installedSize,
                    fileCount: contents.fileCount)
            ).json
    }

    /// As it is stored.
    var json: JSONValue { ["digest": .string(digest), "archiveSize": .integer(archiveSize), "entry": entry] }

    /// The entry of a stored version in a download manifest; nil when it has no content.
    /// - Parameters:
    ///   - updates: what a device may update with.
    ///   - rollout: through which a device gets the version; it names it when it asks again.
    static func entry(
        of version: ResourceRecord, _ archives: ArchiveSigner, updates: [UpdateFile], rollout: String?
    ) -> JSONValue? {
        guard let content = version["content"], var members = content["entry"]?.objectValue,
            let digest = content["digest"]?.stringValue, let number = version.integer("version")
        else { return nil }
        members["url"] = .string(archives.url(of: digest))
        members["version"] = .integer(number)
        if var larder = members["larder"]?.objectValue {
            for (name, value) in UpdateFile.members(of: updates, archives) { larder[name] = value }
            if let rollout { larder["rollout"] = .string(rollout) }
            members["larder"] = .object(larder)
        }
        return .object(members)
    }

    /// The digest of a stored version's archive; nil without content.
    static func digest(of version: ResourceRecord) -> Digest? {
        version["content"]?["digest"]?.stringValue.flatMap { Digest(hex: $0) }
    }

    /// The content of a stored version once its archive was removed.
    static func withoutArchive(_ version: ResourceRecord) -> JSONValue {
        ["archiveSize": .integer(archiveSize(of: version))]
    }

    /// The size in bytes of a stored version's archive; 0 without content.
    static func archiveSize(of version: ResourceRecord) -> Int64 {
        version["content"]?["archiveSize"]?.integerValue ?? 0
    }
}
