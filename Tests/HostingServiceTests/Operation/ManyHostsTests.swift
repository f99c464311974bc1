// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceSupport
import Glibc
import HTTP
import HostingModel
import Kit
import System
import TestSupport
import Testing

@testable import Database
@testable import HostingService

/// Hosts that share a database, and a data folder or a bucket, by the real programs.
@Suite(.timeLimit(.minutes(5)), .serialized) struct ManyHostsTests {
    private static let packs = ["Coast", "Harbour", "Island"]
    private static let versionsOfEach = 8

    /// What hosts share.
    struct Place: Sendable, CustomTestStringConvertible {
        let database: TestDatabase
        let storage: TestStorage
        var testDescription: String { "\(database), \(storage)" }

        static let all = [
            Place(database: .sqlite, storage: .folder), Place(database: .postgres, storage: .folder),
            Place(database: .postgres, storage: .bucket),
        ]
    }

    /// Everything that an upload was told is done once, whichever host dies when.
    @Test(arguments: Place.all)
    func hostsThatAreKilledLoseNothingAndDoNothingTwice(place: Place) async throws {
        let database = place.database
        var generator = SeededGenerator.forTest()
        try await Scratch.with { scratch in
            var configuration = HostConfiguration(data: scratch("data"))
            configuration.postgres = try await database.newAddress()
            let objects = try place.storage.begin(in: scratch, &configuration)
            defer { objects?.stop() }
            let (signer, app) = try await prepare(configuration)
            let listener = try EventListener()
            let hosts = try await HostGroup(2, configuration, objects, in: scratch)
            let first = Publisher(url: hosts.url(0), signer: signer)
            let hook = try await first.create(
                .webhooks,
                [
                    "enabled": true, "name": "CI", "secret": "secret", "url": .string(listener.url),
                    "eventTypes": ["BACKGROUND_ASSET_VERSION_STATE_UPDATED"],
                ], ["app": (.apps, app)])
            var archives: [String: [[UInt8]]] = [:]
            for name in Self.packs {
                archives[name] = try (0..<Self.versionsOfEach).map { _ in
                    try File.read(scratch.archive(name, content: generator.bytes(200_000)))
                }
            }
            let isOver = Locked(false)
            let seed = generator.next()
            async let kills = killer(hosts, seed: seed) { isOver.withLock { $0 } }
            var committed: [String: String] = [:]
            try await withThrowingTaskGroup(of: [String: String].self) { group in
                for (index, name) in Self.packs.enumerated() {
                    let uploader = Uploader(hosts: hosts, signer: signer, first: index)
                    group.addTask { [archives] in
                        try await uploader.upload(archives[name] ?? [], as: name, app: app)
                    }
                }
                for try await versions in group { committed.merge(versions) { $1 } }
            }
            isOver.withLock { $0 = true }
            let killed = try await kills
            #expect(killed > 0)
            #expect(committed.count == Self.packs.count * Self.versionsOfEach)

            // What is left to do is done by whoever lives.
            let store = try await configuration.openDatabase()
            try await eventually {
                try await store.read { try $0.first(#"SELECT COUNT(*) FROM "jobs""#) { $0.int64(0) } } == 0 ? () : nil
            }
            for (version, name) in committed {
                let record = try await store.read { try $0.record(.backgroundAssetVersions, version) }
                #expect(record?.text("state") == "COMPLETE", "\(name) \(version)")
                let digest = try #require(record.flatMap { VersionContent.digest(of: $0) })
                let folder = objects?.folder.appending("packs/live") ?? scratch("data")
                let kept = try File.read(folder.appending("archives/\(digest.hex.prefix(2))/\(digest.hex)"))
                #expect(archives[name]?.contains(kept) == true)
                let told = try await store.read { store in
                    try store.records(.webhookEvents, where: ["app": .text(app)]).filter {
                        $0.text("payload")?.contains(version) == true
                            && $0.text("payload")?.contains("COMPLETE") == true
                    }
                }
                #expect(told.count == 1, "processed once")
            }
            // Every event was told, and told again only where a host died before it could say that it had.
            let (events, deliveries) = try await store.read { store in
                (
                    try store.records(.webhookEvents, where: ["app": .text(app)]),
                    try store.records(.webhookDeliveries, where: ["webhook": .text(hook["id"]?.stringValue ?? "")])
                )
            }
            #expect(deliveries.count == events.count)
            #expect(deliveries.allSatisfy { $0.text("deliveryState") == "SUCCEEDED" })
            let heard = listener.heard
            #expect(Set(heard) == Set(events.map(\.id)))
            #expect(heard.count - events.count <= killed)
            await store.close()
            try await hosts.stop()
            print("\(place.testDescription): \(killed) kills, \(events.count) events, \(heard.count) heard")
        }
    }

    private func prepare(_ configuration: HostConfiguration) async throws -> (TokenSigner, String) {
        let administration = try await HostAdministration(configuration)
        let app = try await administration.createApp(
            bundleID: HostFixture.bundleID, name: nil, locale: nil, sku: nil)
        let (key, pem) = try await administration.createKey(name: "test", role: .admin, apps: nil)
        let issuer = try await administration.issuer()
        await administration.close()
        return (TokenSigner(keyID: key.id, issuer: issuer, key: try SigningKey(pem: pem)), app.id)
    }

    /// Kills one host after the other at random instants; how many in all.
    private func killer(
        _ hosts: HostGroup, seed: UInt64, until isOver: @Sendable () -> Bool
    ) async throws -> Int {
        var generator = SeededGenerator(seed: seed)
        var count = 0
        repeat {
            // Random instants are what is tried here; nothing waits for these times.
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...150, using: &generator)))
            try await hosts.kill(Int.random(in: 0..<2, using: &generator))
            count += 1
        } while !isOver() || count < 6
        return count
    }
}

