// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import Testing

@testable import Database

@Suite(.timeLimit(.minutes(5))) struct SQLiteChangesTests {
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

    @Test func noTwoCommitsHaveTheSameNumberAlsoWhereTheLogBeginsAnew() async throws {
        let folder = try TemporaryDirectory(prefix: "larder-database")
        let path = folder.path.appending("larder.sqlite")
        let database = try await SQLiteDatabase(path: path, migrations: Self.schema)
        let changes = try SQLiteChanges(path: path)
        var seen: Set<Int64> = [try #require(changes.version)]
        for round in 0..<200 {
            try await database.write { try $0.execute("INSERT INTO pack VALUES (hex(randomblob(8)))") }
            #expect(seen.insert(try #require(changes.version)).inserted, "commit \(round)")
            // Folded into the file, the log is written again from its start by the next commit.
            if round % 5 == 0 { try Self.fold(path) }
        }
        await database.close()
    }

    /// By another connection, as another process would.
    private static func fold(_ path: FilePath) throws {
        let result = try ChildProcess.run(
            executable: "sqlite3", arguments: [path.string, "PRAGMA wal_checkpoint(TRUNCATE)"])
        #expect(result.exitCode == 0 && result.outputText == "0|0|0\n", "\(result.outputText)\(result.errorText)")
    }

    @Test func anotherProcessIsHeardOf() async throws {
        let folder = try TemporaryDirectory(prefix: "larder-database")
        let path = folder.path.appending("larder.sqlite")
        let database = try await SQLiteDatabase(path: path, migrations: Self.schema)
        let changes = try SQLiteChanges(path: path)
        let known = try #require(changes.version)
        let result = try ChildProcess.run(
            executable: "sqlite3", arguments: [path.string, "INSERT INTO pack VALUES ('theirs')"])
        #expect(result.exitCode == 0)
        #expect(try #require(changes.version) != known)
        await database.close()
    }

    @Test func withoutASharedLogNothingIsTold() throws {
        let folder = try TemporaryDirectory(prefix: "larder-database")
        let path = folder.path.appending("other.sqlite")
        let made = try ChildProcess.run(
            executable: "sqlite3",
            arguments: [path.string, "PRAGMA journal_mode = DELETE; CREATE TABLE pack (id TEXT)"])
        #expect(made.exitCode == 0)
        #expect(try SQLiteChanges(path: path).version == nil)
    }

    @Test func aDatabaseThatIsNotThereIsAnError() throws {
        let folder = try TemporaryDirectory(prefix: "larder-database")
        #expect(throws: DatabaseError.self) { try SQLiteChanges(path: folder.path.appending("none.sqlite")) }
    }
}
