// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// All resources of the interface, each described once.
package struct ResourceCatalog: Sendable {
    private let byName: [String: ResourceSchema]
    package let schemas: [ResourceSchema]

    package init(_ schemas: [ResourceSchema]) {
        self.schemas = schemas
        byName = Dictionary(schemas.map { ($0.type.name, $0) }) { first, _ in first }
    }

    package static let standard = ResourceCatalog([
        .apps, .backgroundAssets, .backgroundAssetVersions, .backgroundAssetUploadFiles, .internalBetaReleases,
        .externalBetaReleases, .appStoreReleases, .reviewSubmissions, .reviewSubmissionItems, .betaReviewSubmissions,
        .reviewDecisions, .webhooks, .webhookDeliveries, .webhookEvents, .preReleaseVersions, .builds, .buildUploads,
        .buildUploadFiles, .buildReleases, .rollouts, .appRanges, .appStoreVersions, .actors,
        .buildBetaReviews,
    ])

    /// The description of a type; one without anything for a type that is not in the catalogue.
    package subscript(type: ResourceType) -> ResourceSchema { byName[type.name] ?? ResourceSchema(type) }

    package func schema(named name: String) -> ResourceSchema? { byName[name] }
}

extension ResourceType {
    package static let apps = ResourceType("apps")
    package static let backgroundAssets = ResourceType("backgroundAssets")
    package static let backgroundAssetVersions = ResourceType("backgroundAssetVersions")
    package static let backgroundAssetUploadFiles = ResourceType("backgroundAssetUploadFiles")
    package static let internalBetaReleases = ResourceType("backgroundAssetVersionInternalBetaReleases")
    package static let externalBetaReleases = ResourceType("backgroundAssetVersionExternalBetaReleases")
    package static let appStoreReleases = ResourceType("backgroundAssetVersionAppStoreReleases")
}
