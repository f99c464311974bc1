// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@testable import Database

/// What tells of commits to a PostgreSQL database.
@Suite(.timeLimit(.minutes(5))) struct PostgresChangesTests {
    private static let schema = [
        Migration(
            version: 1, statements: [#"CREATE TABLE "pack" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "size" INTEGER)"#])
    ]

    private func open(_ url: String) async throws -> PostgresDatabase {
        try await PostgresDatabase(try #require(PostgresAddress(url)), migrations: Self.schema)
    }

    private static func insert(_ connection: borrowing Connection) throws {
        try connection.execute(#"INSERT INTO "pack" ("size") VALUES (1)"#)
    }

    /// A number, as soon as there is one.
    private func version(_ changes: PostgresChanges) async throws -> Int64 {
        try await eventually { changes.version }
    }

    /// On a server of its own, where nobody else commits anything.
    @Test func everyCommitIsToldWhoeverMakesIt() async throws {
        let server = try await PostgresServer.start()
        let url = try await server.newSchema()
        let (database, other) = (try await open(url), try await open(url))
        let changes = PostgresChanges(database)
        #expect(changes.version == nil, "nothing is known yet")
        for _ in 0..<5 {
            // Own commits are told at once, and before anybody has asked the server again.
            var known = try await version(changes)
            try await database.write { try Self.insert($0) }
            #expect(changes.version != known)
            // Others' are told sooner or later.
            known = try await version(changes)
            try await other.write { try Self.insert($0) }
            _ = try await eventually { changes.version.flatMap { $0 == known ? nil : $0 } }
        }
        // What is only read changes nothing, as often as the server is asked.
        let settled = try await settledVersion(changes)
        for _ in 0..<300 {
            for reader in [database, other] {
                _ = try await reader.read { try $0.first(#"SELECT COUNT(*) FROM "pack""#) { $0.int64(0) } }
            }
            #expect(try await version(changes) == settled)
        }
        // Another server is not the one that was.
        try await server.restart()
        _ = try await eventually { changes.version.flatMap { $0 == settled ? nil : $0 } }
        changes.close()
        await database.close()
        await other.close()
    }

    /// The number after the server was asked about the last commit, too.
    private func settledVersion(_ changes: PostgresChanges) async throws -> Int64 {
        var last = try await version(changes)
        let end = ContinuousClock.now + PostgresChanges.delay
        while ContinuousClock.now < end {
            let now = try await version(changes)
            last = now
            try await Task.sleep(for: .milliseconds(10))
        }
        return last
    }

    /// A server that does not answer is not believed for longer than it may be.
    @Test func aWordOfTheServerIsOldAfterAWhile() async throws {
        let database = try await open(try await PostgresServer.shared().newSchema())
        let changes = PostgresChanges(database)
        _ = try await version(changes)
        // Nobody asks any more.
        await database.close()
        _ = try await eventually { changes.version == nil ? () : nil }
        changes.close()
    }
}
