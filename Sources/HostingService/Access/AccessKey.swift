// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HostingModel
internal import Kit

/// A key of the interface: the host keeps its public half, whoever uses it the private one.
struct AccessKey: Sendable {
    /// Ten capital letters and digits, as App Store Connect's.
    let id: String
    let name: String
    let role: Role
    let publicKey: [UInt8]
    /// The apps it is for, by their identifier; nil for all.
    let apps: Set<String>?
    let createdDate: String
    var revokedDate: String?

    static func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return String((0..<10).map { _ in letters[Int.random(in: letters.indices, using: &generator)] })
    }
}

/// Who asks.
struct Caller: Sendable {
    let keyID: String
    let role: Role
    /// nil for all.
    let apps: Set<String>?

    func mayUse(app: String) -> Bool { apps?.contains(app) ?? true }
}

extension Connection {
    private static var columns: String {
        #""id", "name", "role", "publicKey", "apps", "createdDate", "revokedDate""#
    }

    /// - Throws: `DatabaseError`
    func key(_ id: String) throws -> AccessKey? {
        try rows(#"SELECT \#(Self.columns) FROM "keys" WHERE "id" = ?"#, [.text(id)], { Self.key($0) }).first ?? nil
    }

    /// All keys, revoked ones too, oldest first.
    /// - Throws: `DatabaseError`
    func keys() throws -> [AccessKey] {
        try rows(#"SELECT \#(Self.columns) FROM "keys" ORDER BY "createdDate", "id""#, [], { Self.key($0) })
            .compactMap { $0 }
    }

    private static func key(_ row: borrowing Row) -> AccessKey? {
        guard let role = Role(rawValue: row.text(2)) else { return nil }
        return AccessKey(
            id: row.text(0), name: row.text(1), role: role, publicKey: Array(row.text(3).utf8),
            apps: row.textIfPresent(4).map { Set($0.split(separator: ",").map(String.init)) },
            createdDate: row.text(5), revokedDate: row.textIfPresent(6))
    }

    /// - Throws: `DatabaseError`
    func insert(_ key: AccessKey) throws {
        try execute(
            #"INSERT INTO "keys" (\#(Self.columns)) VALUES (\#(SQL.places(7)))"#,
            [
                .text(key.id), .text(key.name), .text(key.role.rawValue),
                .text(String(decoding: key.publicKey, as: UTF8.self)),
                .text(orNull: key.apps.map { $0.sorted().joined(separator: ",") }), .text(key.createdDate),
                .text(orNull: key.revokedDate),
            ])
    }

    /// False when there is no such key, or it was revoked before.
    /// - Throws: `DatabaseError`
    func revokeKey(_ id: String, at date: String) throws -> Bool {
        try execute(
            #"UPDATE "keys" SET "revokedDate" = ? WHERE "id" = ? AND "revokedDate" IS NULL"#, [.text(date), .text(id)])
        return changes > 0
    }

    /// The resource that stands for whoever asks; its identifier.
    /// - Throws: `DatabaseError`
    func actor(_ caller: Caller) throws -> String {
        if try record(.actors, caller.keyID) == nil {
            try insert(
                ResourceRecord(
                    .actors, id: caller.keyID, app: "",
                    values: ["actorType": "API_KEY", "apiKeyId": .string(caller.keyID)]))
        }
        return caller.keyID
    }

    /// Who issues all tokens for this host, as App Store Connect's issuer is one for a team.
    /// - Throws: `DatabaseError`
    func issuer() throws -> String { try setting("issuer", Identifier.random) }
}
