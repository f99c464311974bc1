// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database

extension HostingMigrations {
    /// How far versions go, and which app versions they suit.
    static let rollouts = [
        table(
            "backgroundAssetVersionRollouts",
            """
            "channel" TEXT NOT NULL, "createdDate" TEXT NOT NULL, "failures" INTEGER NOT NULL, "failureThreshold" INTEGER,
            "minimumReports" INTEGER NOT NULL, "percentage" INTEGER NOT NULL, "state" TEXT NOT NULL, "stateDetails" TEXT,
            "successes" INTEGER NOT NULL, "backgroundAssetVersion" TEXT NOT NULL,
            UNIQUE ("backgroundAssetVersion", "channel")
            """),
        #"CREATE INDEX "rolloutsOfApp" ON "backgroundAssetVersionRollouts" ("app", "channel")"#,
        table(
            "backgroundAssetVersionAppRanges",
            #""maximumAppVersion" TEXT, "minimumAppVersion" TEXT, "backgroundAssetVersion" TEXT NOT NULL UNIQUE"#),
        #"CREATE INDEX "rangesOfApp" ON "backgroundAssetVersionAppRanges" ("app")"#,
        // What devices have said, each once: by a digest that says nothing about them elsewhere.
        """
        CREATE TABLE "rolloutReports" ("rollout" TEXT NOT NULL, "device" TEXT NOT NULL, "failed" INTEGER NOT NULL,
        PRIMARY KEY ("rollout", "device"))
        """,
    ]
}
