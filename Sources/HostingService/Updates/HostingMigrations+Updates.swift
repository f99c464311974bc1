// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database

extension HostingMigrations {
    /// What devices update with. `base` is empty for the index of a version.
    static let updates = [
        """
        CREATE TABLE "updateFiles" ("version" TEXT NOT NULL, "base" TEXT NOT NULL, "baseNumber" INTEGER NOT NULL,
        "baseDigest" TEXT NOT NULL, "app" TEXT NOT NULL, "state" TEXT NOT NULL, "attempts" INTEGER NOT NULL,
        "digest" TEXT, "size" INTEGER NOT NULL, "sha256" TEXT, PRIMARY KEY ("version", "base"))
        """,
        #"CREATE INDEX "updateFilesByDigest" ON "updateFiles" ("digest")"#,
        #"CREATE INDEX "updateFilesOfApp" ON "updateFiles" ("app")"#,
    ]

    /// What devices fetch with a patch in place of the index.
    static let lists = [
        #"ALTER TABLE "updateFiles" ADD COLUMN "listDigest" TEXT"#,
        #"ALTER TABLE "updateFiles" ADD COLUMN "listSize" INTEGER NOT NULL DEFAULT 0"#,
        #"ALTER TABLE "updateFiles" ADD COLUMN "listSHA256" TEXT"#,
        #"CREATE INDEX "updateFilesByList" ON "updateFiles" ("listDigest")"#,
    ]

    /// What devices fetch first of an index; of those that were made before, nothing is known of it.
    static let fronts = [
        #"ALTER TABLE "updateFiles" ADD COLUMN "frontSize" INTEGER NOT NULL DEFAULT 0"#,
        #"ALTER TABLE "updateFiles" ADD COLUMN "frontSHA256" TEXT"#,
    ]
}
