// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import Testing

@testable import Database

@Suite(.timeLimit(.minutes(5))) struct DatabaseTests {
    private static let schema = [
        Migration(version: 1, statements: ["CREATE TABLE pack (id TEXT PRIMARY KEY, size INTEGER, body BLOB) STRICT"])
    ]

    private func scratch(_ body: (FilePath) async throws -> Void) async throws {
        let folder = try TemporaryDirectory(prefix: "larder-database")
        try await body(folder.path.appending("larder.sqlite"))
    }

    @Test func valuesOfEveryKindComeBack() async throws {
        try await scratch { path in
            let database = try await SQLiteDatabase(path: path, migrations: Self.schema)
            let big = Int64.max
            try await database.write {
                try $0.execute("INSERT INTO pack VALUES (?, ?, ?)", ["full", .integer(big), .blob([0, 1, 255])])
                try $0.execute("INSERT INTO pack VALUES (?, ?, ?)", ["", nil, .blob([])])
            }
            let rows = try await database.read { connection in
                try connection.rows("SELECT id, size, body FROM pack ORDER BY id DESC") { row in
                    Pack(id: row.text(0), size: row.int64IfPresent(1), body: row.blob(2))
                }
            }
            #expect(
                rows == [Pack(id: "full", size: big, body: [0, 1, 255]), Pack(id: "", size: nil, body: [])])
        }
    }

    private struct Pack: Equatable, Sendable {
        var id: String
        var size: Int64?
        var body: [UInt8]
    }

    @Test func aThrowUndoesTheWholeTransaction() async throws {
        try await scratch { path in
            let database = try await SQLiteDatabase(path: path, migrations: Self.schema)
            struct Change: Error {}
            await #expect(throws: Change.self) {
                try await database.write { connection in
                    try connection.execute("INSERT INTO pack VALUES ('a', 1, NULL)")
                    throw Change()
                }
            }
            await #expect(throws: DatabaseError.self) {
                try await database.write { connection in
                    try connection.execute("INSERT INTO pack VALUES ('a', 1, NULL)")
                    try connection.execute("INSERT INTO pack VALUES ('a', 2, NULL)")
                }
            }
            #expect(try await database.read { try $0.first("SELECT count(*) FROM pack") { $0.int64(0) } } == 0)
        }
    }

    @Test func readsCannotWrite() async throws {
        try await scratch { path in
            let database = try await SQLiteDatabase(path: path, migrations: Self.schema)
            let error = await #expect(throws: DatabaseError.self) {
                try await database.read { try $0.execute("DELETE FROM pack") }
            }
            #expect(error?.code == .readOnly)
            try await database.write { try $0.execute("DELETE FROM pack") }
        }
    }

    @Test func migrationsRunOnceAndInOrder() async throws {
        try await scratch { path in
            let first = try await SQLiteDatabase(path: path, migrations: Self.schema)
            try await first.write { try $0.execute("INSERT INTO pack VALUES ('a', 1, NULL)") }
            await first.close()
            let second = try await SQLiteDatabase(
                path: path,
                migrations: [
                    Migration(version: 2, statements: ["ALTER TABLE pack ADD COLUMN note TEXT DEFAULT 'none'"])
                ] + Self.schema)
            #expect(try await second.read { try $0.first("SELECT note FROM pack") { $0.text(0) } } == "none")
            await second.close()
            let error = await #expect(throws: DatabaseError.self) {
                try await SQLiteDatabase(path: path, migrations: Self.schema)
            }
            #expect(error?.code == .newer)
        }
    }

    @Test func aFailedMigrationLeavesTheFileAsItWas() async throws {
        try await scratch { path in
            let broken = [Migration(version: 1, statements: ["CREATE TABLE a (b INTEGER)", "CREATE TABLE (("])]
            await #expect(throws: DatabaseError.self) { try await SQLiteDatabase(path: path, migrations: broken) }
            let database = try await SQLiteDatabase(path: path, migrations: Self.schema)
            #expect(
                try await database.read {
                    try $0.first("SELECT count(*) FROM sqlite_schema WHERE name = 'a'") { $0.int64(0) }
                }
                    == 0)
        }
    }

    @Test func aFileThatIsNoDatabaseIsNamed() async throws {
        try await scratch { path in
            try AtomicFile.write(Array(repeating: UInt8(ascii: "x"), count: 8192), to: path, durable: false)
            let error = await #expect(throws: DatabaseError.self) {
                try await SQLiteDatabase(path: path, migrations: Self.schema)
            }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains(path.string) == true)
        }
    }

    @Test func aMissingFolderIsNamed() async throws {
        let error = await #expect(throws: DatabaseError.self) {
            try await SQLiteDatabase(path: "/nonexistent/larder.sqlite", migrations: Self.schema)
        }
        #expect(error?.code == .cannotOpen)
    }

    @Test func placesAndValuesMustAgree() async throws {
        try await scratch { path in
            let database = try await SQLiteDatabase(path: path, migrations: Self.schema)
            await #expect(throws: DatabaseError.self) {
                try await database.write { try $0.execute("DELETE FROM pack WHERE id = ?") }
            }
            await database.close()
            let error = await #expect(throws: DatabaseError.self) { try await database.write { _ in } }
            #expect(error?.code == .closed)
        }
    }

    @Test func aStatementMayRunInsideItself() async throws {
        try await scratch { path in
            let database = try await SQLiteDatabase(path: path, migrations: Self.schema)
            let pairs = try await database.write { connection in
                for size in [1, 2, 3] {
                    try connection.execute("INSERT INTO pack VALUES (?, ?, NULL)", [.text("\(size)"), .integer(size)])
                }
                #expect(connection.changes == 1)
                let sql = "SELECT size FROM pack WHERE size >= ? ORDER BY size"
                return try connection.rows(sql, [.integer(2)]) { outer in
                    try connection.rows(sql, [.integer(1)]) { [outer.int64(0), $0.int64(0)] }
                }
            }
            #expect(pairs == [[[2, 1], [2, 2], [2, 3]], [[3, 1], [3, 2], [3, 3]]])
            // Left in the middle, and asked again with no value bound.
            let first = try await database.read { connection in
                _ = try connection.first("SELECT size FROM pack WHERE size > ?", [.integer(1)]) { $0.int64(0) }
                return try connection.rows("SELECT size FROM pack WHERE size > ?", [nil]) { $0.int64(0) }
            }
            #expect(first.isEmpty)
            // The table that a kept statement knows changes.
            try await database.write { try $0.execute("ALTER TABLE pack ADD COLUMN note TEXT DEFAULT 'none'") }
            let columns = try await database.read {
                try $0.rows("SELECT size FROM pack WHERE size >= ? ORDER BY size", [.integer(3)]) { $0.int64(0) }
            }
            #expect(columns == [3])
        }
    }

    @Test func writersFromManyTasksTakeTurns() async throws {
        try await scratch { path in
            let database = try await SQLiteDatabase(path: path, migrations: Self.schema)
            try await database.write { try $0.execute("INSERT INTO pack VALUES ('n', 0, NULL)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        try await database.write { connection in
                            let size = try connection.first("SELECT size FROM pack") { $0.int64(0) } ?? 0
                            try connection.execute("UPDATE pack SET size = ?", [.integer(size + 1)])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.read { try $0.first("SELECT size FROM pack") { $0.int64(0) } } == 50)
        }
    }
}
