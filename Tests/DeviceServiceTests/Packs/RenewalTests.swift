// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import TestSupport
import Testing

@testable import DeviceService

/// Addresses of archives expire: a download goes on with the address of the newest manifest.
@Suite(.timeLimit(.minutes(2))) struct RenewalTests {
    private static let received: Int64 = 6_000_000

    /// A pack of several checkpoints, at an address that is refused after the first bytes came.
    private func offer(_ harness: StoreHarness) throws -> (PackFixture, PackRequest) {
        var random = SeededGenerator.forTest()
        var fixture = PackFixture("levels", files: ["big": random.bytes(8_000_000)])
        fixture.blockSize = 64 << 10
        let (request, archive) = try harness.offer(fixture)
        harness.server.serve(archive, as: "today")
        harness.server.fail(.cut(after: Self.received), .status(403))
        return (fixture, request)
    }

    private func at(_ name: String, _ request: PackRequest, _ harness: StoreHarness) -> DownloadManifestPack {
        var pack = request.pack
        pack.url = harness.server.url(name)
        return pack
    }

    @Test func aDownloadGoesOnAtTheNewAddress() async throws {
        let entry = Locked<DownloadManifestPack?>(nil)
        try await StoreHarness.with(renewal: { app, pack in
            #expect(app == StoreHarness.app && pack == "levels")
            return entry.withLock { $0 }
        }) { harness in
            let (fixture, request) = try offer(harness)
            entry.withLock { $0 = at("today", request, harness) }
            let outcome = try await harness.fetch(request)
            #expect(outcome["levels"]?.local != nil, "\(outcome)")
            #expect(try readableFiles(harness.root) == fixture.files)
            let requests = harness.server.requests
            #expect(requests.map(\.path) == ["/levels", "/levels", "/today"])
            let start = try #require(requests.last?.range.flatMap { Int64($0.dropFirst(6).dropLast()) })
            #expect(start > Self.received - (3 << 20), "not from the beginning")
            try await harness.expectNothingLeft()
        }
    }

    @Test func whoHasNoOtherAddressFails() async throws {
        for isOther in [false, true] {
            let entry = Locked<DownloadManifestPack?>(nil)
            try await StoreHarness.with(renewal: { _, _ in entry.withLock { $0 } }) { harness in
                let (_, request) = try offer(harness)
                // The same address, or another version.
                var fresh = at(isOther ? "today" : "levels", request, harness)
                if isOther { fresh.version += 1 }
                entry.withLock { [fresh] in $0 = fresh }
                #expect(try await harness.fetch(request)["levels"]?.error?.code == .server)
            }
        }
    }

    @Test func addressesThatAreAllRefusedAreGivenUp() async throws {
        let count = Locked(0)
        let entry = Locked<(@Sendable (Int) -> DownloadManifestPack)?>(nil)
        try await StoreHarness.with(renewal: { _, _ in
            let number = count.withLock { value in
                value += 1
                return value
            }
            return entry.withLock { $0 }?(number)
        }) { harness in
            let request = try harness.offer(PackFixture("levels", files: ["a": [1]])).request
            let server = harness.server
            server.spoil("levels", .status(403))
            entry.withLock {
                $0 = { number in
                    var pack = request.pack
                    pack.url = server.url("levels?\(number)")
                    return pack
                }
            }
            #expect(try await harness.fetch(request)["levels"]?.error?.code == .server)
            #expect(count.withLock { $0 } == 3)
        }
    }

    @Test func anotherAddressInANewerManifestLosesNothing() async throws {
        try await StoreHarness.with { harness in
            let (fixture, request) = try offer(harness)
            harness.server.fail(.stall(after: Self.received))
            let events = harness.store.events(ofApp: nil)
            try await harness.store.request([request])
            for await event in events {
                if case .progress(let progress) = event.change, progress.downloaded == Self.received { break }
            }
            var again = request
            again.pack = at("today", request, harness)
            try await harness.store.request([again])
            try await harness.store.pause(app: StoreHarness.app, pack: "levels")
            let after = harness.store.events(ofApp: nil)
            try await harness.store.resume(app: StoreHarness.app, pack: "levels")
            #expect(await StoreHarness.outcomes(of: ["levels"], in: after)["levels"]?.local != nil)
            let requests = harness.server.requests
            #expect(requests.map(\.path) == ["/levels", "/today"])
            #expect(requests.last?.range != nil, "not from the beginning")
            #expect(try readableFiles(harness.root) == fixture.files)
        }
    }
}
