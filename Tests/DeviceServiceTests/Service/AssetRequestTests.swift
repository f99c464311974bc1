// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import TestSupport
import Testing

@testable import DeviceService

/// What apps ask about their packs (BA 1.11).
@Suite(.timeLimit(.minutes(5))) struct AssetRequestTests {
    private static let app = ServiceHarness.app

    @Test func packsComeOnRequestGoAndComeAgain() async throws {
        try await ServiceHarness.with { harness in
            try await harness.install(try harness.bundle())
            let connection = try await harness.connect()
            for _ in 0..<2 {
                let reply = try await connection.send(
                    EnsureLocalAvailabilityRequest(app: Self.app, packs: ["D", "E", "None"]))
                #expect(Set(reply.successes.map(\.id)) == ["D", "E"])
                #expect(reply.failures.map(\.error.code) == [.packNotFound])
                let listing = try #require(try await harness.packs()["D"])
                #expect(listing.size == 60_000)
                #expect(listing.allocatedSize >= listing.size)
                _ = try await connection.send(RemovePackRequest(app: Self.app, pack: "D"))
                let status = try await connection.send(
                    PackStatusRequest(app: Self.app, pack: "D", mayContactServer: true))
                #expect(status.status == .downloadAvailable)
            }
            let error = await #expect(throws: DeviceError.self) {
                try await connection.send(RemovePackRequest(app: Self.app, pack: "D"))
            }
            #expect(error?.code == .packNotFound)
        }
    }

    @Test func updatesFollowTheServerAlsoBackwards() async throws {
        try await ServiceHarness.with([.prefetch("P", version: 4), .prefetch("Q")]) { harness in
            try await harness.install(try harness.bundle())
            let connection = try await harness.connect()
            let none = try await connection.send(CheckForUpdatesRequest(app: Self.app))
            #expect(none.updating == [] && none.removed == [])
            try harness.offer([.prefetch("P", version: 2)])
            let before = try await connection.send(
                PackStatusRequest(app: Self.app, pack: "P", mayContactServer: true))
            #expect(before.status == [.downloaded, .outOfDate, .updateAvailable])
            let updates = connection.stream(StatusUpdatesRequest(app: Self.app))
            let reply = try await connection.send(CheckForUpdatesRequest(app: Self.app))
            #expect(reply.updating == ["P"])
            #expect(reply.removed == ["Q"])
            for try await event in updates where event.change == .finished { break }
            #expect(try await harness.packs()["P"]?.localVersion == 2)
            #expect(try await harness.packs()["Q"] == nil)
        }
    }

    @Test func requiringTheLatestWaitsForTheUpdate() async throws {
        try await ServiceHarness.with([.prefetch("P")]) { harness in
            try await harness.install(try harness.bundle())
            try harness.offer([.prefetch("P", version: 2)])
            let connection = try await harness.connect()
            let lax = EnsureLocalAvailabilityRequest(app: Self.app, packs: ["P"])
            #expect(try await connection.send(lax).successes.count == 1)
            #expect(try await harness.packs()["P"]?.localVersion == 1)
            let strict = EnsureLocalAvailabilityRequest(app: Self.app, packs: ["P"], requireLatestVersions: true)
            #expect(try await connection.send(strict).successes.map(\.version) == [2])
            #expect(try await harness.packs()["P"]?.localVersion == 2)
        }
    }

    @Test func withoutAServerWhatIsLocalStaysUsable() async throws {
        try await ServiceHarness.with { harness in
            try await harness.install(try harness.bundle())
            harness.server.fail(.status(404), .status(404), .status(404))
            let connection = try await harness.connect()
            let reply = try await connection.send(EnsureLocalAvailabilityRequest(app: Self.app, packs: ["E"]))
            #expect(reply.successes.map(\.id) == ["E"])
            let manifest = try await connection.send(ManifestRequest(app: Self.app, refresh: true))
            #expect(manifest.isStale)
            #expect(manifest.packs.map(\.id) == ["E", "P", "D"])
            let error = await #expect(throws: DeviceError.self) {
                try await connection.send(CheckForUpdatesRequest(app: Self.app))
            }
            #expect(error?.code == .manifestUnavailable)
        }
    }

    @Test func aLocalPackTellsItsStatusUpdatesAtOnce() async throws {
        try await ServiceHarness.with { harness in
            try await harness.install(try harness.bundle())
            let connection = try await harness.connect()
            var changes: [DownloadEvent.Change] = []
            for try await event in connection.stream(StatusUpdatesRequest(app: Self.app, pack: "E")) {
                changes.append(event.change)
            }
            #expect(changes == [.began, .finished])
        }
    }

    @Test func aFailedDownloadNamesPackAndCause() async throws {
        try await ServiceHarness.with { harness in
            try await harness.install(try harness.bundle())
            harness.server.fail(.none, .wrongByte(30_000))
            let reply = try await harness.connect().send(
                EnsureLocalAvailabilityRequest(app: Self.app, packs: ["D"]))
            #expect(reply.failures.map(\.id) == ["D"])
            #expect(reply.failures.first?.error.message.contains("D") == true)
            #expect(try await harness.packs()["D"]?.localVersion == nil)
        }
    }

    @Test func requestsForUnknownAppsSaySo() async throws {
        try await ServiceHarness.with { harness in
            let connection = try await harness.connect()
            let error = await #expect(throws: DeviceError.self) {
                try await connection.send(ManifestRequest(app: "org.example.none", refresh: false))
            }
            #expect(error?.code == .appNotFound)
            await #expect(throws: DeviceError.self) {
                try await connection.send(PacksRequest(app: "../../etc"))
            }
        }
    }
}
