// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database

extension HostingMigrations {
    /// Which host has a job, until when, and letters that wait.
    static let claims = [
        #"ALTER TABLE "jobs" ADD COLUMN "owner" TEXT"#,
        #"ALTER TABLE "jobs" ADD COLUMN "leaseEnd" INTEGER NOT NULL DEFAULT 0"#,
        #"CREATE INDEX "jobsOfOwner" ON "jobs" ("owner")"#,
        """
        CREATE TABLE "letters" ("id" TEXT PRIMARY KEY, "subject" TEXT NOT NULL, "text" TEXT NOT NULL,
        "seconds" INTEGER NOT NULL)
        """,
    ]
}
