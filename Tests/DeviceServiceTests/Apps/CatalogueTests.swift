// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import Database
import HTTP
import Kit
import TestSupport
import Testing

@testable import DeviceService

/// Manifests that several wait for.
@Suite(.timeLimit(.minutes(5))) struct CatalogueTests {
    private struct Clients: HTTPClientSource {
        func client() -> HTTPClient {
            var configuration = HTTPClientConfiguration()
            configuration.allowsPlainLoopback = true
            return HTTPClient(configuration)
        }
    }

    private func with(_ body: (Catalogue, PackServer) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let database = try await SQLiteDatabase(path: scratch("larder.sqlite"), migrations: Schema.migrations)
            let server = try PackServer()
            let settings = SettingsStore(database: database)
            try await settings.setURLOverride(server.url("").dropLast().description)
            let registry = AppRegistry(database: database)
            try await registry.save(
                AppRecord(
                    id: "app", displayName: "App", version: "1", bundle: 1, folder: "App.app", executable: "App",
                    wasLaunched: false, baseSize: 0, baseAllocatedSize: 0))
            let log = Logger(label: "test", level: .error, sink: MemoryLogSink())
            do {
                try await body(
                    Catalogue(registry: registry, settings: settings, clients: Clients(), log: log), server)
            } catch {
                server.stop()
                await database.close()
                throw error
            }
            server.stop()
            await database.close()
        }
    }

    private func fetch(_ catalogue: Catalogue) -> Task<Int, any Error> {
        Task { try await catalogue.fetch("app", keys: BackgroundAssetsKeys()).manifest.assetPacks.count }
    }

    @Test func whoIsCancelledDoesNotWaitForASilentServer() async throws {
        try await with { catalogue, server in
            server.serve(Array(#"{"assetPacks": []}"#.utf8), as: "manifest")
            server.spoil("manifest", .stall(after: 0))
            let task = fetch(catalogue)
            try await server.waitForRequests(1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // Whoever comes next begins anew.
            server.spoil("manifest", nil)
            #expect(try await fetch(catalogue).value == 0)
        }
    }

    @Test func whoStaysGetsWhatAnotherHadBegun() async throws {
        try await with { catalogue, server in
            let release = Monitor(false)
            server.serve(Array(#"{"assetPacks": []}"#.utf8), as: "manifest")
            server.onRequest { _ in _ = release.wait { $0 ? true : nil } }
            let (first, second) = (fetch(catalogue), fetch(catalogue))
            try await eventually { await catalogue.waiterCount == 2 ? () : nil }
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            release.withLock { $0 = true }
            #expect(try await second.value == 0)
            #expect(server.requests.count == 1)
        }
    }
}
