// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import HostingModel
import HostingService
import Kit
import System
import TestSupport
import Testing

/// What devices are answered with from memory is what they would be answered with without.
@Suite(.timeLimit(.minutes(5))) struct DeviceCacheTests {
    /// One device, which keeps its token: the second time it asks the answer is at hand.
    private struct Device {
        let fixture: HostFixture
        let token: String

        init(_ fixture: HostFixture) async throws {
            self.fixture = fixture
            token = try await fixture.channelToken(.internalBeta)
        }

        func send(_ method: String = "GET", _ path: String, _ headers: [String: String] = [:]) async throws
            -> Publisher.Answer
        {
            try await fixture.publisher.send(method, path, headers: headers, token: .some(token))
        }

        func manifest(_ headers: [String: String] = [:], method: String = "GET", query: String = "?platform=Linux")
            async throws -> Publisher.Answer
        {
            try await send(method, "/devices/\(HostFixture.bundleID)/internalBeta/manifest\(query)", headers)
        }

        /// Identifiers and versions in the manifest, asked for twice.
        func packs(query: String = "?platform=Linux") async throws -> [String] {
            let first = try await manifest(query: query)
            let second = try await manifest(query: query)
            #expect(first.body == second.body)
            #expect(first.headers["etag"] == second.headers["etag"])
            #expect(first.headers["x-request-id"] != second.headers["x-request-id"])
            return (try second.json["assetPacks"]?.arrayValue ?? []).map { pack in
                "\(pack["id"]?.stringValue ?? "") \(pack["version"]?.integerValue ?? 0)"
            }
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func whatChangesShowsInTheNextManifest(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let publisher = fixture.publisher
            let device = try await Device(fixture)
            #expect(try await device.packs() == [])
            let pack = try await publisher.pack("Coast", app: fixture.appID)
            _ = try await publisher.publish(fixture.archive(content: [1]), to: pack)
            #expect(try await device.packs() == ["Coast 1"])
            _ = try await publisher.publish(fixture.archive(content: [2]), to: pack)
            #expect(try await device.packs() == ["Coast 2"])
            // What is in review is not there yet; what was archived is not any more.
            _ = try await publisher.version(of: pack)
            #expect(try await device.packs() == ["Coast 2"])
            let document = Publisher.document(.backgroundAssets, id: pack, ["archived": true])
            #expect(try await publisher.send("PATCH", "/v1/backgroundAssets/\(pack)", document).status == 200)
            #expect(try await device.packs() == [])
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func eachPlatformHasItsOwn(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let publisher = fixture.publisher
            let device = try await Device(fixture)
            let pack = try await publisher.pack("Coast", app: fixture.appID)
            _ = try await publisher.publish(fixture.archive(content: [1], platforms: #"["iOS"]"#), to: pack)
            for _ in 1...2 {
                #expect(try await device.packs(query: "?platform=Linux") == [])
                #expect(try await device.packs(query: "?platform=iOS&arch=arm64") == ["Coast 1"])
                #expect(try await device.packs(query: "") == ["Coast 1"])
            }
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aTokenIsGoodForWhatItIsGoodForAndNoLonger(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let device = try await Device(fixture)
            #expect(try await device.manifest().status == 200)
            #expect(try await device.manifest().status == 200)
            // What one device was told nobody else is told without a token.
            let path = "/devices/\(HostFixture.bundleID)/internalBeta/manifest?platform=Linux"
            #expect(try await fixture.publisher.send("GET", path, token: .some(nil)).status == 401)
            #expect(try await fixture.publisher.send("GET", path, token: .some(device.token + "x")).status == 401)
            let administration = try await HostAdministration(fixture.configuration)
            for token in try await administration.channelTokens() {
                try await administration.revokeChannelToken(token.id)
            }
            await administration.close()
            // At once where every commit is known at once; else as late as another's commit may be told.
            if database == .postgres { try await Task.sleep(for: PostgresChanges.delay) }
            #expect(try await device.manifest().status == 401)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func conditionalRequestsAndHeads(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let publisher = fixture.publisher
            let device = try await Device(fixture)
            let pack = try await publisher.pack("Coast", app: fixture.appID)
            _ = try await publisher.publish(fixture.archive(content: [1]), to: pack)
            let etag = try #require(try await device.manifest().headers["etag"])
            for known in [etag, "\"other\", W/\(etag)", "*"] {
                let answer = try await device.manifest(["If-None-Match": known])
                #expect(answer.status == 304)
                #expect(answer.body.isEmpty)
                #expect(answer.headers["etag"] == etag)
                #expect(answer.headers["cache-control"] == "no-cache")
                #expect(answer.headers["content-type"] == nil)
            }
            let head = try await device.manifest(method: "HEAD")
            let whole = try await device.manifest()
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.headers["content-length"] == "\(whole.body.count)")
            _ = try await publisher.publish(fixture.archive(content: [2]), to: pack)
            #expect(try await device.manifest(["If-None-Match": etag]).status == 200)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func stretchesOfAnArchiveAreTheSameTheSecondTime(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let publisher = fixture.publisher
            let device = try await Device(fixture)
            let bytes = try fixture.archive(content: (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
            _ = try await publisher.publish(bytes, to: publisher.pack("Coast", app: fixture.appID))
            let url = try #require(
                try await device.manifest().json["assetPacks"]?.arrayValue?.first?["url"]?.stringValue)
            let path = String(url.dropFirst(publisher.url.count))
            let last = bytes.count - 1
            let wishes: [(headers: [String: String], status: Int, body: [UInt8])] = [
                ([:], 200, bytes), (["Range": "bytes=10-19"], 206, Array(bytes[10...19])),
                (["Range": "bytes=-5"], 206, Array(bytes.suffix(5))),
                (["Range": "bytes=\(last)-"], 206, [bytes[last]]), (["Range": "bytes=\(last + 1)-"], 416, []),
                (["Range": "lines=1-2"], 200, bytes), (["Range": "bytes=2-1"], 200, bytes),
                (["Range": "bytes=10-19", "If-Range": "\"none\""], 200, bytes), (["If-None-Match": "*"], 304, []),
                (["If-Match": "\"none\""], 412, []),
            ]
            for round in 1...2 {
                for wish in wishes {
                    let answer = try await device.send("GET", path, wish.headers)
                    #expect(answer.status == wish.status, "\(wish.headers), \(round)")
                    #expect(answer.body == wish.body, "\(wish.headers), \(round)")
                    #expect(answer.headers["cache-control"] == "public, max-age=31536000, immutable")
                    #expect(answer.headers["x-request-id"] != nil)
                }
                let head = try await device.send("HEAD", path)
                #expect(head.status == 200 && head.body.isEmpty)
                #expect(head.headers["content-length"] == "\(bytes.count)")
                #expect(try await device.send("POST", path).status == 405)
            }
            // Of one that was cut nothing is promised that is not there, open or not.
            let digest = path.dropFirst("/archives/".count)
            let file = fixture.scratch("data/archives/\(digest.prefix(2))/\(digest)")
            _ = try OwnedDescriptor(file, .writeOnly, options: [.truncate])
            #expect(try await device.send("HEAD", path).headers["content-length"] == "0")
            // One that was deleted is not there.
            try FileDescriptor.currentDirectory.remove(at: file)
            #expect(try await device.send("GET", path).status == 404)
        }
    }
}
