// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import Kit
import System
import TestSupport

@testable import DeviceService

/// A whole service on a scratch folder, in this process, with a server of packs that stands in for every app's own.
final class ServiceHarness: Sendable {
    static let app = "org.example.game"

    let scratch: Scratch
    let server: PackServer
    let paths: LarderPaths
    private let running = Locked<DeviceService?>(nil)

    /// What the server offers.
    struct Offer: Sendable {
        var fixture: PackFixture
        var policy: DownloadPolicy
        var language: String?

        static let everyEvent: Set<InstallationEventType> = [.firstInstallation, .subsequentUpdate]

        static func essential(_ id: String, version: Int = 1, bytes: Int = 60_000) -> Offer {
            make(id, .essential(everyEvent), version, bytes)
        }
        static func prefetch(_ id: String, version: Int = 1, bytes: Int = 60_000) -> Offer {
            make(id, .prefetch(everyEvent), version, bytes)
        }
        static func onDemand(_ id: String, version: Int = 1, bytes: Int = 60_000) -> Offer {
            make(id, .onDemand, version, bytes)
        }

        /// For this event only.
        func only(_ event: InstallationEventType) -> Offer {
            var offer = self
            switch policy {
            case .essential: offer.policy = .essential([event])
            case .prefetch: offer.policy = .prefetch([event])
            case .onDemand: break
            }
            return offer
        }

        func localized(_ language: String) -> Offer {
            var offer = self
            offer.language = language
            return offer
        }

        private static func make(_ id: String, _ policy: DownloadPolicy, _ version: Int, _ bytes: Int) -> Offer {
            var random = SeededGenerator(seed: UInt64(truncatingIfNeeded: bytes &+ version &* 31))
            return Offer(
                fixture: PackFixture(
                    id, version: version, files: ["\(id)/file": random.bytes(bytes, redundancy: false)]),
                policy: policy)
        }
    }

    static func with(
        _ offers: [Offer] = [.essential("E"), .prefetch("P"), .onDemand("D")],
        _ body: (ServiceHarness) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let harness = ServiceHarness(scratch, try PackServer())
            do {
                try await harness.start()
                let connection = try await harness.connect()
                _ = try await connection.send(URLOverrideSetRequest(url: harness.server.origin))
                try harness.offer(offers)
                try await body(harness)
            } catch {
                await harness.end()
                throw error
            }
            await harness.end()
        }
    }

    private init(_ scratch: Scratch, _ server: PackServer) {
        self.scratch = scratch
        self.server = server
        paths = LarderPaths(state: scratch("s"), runtime: scratch("r"), configuration: scratch("c"))
    }

    func start(_ change: (inout ServiceConfiguration) -> Void = { _ in }) async throws {
        var configuration = ServiceConfiguration(paths: paths, version: "test", log: .silent)
        // A busy machine is not to be taken for a silent server.
        configuration.stallTimeout = .seconds(120)
        configuration.slowTimeout = .seconds(120)
        // Nor is the machine's battery to decide what a test sees.
        configuration.conditionsRoot = scratch("machine")
        change(&configuration)
        let service = try await DeviceService.start(configuration)
        running.withLock { $0 = service }
    }

    var service: DeviceService? { running.withLock { $0 } }

    func stop() async {
        let service = running.withLock { state in
            defer { state = nil }
            return state
        }
        await service?.stop()
    }

    private func end() async {
        await stop()
        _ = try? await onOwnThread { [server] in server.stop() }
    }

    func connect() async throws -> DeviceConnection {
        try await DeviceConnection.connect(paths: paths, client: "test", startIfNeeded: false)
    }

    /// Publishes these packs and no others.
    func offer(_ offers: [Offer]) throws {
        let packs = try offers.map { offer -> DownloadManifestPack in
            let archive = try offer.fixture.archive()
            let name = "\(offer.fixture.id)-\(offer.fixture.version)"
            server.serve(archive, as: name)
            var pack = offer.fixture.description(archive, url: server.url(name))
            pack.downloadPolicy = offer.policy
            pack.language = offer.language
            return pack
        }
        server.serve(DownloadManifest(assetPacks: packs).serialized, as: "manifest")
    }

    /// Writes an app's bundle, as a new build of it if it is there.
    func bundle(version: String = "1.0", _ change: (inout AppFixture) -> Void = { _ in }) throws -> String {
        var fixture = AppFixture()
        fixture.identifier = Self.app
        fixture.version = version
        fixture.keys = AppFixture.managedKeys(manifestURL: "https://localhost/manifest")
        change(&fixture)
        return try fixture.write(in: try scratch.makeDirectory("build-\(version)")).string
    }

    /// Installs to the end and returns all events.
    @discardableResult
    func install(_ path: String, until goal: InstallGoal = .complete) async throws -> [InstallEvent] {
        let connection = try await connect()
        var events: [InstallEvent] = []
        for try await event in connection.stream(InstallRequest(path: path, until: goal)) { events.append(event) }
        return events
    }

    func packs() async throws -> [String: PackListing] {
        let reply = try await connect().send(PacksRequest(app: Self.app))
        return Dictionary(reply.packs.map { ($0.id, $0) }) { $1 }
    }

    /// Whether nothing of the app is left, on the disk and in any list.
    func isGone() async throws -> Bool {
        let apps = try await connect().send(AppsRequest()).apps
        return apps.isEmpty && !FileDescriptor.currentDirectory.exists(at: paths.appRoot(Self.app))
    }
}

extension DeviceConnection {
    @discardableResult
    func setLanguages(_ tags: [String]?) async throws -> LanguagesGetRequest.Reply {
        _ = try await send(SettingsSetRequest(name: "languages", app: nil, value: tags?.joined(separator: " ")))
        return try await send(LanguagesGetRequest())
    }
}

extension PackServer {
    var origin: String { String(url("").dropLast()) }
}
