// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import DeviceProtocol
import System
import TestSupport
import Testing

/// The manifest and the status of packs (B1, B3).
@Suite(.timeLimit(.minutes(5))) struct StatusTests {
    private func withApp(_ body: (FakeService, AssetPackManager) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let app = try InstalledApp(scratch)
            try app.publish(["Tutorial": ["a": "1"]])
            let service = FakeService()
            service.on(ManifestRequest.self) { _ in
                .init(packs: [described("Tutorial", version: 2), described("Islands", size: 5_000_000_000)])
            }
            try await body(service, app.manager(service))
        }
    }

    @Test func manifest() async throws {
        try await withApp { _, manager in
            let manifest = try await manager.manifest
            #expect(manifest.assetPacks.map(\.id).sorted() == ["Islands", "Tutorial"])
            let pack = try #require(manifest.assetPack(withID: "Islands"))
            #expect(pack.downloadSize == 5_000_000_000)
            #expect(pack.userInfo == Data("{\"level\":3}".utf8))
            #expect(manifest.assetPack(withID: "None") == nil)
        }
    }

    @Test func statusBitsAreApples() {
        let bits: [AssetPack.Status] = [
            .downloadAvailable, .updateAvailable, .upToDate, .outOfDate, .obsolete, .downloading, .downloaded,
        ]
        #expect(bits.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 64])
        #expect(AssetPack.Status([.upToDate, .downloaded]).description == "[upToDate, downloaded]")
    }

    @Test func statusRelativeToAPackNamesItsVersion() async throws {
        try await withApp { service, manager in
            service.on(PackStatusRequest.self) { request in
                #expect(request.relativeToVersion == 7 && request.mayContactServer)
                return .init(status: [.outOfDate, .downloaded])
            }
            let status = try await manager.status(relativeTo: AssetPack(described("Tutorial", version: 7)))
            #expect(status == [.outOfDate, .downloaded])
        }
    }

    @Test func localStatusTellsOnlyWhatIsLocal() async throws {
        try await withApp { service, manager in
            service.on(PackStatusRequest.self) { request in
                #expect(!request.mayContactServer)
                return .init(status: [.updateAvailable, .outOfDate, .downloading, .downloaded])
            }
            #expect(await manager.localStatus(ofAssetPackWithID: "Tutorial") == [.outOfDate, .downloaded])
            #expect(await manager.localStatus(ofAssetPackWithID: "Islands") == [])
            #expect(service.methods == [PackStatusRequest.method], "nobody is asked about a pack that is not local")
        }
    }

    @Test func localVersionAndSizeNeedNoService() async throws {
        try await withApp { service, manager in
            #expect(try manager.localVersion(ofAssetPackWithID: "Tutorial") == 1)
            let logical = try await manager.localSize(ofAssetPackWithID: "Tutorial", calculationMethod: .logical)
            let allocated = try await manager.localSize(ofAssetPackWithID: "Tutorial", calculationMethod: .allocated)
            #expect(logical == 2345 && allocated == 4096)
            expect(throws: assetPackNotFound("Islands")) { try manager.localVersion(ofAssetPackWithID: "Islands") }
            await expect(throws: assetPackNotFound("Islands")) {
                try await manager.localSize(ofAssetPackWithID: "Islands", calculationMethod: .logical)
            }
            #expect(service.connectionCount == 0)
        }
    }

    @Test func unknownPackIsNotFound() async throws {
        try await withApp { service, manager in
            service.on(PackStatusRequest.self) { _ in throw DeviceError(.packNotFound, "no such pack") }
            await expect(throws: assetPackNotFound("Gone")) {
                try await manager.status(relativeTo: AssetPack(described("Gone")))
            }
        }
    }

    @Test func checkForUpdatesTellsWhatItSetOff() async throws {
        try await withApp { service, manager in
            service.on(CheckForUpdatesRequest.self) { _ in .init(updating: ["Tutorial"], removed: ["Old"]) }
            let (updatingIDs, removedIDs) = try await manager.checkForUpdates()
            #expect(updatingIDs == ["Tutorial"] && removedIDs == ["Old"])
        }
    }
}
