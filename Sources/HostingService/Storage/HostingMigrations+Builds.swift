// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database

extension HostingMigrations {
    /// Builds of apps, and who may follow a channel.
    static let builds = [
        table(
            "preReleaseVersions",
            #""version" TEXT NOT NULL, "platform" TEXT NOT NULL, UNIQUE ("app", "platform", "version")"#),
        table(
            "builds",
            """
            "version" TEXT NOT NULL, "uploadedDate" TEXT NOT NULL, "expired" INTEGER NOT NULL DEFAULT 0,
            "processingState" TEXT NOT NULL, "content" TEXT, "preReleaseVersion" TEXT NOT NULL,
            UNIQUE ("preReleaseVersion", "version")
            """),
        table(
            "buildUploads",
            """
            "cfBundleShortVersionString" TEXT NOT NULL, "cfBundleVersion" TEXT NOT NULL, "createdDate" TEXT NOT NULL,
            "platform" TEXT NOT NULL, "uploadedDate" TEXT, "state" TEXT, "step" TEXT NOT NULL, "build" TEXT,
            "assetFile" TEXT
            """),
        table(
            "buildUploadFiles",
            """
            "assetDeliveryState" TEXT, "assetToken" TEXT, "assetType" TEXT NOT NULL, "fileName" TEXT NOT NULL,
            "fileSize" INTEGER NOT NULL, "sourceFileChecksum" TEXT, "sourceFileChecksums" TEXT, "uti" TEXT,
            "state" TEXT NOT NULL, "partSize" INTEGER NOT NULL, "buildUpload" TEXT NOT NULL
            """),
        table(
            "buildReleases",
            #""channel" TEXT NOT NULL, "createdDate" TEXT NOT NULL, "platform" TEXT NOT NULL, "build" TEXT NOT NULL"#),
        """
        CREATE TABLE "channelTokens" ("id" TEXT PRIMARY KEY, "app" TEXT NOT NULL, "channel" TEXT NOT NULL,
        "name" TEXT NOT NULL, "digest" TEXT NOT NULL UNIQUE, "createdDate" TEXT NOT NULL, "revokedDate" TEXT)
        """,
        #"CREATE INDEX "releasesOfApp" ON "buildReleases" ("app", "channel")"#,
    ]
}
