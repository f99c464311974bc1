// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import Kit

/// The secrets that sign addresses of archives: the first signs, all of them are believed.
struct ArchiveKeys: Hashable, Sendable {
    struct Key: Hashable, Sendable {
        let id: String
        let secret: [UInt8]

        static func new() -> Key { Key(id: Hexadecimal.encode(Identifier.secret(4)), secret: Identifier.secret()) }
    }

    /// Keys that are kept: the one that signs, and the one before.
    private static let limit = 2

    private(set) var all: [Key]

    var current: Key? { all.first }

    subscript(id: String) -> Key? { all.first { $0.id == id } }

    static func new() -> ArchiveKeys { ArchiveKeys(all: [.new()]) }

    private init(all: [Key]) { self.all = all }

    /// As it is stored: `id:secret`, with commas between. What cannot be read is left out.
    init(_ text: String) {
        all = text.split(separator: ",").compactMap { word in
            let parts = word.split(separator: ":")
            guard parts.count == 2, let secret = Hexadecimal.decode(parts[1]), !secret.isEmpty else { return nil }
            return Key(id: String(parts[0]), secret: secret)
        }
    }

    var text: String { all.map { "\($0.id):\(Hexadecimal.encode($0.secret))" }.joined(separator: ",") }

    /// - Parameter keepsFormer: whether addresses that are out stay good until they expire.
    mutating func rotate(keepsFormer: Bool) {
        all = [.new()] + (keepsFormer ? Array(all.prefix(Self.limit - 1)) : [])
    }
}

extension Connection {
    private static var keysName: String { "archiveKeys" }

    /// - Throws: `DatabaseError`
    func archiveKeys() throws -> ArchiveKeys? {
        try first(#"SELECT "value" FROM "settings" WHERE "name" = ?"#, [.text(Self.keysName)]) {
            ArchiveKeys($0.text(0))
        }
    }

    /// The keys, made when there are none.
    /// - Throws: `DatabaseError`
    func preparedArchiveKeys() throws -> ArchiveKeys {
        ArchiveKeys(try setting(Self.keysName) { ArchiveKeys.new().text })
    }

    /// - Throws: `DatabaseError`
    func rotateArchiveKeys(keepsFormer: Bool) throws -> ArchiveKeys {
        var keys = try preparedArchiveKeys()
        keys.rotate(keepsFormer: keepsFormer)
        try execute(
            #"UPDATE "settings" SET "value" = ? WHERE "name" = ?"#, [.text(keys.text), .text(Self.keysName)])
        return keys
    }
}
