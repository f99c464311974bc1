// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import Database

/// What `PostgresDatabase` does with a real server.
@Suite(.timeLimit(.minutes(5))) struct PostgresTests {
    private static let schema = [
        Migration(
            version: 1,
            statements: [
                """
                CREATE TABLE "pack" ("sequence" INTEGER PRIMARY KEY AUTOINCREMENT, "id" TEXT NOT NULL UNIQUE,
                "size" INTEGER, "share" REAL, "body" BLOB)
                """
            ])
    ]

    private func open(_ url: String, _ migrations: [Migration] = schema) async throws -> PostgresDatabase {
        try await PostgresDatabase(try #require(PostgresAddress(url)), migrations: migrations)
    }

    private func with(_ body: (_ database: PostgresDatabase, _ url: String) async throws -> Void) async throws {
        let url = try await PostgresServer.shared().newSchema()
        let database = try await open(url)
        let result: Result<Void, any Error>
        do { result = .success(try await body(database, url)) } catch { result = .failure(error) }
        await database.close()
        try result.get()
    }

    private func firstInt64(_ database: PostgresDatabase, _ sql: String) async throws -> Int64? {
        try await database.read { try $0.first(sql) { $0.int64(0) } }
    }

    private func firstText(_ database: PostgresDatabase, _ sql: String) async throws -> String? {
        try await database.read { try $0.first(sql) { $0.text(0) } }
    }

    private struct Pack: Equatable, Sendable {
        var id: String
        var size: Int64?
        var share: Double?
        var body: [UInt8]
    }

    @Test func valuesOfEveryKindComeBack() async throws {
        try await with { database, _ in
            let packs = [
                Pack(id: "a 'quoted' ? \"name\" \\", size: .max, share: 0.1, body: [0, 1, 255]),
                Pack(id: "Küste 🏖", size: .min, share: -.greatestFiniteMagnitude, body: []),
                Pack(id: "", size: nil, share: nil, body: Array("\\x00".utf8)),
            ]
            let insert = #"INSERT INTO "pack" ("id", "size", "share", "body") VALUES (?, ?, ?, ?)"#
            try await database.write { connection in
                for pack in packs {
                    try connection.execute(
                        insert,
                        [
                            .text(pack.id), .integer(orNull: pack.size), pack.share.map { .real($0) } ?? .null,
                            .blob(pack.body),
                        ])
                    #expect(connection.changes == 1)
                }
            }
            let read = try await database.read { connection in
                try connection.rows(#"SELECT "id", "size", "share", "body" FROM "pack" ORDER BY "sequence""#) {
                    Pack(
                        id: $0.text(0), size: $0.int64IfPresent(1), share: $0.doubleIfPresent(2), body: $0.blob(3))
                }
            }
            #expect(read == packs)
            let count = try await database.read { connection in
                // A statement that runs inside another, and one that gives a truth.
                try connection.rows(#"SELECT "id" FROM "pack""#) { outer in
                    try connection.first(#"SELECT COUNT(*) = 1 FROM "pack" WHERE "id" = ?"#, [.text(outer.text(0))]) {
                        $0.bool(0)
                    }
                }
            }
            #expect(count == [true, true, true])
            let error = await #expect(throws: DatabaseError.self) {
                try await database.write { try $0.execute(insert, ["a\0b", nil, nil, nil]) }
            }
            #expect(error?.code == .constraint)
        }
    }

    @Test func textIsInTheOrderOfItsBytes() async throws {
        try await with { database, _ in
            let names = ["Zebra", "_", "apple", "Ämter", "a b", "ab", "B"]
            try await database.write { connection in
                for name in names {
                    try connection.execute(#"INSERT INTO "pack" ("id") VALUES (?)"#, [.text(name)])
                }
            }
            let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            let read = try await database.read {
                try $0.rows(#"SELECT "id" FROM "pack" ORDER BY "id""#) { $0.text(0) }
            }
            #expect(read == sorted)
            let behind = try await database.read {
                try $0.rows(#"SELECT "id" FROM "pack" WHERE "id" > ? ORDER BY "id""#, ["Zebra"]) { $0.text(0) }
            }
            #expect(behind == Array(sorted.drop { $0 != "Zebra" }.dropFirst()))
        }
    }

    @Test func aThrowUndoesTheWholeTransaction() async throws {
        try await with { database, _ in
            struct Change: Error {}
            let insert = #"INSERT INTO "pack" ("id") VALUES ('a')"#
            await #expect(throws: Change.self) {
                try await database.write { connection in
                    try connection.execute(insert)
                    throw Change()
                }
            }
            let twice = await #expect(throws: DatabaseError.self) {
                try await database.write { connection in
                    try connection.execute(insert)
                    try connection.execute(insert)
                }
            }
            #expect(twice?.code == .constraint)
            // Whoever makes nothing of an error gets it in the end: nothing of the transaction can be kept.
            let swallowed = await #expect(throws: DatabaseError.self) {
                try await database.write { connection in
                    try connection.execute(insert)
                    _ = try? connection.execute("INSERT INTO nowhere VALUES (1)")
                }
            }
            #expect(swallowed?.code == .failed)
            let count = try await firstInt64(database, #"SELECT COUNT(*) FROM "pack""#)
            #expect(count == 0)
            let reading = await #expect(throws: DatabaseError.self) {
                try await database.read { try $0.execute(insert) }
            }
            #expect(reading?.code == .readOnly)
            let places = await #expect(throws: DatabaseError.self) {
                try await database.read { _ = try $0.first("SELECT ? || ?", ["a"]) { $0.text(0) } }
            }
            #expect(places?.code == .failed)
        }
    }

    @Test func writersOfTwoHostsTakeTurns() async throws {
        try await with { first, url in
            let second = try await open(url)
            try await first.write { try $0.execute(#"INSERT INTO "pack" ("id", "size") VALUES ('n', 0)"#) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        try await (number % 2 == 0 ? first : second).write { connection in
                            let size = try connection.first(#"SELECT "size" FROM "pack""#) { $0.int64(0) } ?? 0
                            try connection.execute(#"UPDATE "pack" SET "size" = ?"#, [.integer(size + 1)])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await firstInt64(first, #"SELECT "size" FROM "pack""#) == 40)
            await second.close()
        }
    }

    /// Two that look first and write then, as routes do: the second must see what the first wrote.
    @Test func whatIsLookedForBeforeItIsWrittenIsThereOnce() async throws {
        try await with { first, url in
            let second = try await open(url)
            struct Known: Error {}
            let refusals = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        do {
                            try await (number % 2 == 0 ? first : second).write { connection in
                                let isKnown =
                                    try connection.first(#"SELECT 1 FROM "pack" WHERE "id" = 'a'"#) { $0.bool(0) }
                                    ?? false
                                if isKnown { throw Known() }
                                try connection.execute(#"INSERT INTO "pack" ("id") VALUES ('a')"#)
                            }
                            return false
                        } catch is Known {
                            return true
                        } catch {
                            Issue.record(error)
                            return false
                        }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(refusals == 15)
            await second.close()
        }
    }

    @Test func hostsThatStartAtOnceMakeTheTablesOnce() async throws {
        let url = try await PostgresServer.shared().newSchema()
        try await withThrowingTaskGroup(of: PostgresDatabase.self) { group in
            for _ in 0..<6 { group.addTask { try await open(url) } }
            for try await database in group { await database.close() }
        }
        let newer =
            Self.schema + [
                Migration(
                    version: 2, statements: [#"ALTER TABLE "pack" ADD COLUMN "note" TEXT NOT NULL DEFAULT 'none'"#])
            ]
        let database = try await open(url, newer)
        try await database.write { try $0.execute(#"INSERT INTO "pack" ("id") VALUES ('a')"#) }
        #expect(try await firstText(database, #"SELECT "note" FROM "pack""#) == "none")
        await database.close()
        let old = await #expect(throws: DatabaseError.self) { try await open(url) }
        #expect(old?.code == .newer)
        // One that fails leaves nothing behind.
        let broken =
            newer + [Migration(version: 3, statements: [#"CREATE TABLE "left" ("a" TEXT)"#, "CREATE TABLE (("])]
        await #expect(throws: DatabaseError.self) { try await open(url, broken) }
        let again = try await open(url, newer)
        await again.close()
        let closed = await #expect(throws: DatabaseError.self) { try await again.read { _ in } }
        #expect(closed?.code == .closed)
    }

    @Test func aServerThatComesBackIsFoundAgain() async throws {
        let server = try await PostgresServer.start()
        let database = try await open(try await server.newSchema())
        try await database.write { try $0.execute(#"INSERT INTO "pack" ("id", "size") VALUES ('n', 0)"#) }
        // More connections than one, so that several have broken.
        let started = Monitor(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await database.read { _ in
                        started.withLock { $0 += 1 }
                        started.wait { $0 < 4 ? nil : () }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await server.restart()
        try await database.write { try $0.execute(#"UPDATE "pack" SET "size" = "size" + 1"#) }
        // In the middle of a transaction, too, and nothing is counted twice.
        let attempts = Locked(0)
        try await database.write { connection in
            try connection.execute(#"UPDATE "pack" SET "size" = "size" + 1"#)
            let isFirst = attempts.withLock { attempts in
                attempts += 1
                return attempts == 1
            }
            if isFirst {
                _ = try? connection.rows("SELECT pg_terminate_backend(pg_backend_pid())") { $0.bool(0) }
            }
        }
        #expect(attempts.withLock { $0 } == 2)
        #expect(try await firstInt64(database, #"SELECT "size" FROM "pack""#) == 2)
        await database.close()
    }

    @Test func aServerThatSaysNothingIsNotWaitedForForEver() async throws {
        let url = try await PostgresServer.shared().newSchema()
        var limits = PostgresLimits()
        limits.statement = .seconds(1)
        limits.grace = .seconds(1)
        let database = try await PostgresDatabase(
            try #require(PostgresAddress(url)), migrations: Self.schema, limits: limits)
        let slow = await #expect(throws: DatabaseError.self) {
            try await database.read { _ = try $0.first("SELECT pg_sleep(600)") { $0.text(0) } }
        }
        #expect(slow?.code == .busy)
        // A server that ends nothing of itself.
        let deaf = await #expect(throws: DatabaseError.self) {
            try await database.read { connection in
                try connection.execute("SET statement_timeout = 0")
                _ = try connection.first("SELECT pg_sleep(600)") { $0.text(0) }
            }
        }
        #expect(deaf?.code == .lost)
        #expect(try await firstInt64(database, "SELECT 1") == 1)
        await database.close()
    }

    @Test func whoComesWhenAllConnectionsAreLentIsToldSo() async throws {
        let url = try await PostgresServer.shared().newSchema()
        var limits = PostgresLimits()
        limits.connections = 1
        limits.turn = .milliseconds(100)
        let database = try await PostgresDatabase(
            try #require(PostgresAddress(url)), migrations: Self.schema, limits: limits)
        let (lent, mayGo) = (Monitor(false), Monitor(false))
        async let holder: Void = database.read { _ in
            lent.withLock { $0 = true }
            mayGo.wait { $0 ? () : nil }
        }
        try await onOwnThread { lent.wait { $0 ? () : nil } }
        let late = await #expect(throws: DatabaseError.self) { try await database.read { _ in } }
        #expect(late?.code == .busy)
        mayGo.withLock { $0 = true }
        try await holder
        try await database.read { _ in }
        await database.close()
    }

    @Test func errorsNameTheDatabaseAndNoPassword() async throws {
        let url = try await PostgresServer.shared().address("public")
        for (wrong, word) in [
            (url.replacing("/postgres?", with: "/nowhere?"), "nowhere"),
            ("postgres://larder@127.0.0.1:1/packs", "127.0.0.1:1"),
            ("postgres://larder@/packs?host=/nonexistent&connect_timeout=secret", "packs"),
            ("postgres://larder@nowhere.invalid/packs", "nowhere.invalid"),
        ] {
            let address = try #require(PostgresAddress(wrong.replacing("larder@", with: "larder:secret@")))
            let error = await #expect(throws: DatabaseError.self) {
                try await PostgresDatabase(address, migrations: Self.schema)
            }
            #expect(error?.code == .cannotOpen)
            #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("secret") == false, "\(error?.message ?? "")")
        }
    }
}
