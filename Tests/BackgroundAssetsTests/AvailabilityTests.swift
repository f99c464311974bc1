// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

/// Making packs local and removing them (B3).
@Suite(.timeLimit(.minutes(5))) struct AvailabilityTests {
    private func withApp(_ body: (InstalledApp, FakeService, AssetPackManager) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let app = try InstalledApp(scratch)
            try app.publish(["Tutorial": ["a": "1"]])
            let service = FakeService()
            service.on(EnsureLocalAvailabilityRequest.self) { request in
                .init(successes: request.packs.map { described($0) }, failures: [])
            }
            try await body(app, service, app.manager(service))
        }
    }

    @Test func localPackNeedsNoService() async throws {
        try await withApp { _, service, manager in
            try await manager.ensureLocalAvailability(of: AssetPack(described("Tutorial")))
            try await manager.ensureLocalAvailability(of: [AssetPack(described("Tutorial"))])
            try await manager.ensureLocalAvailability(of: [])
            #expect(service.connectionCount == 0)
            #expect(manager.assetPackIsAvailableLocally(withID: "Tutorial"))
            #expect(!manager.assetPackIsAvailableLocally(withID: "Islands"))
        }
    }

    @Test func latestVersionIsAskedForAlsoWhenLocal() async throws {
        try await withApp { app, service, manager in
            let asked = Locked<[EnsureLocalAvailabilityRequest]>([])
            service.on(EnsureLocalAvailabilityRequest.self) { request in
                asked.withLock { $0.append(request) }
                return .init(successes: [described("Tutorial", version: 2)], failures: [])
            }
            let pack = AssetPack(described("Tutorial"))
            try await manager.ensureLocalAvailability(of: pack, requireLatestVersion: true)
            try await manager.ensureLocalAvailability(of: [pack], requireLatestVersions: true)
            try await manager.ensureLocalAvailability(of: AssetPack(described("Islands")))
            let requests = asked.withLock { $0 }
            #expect(requests.map(\.packs) == [["Tutorial"], ["Tutorial"], ["Islands"]])
            #expect(requests.map(\.requireLatestVersions) == [true, true, false])
            #expect(requests.allSatisfy { $0.app == app.identity.bundleID })
        }
    }

    @Test func failureOfOnePackIsItsOwnError() async throws {
        try await withApp { _, service, manager in
            let failures: [(DeviceError, (any Error) -> Bool)] = [
                (DeviceError(.cancelled, "cancelled"), { ($0 as? URLError)?.code == .cancelled }),
                (
                    DeviceError(.init(rawValue: "store.cancelled"), "cancelled"),
                    { ($0 as? URLError)?.code == .cancelled }
                ),
                (DeviceError(.packNotFound, "none"), { "\($0)" == assetPackNotFound("Islands").text }),
                (
                    DeviceError(.noSpace, "12 MB are missing"),
                    {
                        ($0 as? BackgroundAssetsError)?.code.rawValue == "store.noSpace"
                            && "\($0)" == "12 MB are missing"
                    }
                ),
            ]
            for (reason, fits) in failures {
                service.on(EnsureLocalAvailabilityRequest.self) { request in
                    .init(successes: [], failures: [.init(id: request.packs[0], pack: nil, error: reason)])
                }
                let error = await #expect(throws: (any Error).self) {
                    try await manager.ensureLocalAvailability(of: AssetPack(described("Islands")))
                }
                #expect(error.map(fits) == true, "\(reason.code) came as \(String(describing: error))")
            }
        }
    }

    @Test func batchNamesWhatCameAndWhatDidNot() async throws {
        try await withApp { _, service, manager in
            service.on(EnsureLocalAvailabilityRequest.self) { request in
                #expect(request.packs == ["Islands", "Voyage"], "a local pack need not be asked for")
                return .init(
                    successes: [described("Voyage")],
                    failures: [.init(id: "Islands", pack: nil, error: DeviceError(.cancelled, "cancelled"))])
            }
            let packs = Set(["Tutorial", "Islands", "Voyage"].map { AssetPack(described($0)) })
            let error = await #expect(throws: LocalAvailabilityError.self) {
                try await manager.ensureLocalAvailability(of: packs)
            }
            #expect(Set(error?.successes.map(\.id) ?? []) == ["Tutorial", "Voyage"])
            #expect(error?.failures.keys.map(\.id) == ["Islands"])
            #expect((error?.failures.values.first as? URLError)?.code == .cancelled)
            #expect(error?.localizedDescription.contains("Islands") == true)
        }
    }

    @Test func waitingGoesOnWhenTheServiceIsKilled() async throws {
        try await withApp { _, service, manager in
            let attempts = Locked(0)
            service.on(EnsureLocalAvailabilityRequest.self) { request in
                let attempt = attempts.withLock { count in
                    count += 1
                    return count
                }
                if attempt < 3 { service.die() }
                return .init(successes: [described("Islands")], failures: [])
            }
            try await manager.ensureLocalAvailability(of: AssetPack(described("Islands")))
            #expect(attempts.withLock { $0 } == 3)
        }
    }

    @Test func cancelledTaskStopsWaiting() async throws {
        try await withApp { _, service, manager in
            service.stayMute(EnsureLocalAvailabilityRequest.self)
            let waiting = Task { try await manager.ensureLocalAvailability(of: AssetPack(described("Islands"))) }
            try await service.asked(EnsureLocalAvailabilityRequest.method)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    @Test func noServiceIsAnErrorAndReadsGoOn() async throws {
        try await Scratch.with { scratch in
            let app = try InstalledApp(scratch)
            try app.publish(["Tutorial": ["a": "1"]])
            let manager = app.manager()
            let error = await #expect(throws: BackgroundAssetsError.self) { try await manager.manifest }
            #expect(error?.code == .serviceUnavailable)
            #expect(try manager.contents(at: "a") == Data("1".utf8))
            #expect(await manager.localStatus(ofAssetPackWithID: "Tutorial") == .downloaded)
        }
    }

    @Test func remove() async throws {
        try await withApp { app, service, manager in
            service.on(RemovePackRequest.self) { request in
                guard request.pack == "Tutorial" else { throw DeviceError(.packNotFound, "no such pack") }
                try app.publish([:])
                return EmptyReply()
            }
            #expect(try manager.contents(at: "a") == Data("1".utf8))
            try await manager.remove(assetPackWithID: "Tutorial")
            expect(throws: fileNotFound("a")) { try manager.contents(at: "a") }
            await expect(throws: assetPackNotFound("Other")) { try await manager.remove(assetPackWithID: "Other") }
        }
    }
}
