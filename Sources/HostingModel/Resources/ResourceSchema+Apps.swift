// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// Apps, and their versions in the App Store, as far as packs and installs need them.

extension ResourceType {
    package static let appStoreVersions = ResourceType("appStoreVersions")
}

extension ResourceSchema {
    package static let apps = ResourceSchema(
        .apps,
        attributes: [
            .text("accessibilityUrl"), .text("bundleId"), .text("contentRightsDeclaration"),
            .boolean("isOrEverWasMadeForKids"), .text("name"), .text("primaryLocale"), .text("sku"),
        ],
        relationships: [
            .toMany("appStoreVersions", .appStoreVersions, inverse: "app", isIncludable: true),
            .toMany("backgroundAssets", .backgroundAssets, inverse: "app"),
            .toMany("reviewSubmissions", .reviewSubmissions, inverse: "app", isIncludable: true),
            .toMany("webhooks", .webhooks, inverse: "app"),
            .toMany("builds", .builds, inverse: "app", isIncludable: true),
            .toMany("preReleaseVersions", .preReleaseVersions, inverse: "app", isIncludable: true),
            .toMany("buildUploads", .buildUploads, inverse: "app"),
            .toMany("buildReleases", .buildReleases, inverse: "app"),
            // Clients read an app only when it has these.
            .absent("appInfos"), .absent("betaAppLocalizations"), .absent("betaAppReviewDetail"),
            .absent("betaGroups"), .absent("betaLicenseAgreement"), .absent("endUserLicenseAgreement"),
            .absent("gameCenterEnabledVersions"),
        ],
        filters: [
            Filter("bundleId"), Filter("id"), Filter("name"), Filter("sku"),
            Filter("appStoreVersions", path: ["appStoreVersions", "id"]),
            Filter("appStoreVersions.appStoreState", choices: AppVersionState.storeStates),
            Filter("appStoreVersions.appVersionState", choices: AppVersionState.names),
            Filter("appStoreVersions.platform", choices: Platform.names),
            Filter("reviewSubmissions.platform", choices: Platform.names),
            Filter("reviewSubmissions.state", ReviewSubmissionState.self),
        ],
        sorts: ["bundleId", "name", "sku"],
        absentFields: absentFromApps.union([
            "accessibilityDeclarations", "alternativeDistributionKey", "analyticsReportRequests", "appAvailabilityV2",
            "appPricePoints", "appPriceSchedule", "appTags", "betaFeedbackCrashSubmissions",
            "betaFeedbackScreenshotSubmissions", "betaTesters", "customerReviewSummarizations", "customerReviews",
            "marketplaceSearchDetail", "perfPowerMetrics", "searchKeywords", "streamlinedPurchasingEnabled",
            "subscriptionStatusUrl", "subscriptionStatusUrlForSandbox", "subscriptionStatusUrlVersion",
            "subscriptionStatusUrlVersionForSandbox",
        ]),
        absentIncludes: absentFromApps, presences: ["gameCenterEnabledVersions": false])

    private static let absentFromApps: Set<String> = [
        "androidToIosAppMappingDetails", "appClips", "appCustomProductPages", "appEncryptionDeclarations", "appEvents",
        "appInfos", "appStoreIcon", "appStoreVersionExperimentsV2", "betaAppLocalizations", "betaAppReviewDetail",
        "betaGroups", "betaLicenseAgreement", "ciProduct", "endUserLicenseAgreement", "gameCenterDetail",
        "gameCenterEnabledVersions", "inAppPurchases", "inAppPurchasesV2", "promotedPurchases",
        "subscriptionGracePeriod", "subscriptionGroups",
    ]

    /// A version of an app as the App Store has it: goes through review, alone or with packs.
    package static let appStoreVersions = ResourceSchema(
        .appStoreVersions,
        attributes: [
            .text("appStoreState"), .text("appVersionState"), .text("copyright"), .text("createdDate"),
            .boolean("downloadable"), .text("earliestReleaseDate"), .text("platform"), .text("releaseType"),
            .text("reviewType"),
            .text("versionString"),
        ],
        relationships: [
            .toOne("app", .apps, links: .empty), .toOne("build", .builds, links: .full),
            // Clients read a version only when it has these.
            .absent("appStoreReviewDetail"), .absent("appStoreVersionLocalizations"),
            .absent("appStoreVersionPhasedRelease"), .absent("appStoreVersionSubmission"),
            .absent("routingAppCoverage"),
        ],
        filters: [
            Filter("appStoreState", choices: AppVersionState.storeStates),
            Filter("appVersionState", choices: AppVersionState.names), Filter("id"),
            Filter("platform", choices: Platform.names), Filter("versionString"),
        ],
        absentFields: absentFromVersions.union([
            "alternativeDistributionPackage", "customerReviews", "usesIdfa",
        ]),
        absentIncludes: absentFromVersions)

    private static let absentFromVersions: Set<String> = [
        "appClipDefaultExperience", "appStoreReviewDetail", "appStoreVersionExperiments",
        "appStoreVersionExperimentsV2", "appStoreVersionLocalizations", "appStoreVersionPhasedRelease",
        "appStoreVersionSubmission", "gameCenterAppVersion", "routingAppCoverage",
    ]
}
