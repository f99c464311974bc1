// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit
internal import System

extension SQLiteDatabase {
    /// Opens a host's database file, making it if need be.
    /// - Throws: `DatabaseError`
    static func hosting(_ path: FilePath) async throws -> SQLiteDatabase {
        try await SQLiteDatabase(path: path, migrations: HostingMigrations.all)
    }
}

extension HostConfiguration {
    /// Makes the data folder if need be, and opens the database.
    /// - Throws: `HostingError`, `DatabaseError`
    func openDatabase() async throws -> any Database {
        do {
            try FileDescriptor.currentDirectory.makeDirectories(at: data, permissions: .directoryPrivate)
        } catch {
            throw HostingError(
                .storage, "The data folder \(data) is not there and cannot be made. Name another with --data.",
                cause: error)
        }
        if let postgres { return try await PostgresDatabase(postgres, migrations: HostingMigrations.all) }
        return try await SQLiteDatabase.hosting(database)
    }

    /// Tells when the open database has changed.
    /// - Throws: `DatabaseError`
    func watch(_ opened: any Database) throws -> any DatabaseChanges {
        if let postgres = opened as? PostgresDatabase { return PostgresChanges(postgres) }
        return try SQLiteChanges(path: database)
    }
}

extension Connection {
    /// A setting of the host; made by `value` when it is not there.
    /// - Throws: `DatabaseError`
    func setting(_ name: String, _ value: () -> String) throws -> String {
        if let known = try first(#"SELECT "value" FROM "settings" WHERE "name" = ?"#, [.text(name)], { $0.text(0) }) {
            return known
        }
        let new = value()
        try execute(#"INSERT INTO "settings" ("name", "value") VALUES (?, ?)"#, [.text(name), .text(new)])
        return new
    }

    /// The resource of a request.
    /// - Throws: `APIError` when there is none, or none for this caller: both look the same to him.
    func require(_ type: ResourceType, _ id: String, for caller: Caller) throws -> ResourceRecord {
        guard let record = try record(type, id), caller.mayUse(app: record.app) else {
            throw APIError.notFound(type, id)
        }
        return record
    }

    /// Likewise for one that a relationship in the body names.
    /// - Throws: `APIError`
    func require(
        _ type: ResourceType, _ id: String, as relationship: String, for caller: Caller
    ) throws -> ResourceRecord {
        guard let record = try record(type, id), caller.mayUse(app: record.app) else {
            throw APIError.relationship(
                "INVALID", relationship, "There is no resource of type '\(type)' with id '\(id.prefix(64))'.")
        }
        return record
    }
}

/// Names for what is made here.
enum Identifier {
    /// A new random UUID (RFC 9562, version 4), in lower case. Nobody guesses it.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Hexadecimal.encode(bytes)
        var parts: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }

    /// Bytes that nobody guesses.
    static func secret(_ count: Int = 32) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
