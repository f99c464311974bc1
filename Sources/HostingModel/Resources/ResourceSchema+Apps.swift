// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// Apps, as far as packs need them.

extension ResourceSchema {
    package static let apps = ResourceSchema(
        .apps,
        attributes: [.text("bundleId"), .text("name"), .text("primaryLocale"), .text("sku")],
        relationships: [
            .toMany("backgroundAssets", .backgroundAssets, inverse: "app"),
            .toMany("reviewSubmissions", .reviewSubmissions, inverse: "app"),
            .toMany("webhooks", .webhooks, inverse: "app"),
            .toMany("builds", .builds, inverse: "app"),
            .toMany("buildUploads", .buildUploads, inverse: "app"),
            .toMany("buildReleases", .buildReleases, inverse: "app"),
        ],
        filters: [Filter("bundleId"), Filter("id"), Filter("name"), Filter("sku")],
        sorts: ["bundleId", "name", "sku"],
        absentFields: [
            "accessibilityUrl", "appClips", "appCustomProductPages", "appEncryptionDeclarations", "appEvents",
            "appInfos", "appStoreVersions", "betaGroups", "contentRightsDeclaration", "inAppPurchases",
            "isOrEverWasMadeForKids", "preReleaseVersions", "streamlinedPurchasingEnabled",
            "subscriptionStatusUrl",
        ])
}