/// Some `larder-host serve` on the same data; each is started again when it was killed.
final class HostGroup: Sendable {
    private let configuration: HostConfiguration
    private let objects: ObjectServer?
    private let home: FilePath
    private let programs: Locked<[(program: RunningProgram, url: String)]>

    /// - Parameter objects: the bucket that they share; each has a data folder of its own then.
    init(
        _ count: Int, _ configuration: HostConfiguration, _ objects: ObjectServer? = nil, in scratch: Scratch
    ) async throws {
        self.configuration = configuration
        self.objects = objects
        home = scratch("home")
        programs = Locked([])
        scratch.addCleanup { [programs] in
            for (program, _) in programs.withLock({ $0 }) {
                program.process.kill()
                _ = try? program.process.wait()
            }
        }
        for index in 0..<count {
            let new = try await start(index)
            programs.withLock { $0.append(new) }
        }
    }

    /// The certificate of the store that publishers are sent to.
    var authority: FilePath? { objects?.authorityFile }

    private func start(_ index: Int) async throws -> (program: RunningProgram, url: String) {
        var environment = objects?.credentials ?? [:]
        environment["LARDER_HOME"] = home.string
        environment["LARDER_STORAGE"] = objects?.setting(prefix: "live")
        let data = configuration.data.string + (objects == nil ? "" : "-\(index)")
        let program = try RunningProgram(
            "larder-host",
            [
                "serve", "--data", data, "--port", "0", "--json", "--private-webhooks",
            ] + (configuration.postgres.map { ["--database", $0.url] } ?? []),
            environment: environment)
        let listening = try JSONParser.parse(try await program.line { $0.contains("listening") }).value
        return (program, listening["url"]?.stringValue ?? "")
    }

    func url(_ index: Int) -> String { programs.withLock { $0[index % $0.count].url } }

    /// Ends a host in the middle of whatever it does, and starts another in its place.
    func kill(_ index: Int) async throws {
        let program = programs.withLock { $0[index].program }
        program.process.kill()
        _ = try await onOwnThread { try program.process.wait() }
        let new = try await start(index)
        programs.withLock { $0[index] = new }
    }

