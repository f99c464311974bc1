// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database

/// The tables of a host. A resource's table has its type's name, a column for each stored attribute and to-one
/// relationship, and `sequence`, the order in which resources were made.
enum HostingMigrations {
    static let all: [Migration] = [
        Migration(
            version: 1,
            statements: [
                """
                CREATE TABLE "settings" ("name" TEXT PRIMARY KEY, "value" TEXT NOT NULL)
                """,
                """
                CREATE TABLE "keys" ("id" TEXT PRIMARY KEY, "name" TEXT NOT NULL, "role" TEXT NOT NULL,
                "publicKey" TEXT NOT NULL, "apps" TEXT, "createdDate" TEXT NOT NULL, "revokedDate" TEXT)
                """,
                table(
                    "apps",
                    """
                    "bundleId" TEXT NOT NULL UNIQUE, "name" TEXT NOT NULL, "primaryLocale" TEXT, "sku" TEXT NOT NULL
                    """),
                table(
                    "backgroundAssets",
                    """
                    "archived" INTEGER NOT NULL DEFAULT 0, "assetPackIdentifier" TEXT NOT NULL, "createdDate" TEXT NOT NULL,
                    "usedBytes" INTEGER NOT NULL DEFAULT 0, "lastVersion" INTEGER NOT NULL DEFAULT 0,
                    "appStoreVersion" TEXT, "internalBetaVersion" TEXT, "externalBetaVersion" TEXT,
                    UNIQUE ("app", "assetPackIdentifier")
                    """),
                table(
                    "backgroundAssetVersions",
                    """
                    "createdDate" TEXT NOT NULL, "platforms" TEXT, "state" TEXT NOT NULL, "stateDetails" TEXT,
                    "version" INTEGER NOT NULL, "locale" TEXT, "content" TEXT, "backgroundAsset" TEXT NOT NULL,
                    "internalBetaRelease" TEXT, "externalBetaRelease" TEXT, "appStoreRelease" TEXT, "assetFile" TEXT,
                    "manifestFile" TEXT, UNIQUE ("backgroundAsset", "version")
                    """),
                table(
                    "backgroundAssetUploadFiles",
                    """
                    "assetDeliveryState" TEXT, "assetToken" TEXT, "assetType" TEXT NOT NULL, "fileName" TEXT NOT NULL,
                    "fileSize" INTEGER NOT NULL, "sourceFileChecksum" TEXT, "sourceFileChecksums" TEXT,
                    "state" TEXT NOT NULL, "partSize" INTEGER NOT NULL, "backgroundAssetVersion" TEXT NOT NULL
                    """),
                #"CREATE INDEX "filesOfVersion" ON "backgroundAssetUploadFiles" ("backgroundAssetVersion")"#,
                release("backgroundAssetVersionInternalBetaReleases"),
                release("backgroundAssetVersionExternalBetaReleases"),
                release("backgroundAssetVersionAppStoreReleases"),
                """
                CREATE TABLE "jobs" ("sequence" INTEGER PRIMARY KEY AUTOINCREMENT, "kind" TEXT NOT NULL,
                "subject" TEXT NOT NULL, UNIQUE ("kind", "subject"))
                """,
            ]),
        Migration(
            version: 2,
            statements: [
                table("reviewSubmissions", #""platform" TEXT, "submittedDate" TEXT, "state" TEXT NOT NULL"#),
                #"CREATE INDEX "submissionsOfApp" ON "reviewSubmissions" ("app")"#,
                table(
                    "reviewSubmissionItems",
                    #""state" TEXT NOT NULL, "backgroundAssetVersion" TEXT, "reviewSubmission" TEXT NOT NULL"#),
                #"CREATE INDEX "itemsOfSubmission" ON "reviewSubmissionItems" ("reviewSubmission")"#,
                table(
                    "betaBackgroundAssetReviewSubmissions",
                    #""betaReviewState" TEXT NOT NULL, "submittedDate" TEXT, "backgroundAssetVersion" TEXT NOT NULL"#),
                #"CREATE INDEX "betaReviewsOfVersion" ON "betaBackgroundAssetReviewSubmissions" ("backgroundAssetVersion")"#,
                table(
                    "reviewDecisions",
                    """
                    "createdDate" TEXT NOT NULL, "message" TEXT, "verdict" TEXT NOT NULL, "reviewSubmission" TEXT,
                    "reviewSubmissionItem" TEXT, "betaBackgroundAssetReviewSubmission" TEXT
                    """),
            ]),
        Migration(
            version: 3,
            statements: [
                table(
                    "webhooks",
                    """
                    "enabled" INTEGER NOT NULL, "eventTypes" TEXT NOT NULL, "name" TEXT NOT NULL, "url" TEXT NOT NULL,
                    "secret" TEXT NOT NULL
                    """),
                #"CREATE INDEX "webhooksOfApp" ON "webhooks" ("app")"#,
                table(
                    "webhookEvents",
                    """
                    "createdDate" TEXT NOT NULL, "eventType" TEXT, "payload" TEXT NOT NULL, "ping" INTEGER NOT NULL
                    """),
                table(
                    "webhookDeliveries",
                    """
                    "createdDate" TEXT NOT NULL, "deliveryState" TEXT NOT NULL, "errorMessage" TEXT,
                    "redelivery" INTEGER NOT NULL, "sentDate" TEXT, "request" TEXT, "response" TEXT, "event" TEXT NOT NULL,
                    "webhook" TEXT NOT NULL
                    """),
                #"CREATE INDEX "deliveriesOfWebhook" ON "webhookDeliveries" ("webhook")"#,
                #"ALTER TABLE "jobs" ADD COLUMN "attempts" INTEGER NOT NULL DEFAULT 0"#,
                #"ALTER TABLE "jobs" ADD COLUMN "due" INTEGER NOT NULL DEFAULT 0"#,
            ]),
        Migration(version: 4, statements: builds),
        Migration(version: 5, statements: rollouts),
        Migration(version: 6, statements: appVersions),
        Migration(version: 7, statements: buildBetaReviews),
        Migration(version: 8, statements: claims),
        Migration(
            version: 9,
            statements: [
                """
                CREATE TABLE "archiveMarks" ("digest" TEXT PRIMARY KEY, "since" INTEGER NOT NULL, "going" INTEGER NOT NULL)
                """
            ]),
        Migration(
            version: 10,
            statements: [
                """
                CREATE TABLE "reportSenders" ("hour" INTEGER NOT NULL, "sender" TEXT NOT NULL, "count" INTEGER NOT NULL,
                PRIMARY KEY ("hour", "sender"))
                """
            ]),
        Migration(version: 11, statements: manifestGenerations),
        Migration(version: 12, statements: updates),
        Migration(version: 13, statements: lists),
        Migration(version: 14, statements: fronts),
    ]

    static func table(_ name: String, _ columns: String) -> String {
        """
        CREATE TABLE "\(name)" ("sequence" INTEGER PRIMARY KEY AUTOINCREMENT, "id" TEXT NOT NULL UNIQUE,
        "app" TEXT NOT NULL, \(columns))
        """
    }

    private static func release(_ name: String) -> String {
        table(name, #""state" TEXT NOT NULL, "backgroundAssetVersion" TEXT NOT NULL UNIQUE"#)
    }
}
