// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Crypto
internal import Database
internal import HostingModel
internal import Kit

extension Connection {
    private static var columns: String {
        #""version", "base", "baseNumber", "baseDigest", "app", "state", "attempts", "digest", "size", "sha256", "#
            + #""listDigest", "listSize", "listSHA256", "frontSize", "frontSHA256""#
    }

    private static func file(_ row: borrowing Row) -> UpdateFile {
        let base = row.text(1)
        let frontDigest = row.text(14)
        let front: DownloadManifestPack.LarderInfo.UpdateFile.Front? =
            frontDigest.isEmpty ? nil : .init(size: row.int64(13), sha256: frontDigest)
        return UpdateFile(
            version: row.text(0), app: row.text(4),
            base: base.isEmpty ? nil : UpdateFile.Base(id: base, number: row.int64(2), digest: row.text(3)),
            // What a later host knows to be something else is left to it.
            state: UpdateFile.State(rawValue: row.text(5)) ?? .failed, attempts: Int(clamping: row.int64(6)),
            stored: Digest(hex: row.text(7)).map {
                .init(digest: $0, size: row.int64(8), sha256: row.text(9), front: front)
            },
            list: Digest(hex: row.text(10)).map { .init(digest: $0, size: row.int64(11), sha256: row.text(12)) })
    }

    /// The files that lead to these versions.
    /// - Parameter state: nil for all.
    /// - Throws: `DatabaseError`
    func updateFiles(of versions: [String], _ state: UpdateFile.State? = nil) throws -> [String: [UpdateFile]] {
        guard !versions.isEmpty else { return [:] }
        let condition = state == nil ? "" : #" AND "state" = ?"#
        let found = try rows(
            #"SELECT \#(Self.columns) FROM "updateFiles" WHERE "version" IN (\#(SQL.places(versions.count)))\#(condition)"#,
            versions.map { .text($0) } + (state.map { [.text($0.rawValue)] } ?? [])
        ) { Self.file($0) }
        return Dictionary(grouping: found, by: \.version)
    }

    /// Those of an app that devices are told of.
    /// - Throws: `DatabaseError`
    func listedUpdateFiles(ofApp app: String) throws -> [UpdateFile] {
        try rows(
            #"SELECT \#(Self.columns) FROM "updateFiles" WHERE "app" = ? AND "state" = ?"#,
            [.text(app), .text(UpdateFile.State.listed.rawValue)]
        ) { Self.file($0) }
    }

    /// All that are in the store.
    /// - Throws: `DatabaseError`
    func storedUpdateFiles() throws -> [UpdateFile] {
        try rows(#"SELECT \#(Self.columns) FROM "updateFiles" WHERE "digest" IS NOT NULL"#) { Self.file($0) }
    }

    /// Those of one digest, their own or that of their list.
    /// - Throws: `DatabaseError`
    func storedUpdateFiles(_ digest: String) throws -> [UpdateFile] {
        try rows(
            #"SELECT \#(Self.columns) FROM "updateFiles" WHERE "digest" = ? OR "listDigest" = ?"#,
            [.text(digest), .text(digest)]
        ) { Self.file($0) }
    }

    /// Bytes that count against what an app's packs may take: of each pack its largest archive, and what devices update with.
    /// - Throws: `DatabaseError`
    func usedBytes(ofApp app: String) throws -> Int64 {
        let packs = try records(.backgroundAssets, where: ["app": .text(app), "archived": 0])
        let files = try first(
            #"SELECT SUM("size" + "listSize") FROM "updateFiles" WHERE "app" = ? AND "digest" IS NOT NULL"#,
            [.text(app)]
        ) { $0.int64(0) }
        return packs.reduce(files ?? 0) { $0 + ($1.integer("usedBytes") ?? 0) }
    }

    /// Stores what became of a file, in place of what was known of it.
    /// - Throws: `DatabaseError`
    func set(_ file: UpdateFile) throws {
        try execute(
            #"DELETE FROM "updateFiles" WHERE "version" = ? AND "base" = ?"#,
            [.text(file.version), .text(file.base?.id ?? "")])
        try execute(
            #"INSERT INTO "updateFiles" (\#(Self.columns)) VALUES (\#(SQL.places(15)))"#,
            [
                .text(file.version), .text(file.base?.id ?? ""), .integer(file.base?.number ?? 0),
                .text(file.base?.digest ?? ""), .text(file.app), .text(file.state.rawValue),
                .integer(Int64(file.attempts)), file.stored.map { .text($0.digest.hex) } ?? .null,
                .integer(file.stored?.size ?? 0), file.stored.map { .text($0.sha256) } ?? .null,
                file.list.map { .text($0.digest.hex) } ?? .null, .integer(file.list?.size ?? 0),
                file.list.map { .text($0.sha256) } ?? .null, .integer(file.stored?.front?.size ?? 0),
                file.stored?.front.map { .text($0.sha256) } ?? .null,
            ])
    }

    /// Has those made that there was no room for.
    /// - Throws: `DatabaseError`
    func prepareUpdatesWithoutRoom() throws {
        let versions = try rows(
            #"SELECT DISTINCT "version" FROM "updateFiles" WHERE "state" = ?"#,
            [.text(UpdateFile.State.noRoom.rawValue)]
        ) { $0.text(0) }
        for version in versions { try add(Job(kind: .prepareUpdates, subject: version)) }
    }

    /// Devices are told no more of a file that is about to be noted as unneeded; false when it is needed after all.
    /// - Throws: `DatabaseError`
    func retireUpdateFile(_ digest: String) throws -> Bool {
        let files = try storedUpdateFiles(digest)
        guard !files.isEmpty else { return true }
        guard try !ArchiveNeeds(in: self).digests.contains(digest) else { return false }
        for var file in files where file.state == .listed {
            file.state = .retired
            try set(file)
        }
        return true
    }

    /// Devices are told again of a file that was given up and is needed again.
    /// - Throws: `DatabaseError`
    func relistUpdateFile(_ digest: String) throws {
        let files = try storedUpdateFiles(digest).filter { $0.state == .retired }
        guard !files.isEmpty, try ArchiveNeeds(in: self).digests.contains(digest) else { return }
        for var file in files {
            file.state = .listed
            try set(file)
        }
    }

    /// Nothing is known of a file any more that is removed from the store, nor of a patch whose list is: both are needed or neither.
    /// - Throws: `DatabaseError`
    func forgetUpdateFile(_ digest: String) throws {
        try execute(
            #"DELETE FROM "updateFiles" WHERE "digest" = ? OR "listDigest" = ?"#, [.text(digest), .text(digest)])
    }
}