    func stop() async throws {
        for (program, _) in programs.withLock({ $0 }) {
            program.process.terminate()
            #expect(try await onOwnThread { try program.process.wait() } == 0)
        }
    }
}

/// A publisher who goes to another host when one does not answer.
private struct Uploader: Sendable {
    let hosts: HostGroup
    let signer: TokenSigner
    /// The host that is asked first.
    let first: Int

    private struct Unanswered: Error {}

    /// Uploads all archives, one version each; the versions whose upload was ended, with the pack's name.
    func upload(_ archives: [[UInt8]], as name: String, app: String) async throws -> [String: String] {
        var turn = first
        let pack = try await persistently(&turn) { publisher in
            if let known = try await find(name, app: app, publisher) { return known }
            return try await publisher.pack(name, app: app)
        }
        var committed: [String: String] = [:]
        for archive in archives {
            let version = try await persistently(&turn) { try await upload(archive, to: pack, $0) }
            committed[version] = name
        }
        return committed
    }

    private func find(_ name: String, app: String, _ publisher: Publisher) async throws -> String? {
        let list = try await publisher.send("GET", "/v1/apps/\(app)/backgroundAssets").json["data"]?.arrayValue
        guard let list else { throw Unanswered() }
        return list.first { $0["attributes"]?["assetPackIdentifier"]?.stringValue == name }?["id"]?.stringValue
    }

    /// A new version with that archive, from beginning to end. Whatever fails before the end is left behind.
    private func upload(_ archive: [UInt8], to pack: String, _ publisher: Publisher) async throws -> String {
        guard
            let version = try await publisher.attempt(
                .backgroundAssetVersions, [:], ["backgroundAsset": (.backgroundAssets, pack)])["id"]?.stringValue
        else { throw Unanswered() }
        let file = try await publisher.attempt(
            .backgroundAssetUploadFiles,
            ["assetType": "ASSET", "fileName": "a.aar", "fileSize": .integer(Int64(archive.count))],
            ["backgroundAssetVersion": (.backgroundAssetVersions, version)])
        for operation in file["attributes"]?["uploadOperations"]?.arrayValue ?? [] {
            guard try await publisher.put(archive, operation).status == 200 else { throw Unanswered() }
        }
        var turn = first
        // From here on it must not be lost: an answer that did not come is asked for.
        return try await persistently(&turn) { other in
            let answer = try await other.commit(file["id"]?.stringValue ?? "")
            guard answer.status == 200 || answer.code == "STATE_ERROR.UPLOAD_FINISHED" else { throw Unanswered() }
            return version
        }
    }

    private func persistently<Result>(
        _ turn: inout Int, _ body: (Publisher) async throws -> Result
    ) async throws -> Result {
        for _ in 0..<200 {
            do {
                return try await body(Publisher(url: hosts.url(turn), signer: signer, authority: hosts.authority))
            } catch {
                turn += 1
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        throw Unanswered()
    }
}

extension Publisher {
    fileprivate struct Refused: Error {}

    /// As `create`, for those who expect that it fails.
    fileprivate func attempt(
        _ type: ResourceType, _ attributes: [String: JSONValue], _ links: [String: (ResourceType, String)]
    ) async throws -> JSONValue {
        let answer = try await send("POST", "/v1/\(type)", Self.document(type, attributes, links))
        guard answer.status == 201, let data = try answer.json["data"] else { throw Refused() }
        return data
    }
}

/// A webhook that remembers the events it was told.
private final class EventListener: Sendable {
    private let events: Locked<[String]>
    private let server: HTTPServer

    init() throws {
        let events = Locked<[String]>([])
        self.events = events
        server = try HTTPServer(HTTPServerConfiguration(host: "127.0.0.1")) { request in
            let id = try? JSONParser.parse(request.body).value["data"]?["id"]?.stringValue
            events.withLock { $0.append(id ?? "") }
            return .text(200, "heard")
        }
    }

    deinit { server.stop() }

    var url: String { "http://127.0.0.1:\(server.port)/hook" }
    var heard: [String] { events.withLock { $0 } }
}
