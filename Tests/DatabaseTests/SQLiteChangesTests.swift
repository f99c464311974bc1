// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import Testing

@testable import Database

struct SQLiteChangesTests {
    private static let schema = [Migration(version: 1, statements: ["CREATE TABLE pack (id TEXT PRIMARY KEY) STRICT"])]

    @Test func everyCommitIsToldWhoeverMakesIt() async throws {
        let folder = try TemporaryDirectory(prefix: "larder-database")
        let path = folder.path.appending("larder.sqlite")
        let database = try await SQLiteDatabase(path: path, migrations: Self.schema)
        let other = try await SQLiteDatabase(path: path, migrations: Self.schema)
        let changes = try SQLiteChanges(path: path)
        var known = try #require(changes.version)
        for writer in [database, other, database, database, other] {
            try await writer.write { try $0.execute("INSERT INTO pack VALUES (hex(randomblob(8)))") }
            let now = try #require(changes.version)
            #expect(now != known)
            #expect(changes.version == now)
            known = now
        }
        _ = try await database.read { try $0.first("SELECT COUNT(*) FROM pack") { $0.int64(0) } }
        #expect(changes.version == known)
        struct Undone: Error {}
        await #expect(throws: Undone.self) {
            try await database.write {
                try $0.execute("INSERT INTO pack VALUES ('undone')")
                throw Undone()
            }
        }
        #expect(changes.version == known)
        await database.close()
        await other.close()
    }

    @Test func aDatabaseThatIsNotThereIsAnError() throws {
        let folder = try TemporaryDirectory(prefix: "larder-database")
        #expect(throws: DatabaseError.self) { try SQLiteChanges(path: folder.path.appending("none.sqlite")) }
    }
}
