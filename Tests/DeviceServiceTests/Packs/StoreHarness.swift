// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Database
import HTTP
import Kit
import PackNamespace
import PackUpdates
import System
import TestSupport
import Testing

@testable import DeviceService

struct PlainClients: HTTPClientSource {
    let shared: HTTPClient

    /// - Parameter stallTimeout: long, so that a busy machine is not taken for a silent server.
    init(stallTimeout: Duration = .seconds(120), slowTimeout: Duration = .seconds(120)) {
        var configuration = HTTPClientConfiguration()
        configuration.allowsPlainLoopback = true
        configuration.stallTimeout = stallTimeout
        configuration.slowTimeout = slowTimeout
        configuration.connectTimeout = .seconds(30)
        shared = HTTPClient(configuration)
    }

    func client() -> HTTPClient { shared }
}

/// A store on a scratch folder, with one app and a server.
struct StoreHarness {
    static let app = "org.example.game"

    let scratch: Scratch
    let server: PackServer
    let database: SQLiteDatabase
    let store: PackStore
    var root: FilePath { scratch.path.appending("apps").appending(Self.app) }
    var layout: AppRootLayout { AppRootLayout(root: root) }

    /// Runs a test with a store that is closed afterwards.
    static func with(
        configuration: StoreConfiguration = .quick, clients: any HTTPClientSource = PlainClients(),
        renewal: @escaping PackStore.Renewal = { _, _ in nil }, _ body: (StoreHarness) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let server = try PackServer()
            let harness = try await StoreHarness(scratch, server, configuration, clients, renewal: renewal)
            try FileDescriptor.currentDirectory.makeDirectories(at: harness.root)
            do {
                try await harness.store.prepare(app: app)
                try await body(harness)
            } catch {
                await harness.end()
                throw error
            }
            await harness.end()
        }
    }

    init(
        _ scratch: Scratch, _ server: PackServer, _ configuration: StoreConfiguration = .quick,
        _ clients: any HTTPClientSource = PlainClients(), space: SpaceKeeper? = nil,
        renewal: @escaping PackStore.Renewal = { _, _ in nil }
    ) async throws {
        self.scratch = scratch
        self.server = server
        database = try await SQLiteDatabase(
            path: scratch.path.appending("larder.sqlite"),
            migrations: [
                Migration(
                    version: 1, statements: PackTables.create + PackTables.addArrivals + PackTables.addRepairs)
            ])
        store = PackStore(
            state: scratch.path, database: database, clients: clients, log: .silent, configuration: configuration,
            space: space, renewal: renewal)
    }

    private func end() async {
        await store.close()
        await database.close()
        _ = try? await onOwnThread { [server] in server.stop() }
    }

    /// The same state folder under another service, as after a restart.
    func restarted(_ configuration: StoreConfiguration = .quick) async throws -> StoreHarness {
        await store.close()
        await database.close()
        return try await StoreHarness(scratch, server, configuration)
    }

    /// Puts an archive on the server and makes the request for it.
    func offer(
        _ fixture: PackFixture, kind: FetchKind = .onDemand, foreground: Bool = true
    ) throws -> (request: PackRequest, archive: [UInt8]) {
        let archive = try fixture.archive()
        server.serve(archive, as: fixture.id)
        let pack = fixture.description(archive, url: server.url(fixture.id))
        return (PackRequest(app: Self.app, pack: pack, kind: kind, foreground: foreground), archive)
    }

    /// As `offer`, with an index beside the archive.
    func offerUpdate(_ fixture: PackFixture) throws -> (request: PackRequest, archive: [UInt8]) {
        var (request, archive) = try offer(fixture, kind: .update)
        let path = try scratch.write(archive, to: "made/\(fixture.id).aar")
        let index = try PackIndex.make(ofArchive: path, chunkAverage: 1 << 10).encoded()
        server.serve(index, as: "\(fixture.id).index")
        request.pack.larder?.index = .init(
            url: server.url("\(fixture.id).index"), size: Int64(index.count), sha256: SHA256.hash(index).hex,
            front: PackIndex.front(of: index))
        return (request, archive)
    }

    /// As `offerUpdate`, with a patch from another version beside the archive.
    /// - Returns: the patch, too.
    func offerPatch(
        _ fixture: PackFixture, from old: PackFixture, pieceSize: Int = 100_000
    ) throws -> (request: PackRequest, archive: [UInt8], patch: [UInt8]) {
        var (request, archive) = try offerUpdate(fixture)
        let scratch = FilePath("made-\(old.version)-\(fixture.version)")
        let versions = try [("old.aar", old), ("new.aar", fixture)].map { name, fixture in
            let path = try self.scratch.write(try fixture.archive(), to: scratch.appending(name).string)
            let index = try PackIndex.make(ofArchive: path, chunkAverage: 1 << 10).encoded()
            try self.scratch.write(index, to: scratch.appending("\(name).index").string)
            return try PatchVersion(archive: path)
        }
        let path = self.scratch(scratch.appending("patch").string)
        _ = try PatchMaker.make(from: versions[0], to: versions[1], at: path, pieceSize: pieceSize)
        let patch = try File.read(path)
        server.serve(patch, as: "\(fixture.id).patch")
        request.pack.larder?.patches = [
            .init(
                from: old.version, base: versions[0].index.archive.digest.hex,
                file: .init(
                    url: server.url("\(fixture.id).patch"), size: Int64(patch.count), sha256: SHA256.hash(patch).hex))
        ]
        return (request, archive, patch)
    }

    /// As `offerPatch`, with a list beside the patch.
    /// - Returns: the list, too.
    func offerList(
        _ fixture: PackFixture, from old: PackFixture
    ) throws -> (request: PackRequest, archive: [UInt8], patch: [UInt8], list: [UInt8]) {
        var (request, archive, patch) = try offerPatch(fixture, from: old)
        let folder = scratch("made-\(old.version)-\(fixture.version)")
        let versions = try ["old.aar", "new.aar"].map { try PatchVersion(archive: folder.appending($0)) }
        guard let list = try PackList.make(from: versions[0].index, to: versions[1], leastSaving: 0) else {
            throw Errno.notSupported
        }
        server.serve(list, as: "\(fixture.id).list")
        request.pack.larder?.patches[0].list = .init(
            url: server.url("\(fixture.id).list"), size: Int64(list.count), sha256: SHA256.hash(list).hex)
        return (request, archive, patch, list)
    }

    /// Requests packs and waits until each is finished or failed.
    @discardableResult
    func fetch(_ requests: PackRequest...) async throws -> [String: PackEvent.Change] {
        let events = store.events(ofApp: Self.app)
        try await store.request(requests)
        return await Self.outcomes(of: Set(requests.map(\.pack.id)), in: events)
    }

    /// Waits until each of the packs is finished or failed.
    static func outcomes(of packs: Set<String>, in events: AsyncStream<PackEvent>) async -> [String: PackEvent.Change] {
        var outcomes: [String: PackEvent.Change] = [:]
        for await event in events {
            switch event.change {
            case .finished, .failed: outcomes[event.pack.id] = event.change
            default: break
            }
            if outcomes.count == packs.count { break }
        }
        return outcomes
    }

    /// That nothing of a download is left but, of those that failed, why: no staging, no row, no transfer.
    func expectNothingLeft(
        butFailed failed: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try FileDescriptor.currentDirectory.entries(at: layout.staging) == [], sourceLocation: sourceLocation)
        let transfers = try await store.transfers(app: nil)
        #expect(transfers.map(\.pack) == failed, sourceLocation: sourceLocation)
        #expect(
            transfers.allSatisfy { $0.state == .failed && $0.lastError?.contains($0.pack) == true },
            sourceLocation: sourceLocation)
        let rows = try await database.read { try $0.transferRows().map { [$0.request.pack.id, $0.failed] } }
        #expect(rows == transfers.map { [$0.pack, $0.lastError] }, sourceLocation: sourceLocation)
    }
}

extension StoreConfiguration {
    /// Retries at once and gives up soon.
    static var quick: StoreConfiguration {
        var configuration = StoreConfiguration()
        let policy = RetryPolicy(first: .milliseconds(1), longest: .milliseconds(20), patience: .seconds(60))
        configuration.essentialRetries = policy
        configuration.foregroundRetries = policy
        configuration.backgroundRetries = policy
        configuration.decoderThreads = 1
        return configuration
    }
}

extension PackEvent.Change {
    var error: StoreError? { if case .failed(let error) = self { error } else { nil } }
    var local: LocalPack? { if case .finished(let pack) = self { pack } else { nil } }
}
