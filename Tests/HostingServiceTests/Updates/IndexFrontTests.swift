// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Kit
import PackUpdates
import TestSupport
import Testing

@testable import Database
@testable import HostingService

/// What a host keeps and tells of the fronts of indexes.
@Suite(.timeLimit(.minutes(5))) struct IndexFrontTests {
    private static let front = PackIndex.Front(size: 21, sha256: String(repeating: "1f", count: 32))

    private func open(
        _ scratch: Scratch, _ address: PostgresAddress?, _ migrations: [Migration] = HostingMigrations.all
    ) async throws -> any Database {
        if let address { return try await PostgresDatabase(address, migrations: migrations) }
        return try await SQLiteDatabase(path: scratch("host.sqlite"), migrations: migrations)
    }

    /// What a host listed before it knew of fronts, it lists as before.
    @Test(arguments: TestDatabase.allCases)
    func indexesFromBeforeAreListedWithoutOne(on database: TestDatabase) async throws {
        try await Scratch.with { scratch in
            let address = try await database.newAddress()
            let digest = TreeDigest.hash([1])
            let before = try await open(scratch, address, HostingMigrations.all.filter { $0.version < 14 })
            try await before.write { store in
                try store.execute(
                    """
                    INSERT INTO "updateFiles" ("version", "base", "baseNumber", "baseDigest", "app", "state",
                    "attempts", "digest", "size", "sha256") VALUES ('v', '', 0, '', 'app', 'LISTED', 0, ?, 70, 'ab')
                    """, [.text(digest.hex)])
            }
            await before.close()

            let store = try await open(scratch, address)
            let archives = ArchiveSigner(base: "https://h")
            var index = UpdateFile(
                version: "v", app: "app", state: .listed, stored: .init(digest: digest, size: 70, sha256: "ab"))
            #expect(try await store.read { try $0.storedUpdateFiles() } == [index])
            let old = UpdateFile.members(of: [index], archives)
            #expect(
                old == [
                    "index": ["url": .string("https://h/archives/\(digest.hex)"), "size": 70, "sha256": "ab"]
                ])

            index.stored?.front = Self.front
            var patch = UpdateFile(
                version: "v", app: "app", base: .init(id: "u", number: 1, digest: "0a"), state: .listed,
                stored: .init(digest: TreeDigest.hash([2]), size: 9, sha256: "cd"))
            patch.list = .init(digest: TreeDigest.hash([3]), size: 8, sha256: "ef")
            try await store.write { [index, patch] store in for file in [index, patch] { try store.set(file) } }
            let files = try await store.read { try $0.updateFiles(of: ["v"])["v"] ?? [] }
            #expect(Set(files) == [index, patch])
            let members = UpdateFile.members(of: files, archives)
            #expect(members["index"]?["front"] == ["size": 21, "sha256": .string(Self.front.sha256)])
            let listed = members["patches"]?.arrayValue?.first
            #expect(listed?["front"] == nil && listed?["list"]?["size"] == 8 && listed?["list"]?["front"] == nil)
            await store.close()
        }
    }

    @Test func theFrontOfWhatWasWrittenIsKept() throws {
        try Scratch.with { scratch in
            let bytes = Array("an index".utf8)
            try scratch.write(bytes, to: "X.index")
            for front in [nil, Self.front] {
                let written = PackIndex.Written(
                    size: Int64(bytes.count), sha256: SHA256.hash(bytes).hex, front: front)
                guard case .made(let made) = try IndexMaking(.written(written), at: scratch("X.index")) else {
                    Issue.record("it was not made")
                    return
                }
                #expect(
                    made.stored
                        == .init(
                            digest: TreeDigest.hash(bytes), size: written.size, sha256: written.sha256, front: front))
            }
        }
    }

    /// Devices are told what is stored, from the version's first moment on.
    @Test(arguments: TestDatabase.allCases)
    func devicesAreToldOfIt(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database, { $0.limits.patchesFrom = 0 }) { fixture in
            var pack = try await UpdatedPack(fixture)
            try await pack.publish()
            let index = try #require(try await pack.entry().index)
            #expect(index.front == PackIndex.front(of: try await pack.fetch(index)))
            #expect(try await pack.states(1) == [nil: .listed])
            let store = try await fixture.configuration.openDatabase()
            for front in [Self.front, nil] {
                try await store.write { store in
                    for var file in try store.storedUpdateFiles() {
                        file.stored?.front = front
                        try store.set(file)
                    }
                }
                let told = try await eventually {
                    let told = try await pack.entry().index
                    return told?.front == front ? told : nil
                }
                #expect(told.url == index.url && told.size == index.size && told.sha256 == index.sha256)
            }
            await store.close()
        }
    }
}
