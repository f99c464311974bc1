// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

extension PostgresSession {
    /// Takes the migrations that were not taken yet, all or none. Whoever comes meanwhile waits, and finds them taken.
    /// - Throws: `DatabaseError`
    func migrate(_ migrations: [Migration]) throws {
        try allowAnyTime()
        let connection = Connection(self, isReadOnly: false)
        // Not serializable: what is read here must be what whoever was waited for has written.
        try command("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        do {
            try connection.execute("SELECT pg_advisory_xact_lock(1818325604, hashtext(current_schema()))")
            try connection.execute(#"CREATE TABLE IF NOT EXISTS "schemaVersion" ("version" INTEGER NOT NULL)"#)
            let known = try connection.first(#"SELECT "version" FROM "schemaVersion""#) { $0.int64(0) }
            let current = known ?? 0
            let newest = migrations.map(\.version).max() ?? 0
            guard current <= newest else {
                throw DatabaseError(
                    .newer,
                    "The \(database) has schema \(current), and this program knows up to \(newest): a newer larder-host uses it. "
                        + "Run that version here, too.")
            }
            for migration in migrations.sorted(by: { $0.version < $1.version }) where migration.version > current {
                for statement in migration.statements { try connection.execute(statement) }
            }
            try connection.execute(
                known == nil
                    ? #"INSERT INTO "schemaVersion" ("version") VALUES (?)"#
                    : #"UPDATE "schemaVersion" SET "version" = ?"#,
                [.integer(newest)])
            try commit()
        } catch {
            rollBack()
            throw error
        }
    }
}
