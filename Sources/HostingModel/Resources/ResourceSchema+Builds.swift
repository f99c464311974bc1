// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// Builds of apps, from their upload to the channels that devices follow. `buildReleases` is Larder's own: it says which
// build a channel installs.

extension ResourceType {
    package static let preReleaseVersions = ResourceType("preReleaseVersions")
    package static let builds = ResourceType("builds")
    package static let buildUploads = ResourceType("buildUploads")
    package static let buildUploadFiles = ResourceType("buildUploadFiles")
    package static let buildReleases = ResourceType("buildReleases")
}

extension ResourceSchema {
    /// A version of an app as people see it, with all builds of it.
    package static let preReleaseVersions = ResourceSchema(
        .preReleaseVersions,
        attributes: [.text("version"), .text("platform")],
        relationships: [
            .toOne("app", .apps, links: .full), .toMany("builds", .builds, inverse: "preReleaseVersion"),
        ],
        filters: [Filter("app"), Filter("platform", choices: Platform.names), Filter("version")],
        sorts: ["version"])

    package static let builds = ResourceSchema(
        .builds,
        attributes: [
            .text("version"), .text("uploadedDate"), .boolean("expired"), .text("processingState"),
            // Clients read a build only when it has these, too.
            .text("buildAudienceType"), .text("expirationDate"), .json("iconAssetToken"), .text("minOsVersion"),
            .boolean("usesNonExemptEncryption"),
            // What devices are told: `BuildContent`.
            .json("content").hidden,
            // `VersionOrder` of the build's number and of its version.
            .text("versionOrder").hidden, .text("preReleaseVersionOrder").hidden,
        ],
        relationships: [
            .toOne("app", .apps, links: .full),
            .toOne("preReleaseVersion", .preReleaseVersions, links: .full),
            .toOne("appStoreVersion", .appStoreVersions, links: .full),
            .toOne("betaAppReviewSubmission", .buildBetaReviews, links: .full),
            .toOne("buildUpload", .buildUploads),
            .absent("appEncryptionDeclaration"), .absent("betaBuildLocalizations"),
            .absent("betaGroups"), .absent("buildBetaDetail"), .absent("icons"), .absent("individualTesters"),
        ],
        filters: [
            Filter("app"), Filter("appStoreVersion"),
            Filter("betaAppReviewSubmission.betaReviewState", BetaReviewState.self),
            Filter("buildAudienceType", choices: ["INTERNAL_ONLY", "APP_STORE_ELIGIBLE"]),
            Filter("expired", choices: ["true", "false"]), Filter("id"),
            Filter("preReleaseVersion"), Filter("preReleaseVersion.platform", choices: Platform.names),
            Filter("preReleaseVersion.version"),
            Filter("processingState", choices: ["PROCESSING", "FAILED", "INVALID", "VALID"]),
            Filter("usesNonExemptEncryption", choices: ["true", "false"]), Filter("version"),
        ],
        sorts: ["preReleaseVersion", "uploadedDate", "version"],
        sortKeys: ["preReleaseVersion": "preReleaseVersionOrder", "version": "versionOrder"],
        absentFields: [
            "buildBundles", "computedMinMacOsVersion", "computedMinVisionOsVersion", "diagnosticSignatures",
            "lsMinimumSystemVersion", "perfPowerMetrics",
        ],
        absentIncludes: [
            "appEncryptionDeclaration", "betaBuildLocalizations", "betaGroups",
            "buildBetaDetail", "buildBundles", "icons", "individualTesters",
        ],
        absentFilters: [Filter("betaGroups")], presences: ["usesNonExemptEncryption": true])

    package static let buildUploads = ResourceSchema(
        .buildUploads,
        attributes: [
            .text("cfBundleShortVersionString"), .text("cfBundleVersion"), .text("createdDate"), .text("platform"),
            .text("uploadedDate"), .json("state"), .text("step").hidden,
        ],
        relationships: [
            Relationship.toOne("app", .apps).hidden, .toOne("build", .builds), .toOne("assetFile", .buildUploadFiles),
            .toMany("buildUploadFiles", .buildUploadFiles, inverse: "buildUpload"),
        ],
        filters: [
            Filter("cfBundleShortVersionString"), Filter("cfBundleVersion"),
            Filter("platform", choices: Platform.names),
            Filter("state", path: ["step"], choices: VersionState.allCases.map(\.rawValue)),
        ],
        sorts: ["cfBundleVersion"],
        absentFields: ["assetDescriptionFile", "assetSpiFile"])

    package static let buildUploadFiles = ResourceSchema(
        .buildUploadFiles,
        attributes: [
            .json("assetDeliveryState"), .text("assetToken"), .text("assetType"), .text("fileName"),
            .integer("fileSize"), .text("sourceFileChecksum").hidden, .json("sourceFileChecksums"), .text("uti"),
            .computed("uploadOperations"), .text("state").hidden, .integer("partSize").hidden,
        ],
        relationships: [Relationship.toOne("buildUpload", .buildUploads).hidden])

    /// A build went live in a channel. The newest one of app, channel and platform counts, so that an older build goes live
    /// again by a new release of it.
    package static let buildReleases = ResourceSchema(
        .buildReleases,
        attributes: [.text("channel"), .text("createdDate"), .text("platform")],
        relationships: [.toOne("app", .apps), .toOne("build", .builds)],
        filters: [Filter("build"), Filter("channel", choices: Channel.allCases.map(\.rawValue))])
}
