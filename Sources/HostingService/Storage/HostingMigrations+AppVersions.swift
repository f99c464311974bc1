// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database

extension HostingMigrations {
    /// Versions of apps in the App Store, and what clients of App Store Connect read of apps and builds.
    static let appVersions = [
        table(
            "appStoreVersions",
            """
            "appStoreState" TEXT NOT NULL, "appVersionState" TEXT NOT NULL, "copyright" TEXT, "createdDate" TEXT NOT NULL,
            "downloadable" INTEGER NOT NULL DEFAULT 1, "earliestReleaseDate" TEXT, "platform" TEXT NOT NULL, "releaseType" TEXT NOT NULL,
            "reviewType" TEXT NOT NULL, "versionString" TEXT NOT NULL, "build" TEXT,
            UNIQUE ("app", "platform", "versionString")
            """),
        table("actors", #""actorType" TEXT NOT NULL, "apiKeyId" TEXT"#),
        #"ALTER TABLE "reviewSubmissions" ADD COLUMN "appStoreVersionForReview" TEXT"#,
        #"ALTER TABLE "reviewSubmissions" ADD COLUMN "submittedByActor" TEXT"#,
        #"ALTER TABLE "reviewSubmissions" ADD COLUMN "lastUpdatedByActor" TEXT"#,
        #"ALTER TABLE "reviewSubmissionItems" ADD COLUMN "appStoreVersion" TEXT"#,
        #"ALTER TABLE "apps" ADD COLUMN "accessibilityUrl" TEXT"#,
        #"ALTER TABLE "apps" ADD COLUMN "contentRightsDeclaration" TEXT DEFAULT 'DOES_NOT_USE_THIRD_PARTY_CONTENT'"#,
        #"ALTER TABLE "apps" ADD COLUMN "isOrEverWasMadeForKids" INTEGER DEFAULT 0"#,
        #"UPDATE "apps" SET "primaryLocale" = 'en-US' WHERE "primaryLocale" IS NULL"#,
        #"ALTER TABLE "builds" ADD COLUMN "buildAudienceType" TEXT DEFAULT 'APP_STORE_ELIGIBLE'"#,
        #"ALTER TABLE "builds" ADD COLUMN "expirationDate" TEXT DEFAULT '9999-12-31T00:00:00Z'"#,
        #"ALTER TABLE "builds" ADD COLUMN "iconAssetToken" TEXT DEFAULT '{"height":0,"templateUrl":"","width":0}'"#,
        #"ALTER TABLE "builds" ADD COLUMN "minOsVersion" TEXT DEFAULT '0.0'"#,
        #"ALTER TABLE "builds" ADD COLUMN "usesNonExemptEncryption" INTEGER DEFAULT 0"#,
        #"ALTER TABLE "builds" ADD COLUMN "versionOrder" TEXT NOT NULL DEFAULT ''"#,
        #"ALTER TABLE "builds" ADD COLUMN "preReleaseVersionOrder" TEXT NOT NULL DEFAULT ''"#,
        #"ALTER TABLE "builds" ADD COLUMN "appStoreVersion" TEXT"#,
        #"ALTER TABLE "builds" ADD COLUMN "buildUpload" TEXT"#,
        #"UPDATE "builds" SET "versionOrder" = "version""#,
    ]

    /// Builds on their way to external testers.
    static let buildBetaReviews = [
        table(
            "betaAppReviewSubmissions",
            #""betaReviewState" TEXT NOT NULL, "submittedDate" TEXT, "build" TEXT NOT NULL"#),
        #"ALTER TABLE "builds" ADD COLUMN "betaAppReviewSubmission" TEXT"#,
        #"ALTER TABLE "reviewDecisions" ADD COLUMN "betaAppReviewSubmission" TEXT"#,
    ]
}
