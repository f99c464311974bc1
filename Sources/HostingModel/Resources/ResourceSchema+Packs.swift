// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// Packs, their versions, files and releases (BA 4.2).

extension ResourceSchema {
    package static let backgroundAssets = ResourceSchema(
        .backgroundAssets,
        attributes: [
            .boolean("archived"), .text("assetPackIdentifier"), .text("createdDate"), .integer("usedBytes"),
            // The number of the newest version, so that no number is given twice.
            .integer("lastVersion").hidden,
        ],
        relationships: [
            .toOne("app", .apps),
            .toMany("versions", .backgroundAssetVersions, inverse: "backgroundAsset"),
            .toOne("appStoreVersion", .backgroundAssetVersions),
            .toOne("internalBetaVersion", .backgroundAssetVersions),
            .toOne("externalBetaVersion", .backgroundAssetVersions),
        ],
        filters: [
            Filter("archived", choices: ["true", "false"]), Filter("assetPackIdentifier"), Filter("versions.locale"),
            Filter("versions.platforms", choices: Platform.names),
        ],
        sorts: ["assetPackIdentifier", "createdDate"])

    package static let backgroundAssetVersions = ResourceSchema(
        .backgroundAssetVersions,
        attributes: [
            .text("createdDate"), .words("platforms"), .text("state"), .json("stateDetails"), .ordinal("version"),
            .text("locale"),
            // What devices are told: the archive's digest, size and policy.
            .json("content").hidden,
        ],
        relationships: [
            .toOne("backgroundAsset", .backgroundAssets),
            .toOne("internalBetaRelease", .internalBetaReleases),
            .toOne("externalBetaRelease", .externalBetaReleases),
            .toOne("appStoreRelease", .appStoreReleases),
            .toOne("assetFile", .backgroundAssetUploadFiles),
            .toOne("manifestFile", .backgroundAssetUploadFiles),
            .toMany("backgroundAssetUploadFiles", .backgroundAssetUploadFiles, inverse: "backgroundAssetVersion"),
        ],
        filters: [
            Filter("locale"), Filter("platforms", choices: Platform.names), Filter("state", VersionState.self),
            Filter("version"), Filter("internalBetaRelease.state", InternalBetaReleaseState.self),
            Filter("externalBetaRelease.state", ExternalBetaReleaseState.self),
            Filter("appStoreRelease.state", AppStoreReleaseState.self),
        ],
        sorts: ["version"])

    package static let backgroundAssetUploadFiles = ResourceSchema(
        .backgroundAssetUploadFiles,
        attributes: [
            .json("assetDeliveryState"), .text("assetToken"), .text("assetType"), .text("fileName"),
            .integer("fileSize"), .text("sourceFileChecksum"), .json("sourceFileChecksums"),
            .computed("uploadOperations"), .text("state").hidden, .integer("partSize").hidden,
        ],
        relationships: [
            Relationship.toOne("backgroundAssetVersion", .backgroundAssetVersions).hidden
        ])

    package static let internalBetaReleases = release(.internalBetaReleases)
    package static let externalBetaReleases = release(.externalBetaReleases)
    package static let appStoreReleases = release(.appStoreReleases)

    private static func release(_ type: ResourceType) -> ResourceSchema {
        ResourceSchema(
            type, attributes: [.text("state")],
            relationships: [.toOne("backgroundAssetVersion", .backgroundAssetVersions)])
    }
}
