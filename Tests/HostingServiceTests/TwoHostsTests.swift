// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import HTTP
import HostingModel
import Kit
import TestSupport
import Testing

@testable import HostingService

/// What holds at one host holds at the other, when both are on one database and one storage.
@Suite(.timeLimit(.minutes(5))) struct TwoHostsTests {
    struct Place: Sendable, CustomTestStringConvertible {
        let database: TestDatabase
        let storage: TestStorage
        var testDescription: String { "\(database), \(storage)" }

        static let all = TestDatabase.allCases.flatMap { database in
            TestStorage.allCases.map { Place(database: database, storage: $0) }
        }
    }

    private static let lifetime: Int64 = 1000

    /// Runs `body` with a host, another one beside it, and the clock that both look at.
    private func withTwoHosts(
        _ place: Place, archiveLifetime: Int64? = nil,
        _ body: (HostFixture, _ other: String, Locked<Timestamp>) async throws -> Void
    ) async throws {
        let now = Locked(Timestamp(seconds: (Timestamp.now.seconds / 500 + 1) * 500))
        try await HostFixture.with(
            on: place.database, in: place.storage,
            {
                $0.archiveLifetime = archiveLifetime
                $0.clock = { now.withLock { $0 } }
            }
        ) { fixture in
            let other = try await Host(fixture.configuration)
            do {
                try await body(fixture, other.url, now)
            } catch {
                await other.stop()
                throw error
            }
            await other.stop()
        }
    }

    private func address(_ pack: StagedPack, at url: String) async throws -> String {
        let answer = try await RawExchange.send(
            "GET", "/devices/\(HostFixture.bundleID)/internalBeta/manifest?platform=Linux", to: url,
            headers: ["Authorization": "Bearer \(pack.token)"])
        let entry = try answer.json["assetPacks"]?.arrayValue?.first
        let address = try #require(entry?["url"]?.stringValue)
        return String(address.dropFirst(url.count))
    }

    /// What a device gets at a path of a host, wherever that leads.
    private func fetch(_ path: String, at url: String, _ fixture: HostFixture) async throws -> Publisher.Answer {
        var somebody = fixture.publisher
        somebody = Publisher(url: url, signer: somebody.signer, authority: somebody.authority)
        return try await somebody.fetch(url + path)
    }

    @Test(arguments: Place.all)
    func aSignedAddressOfOneIsGoodAtTheOther(place: Place) async throws {
        try await withTwoHosts(place, archiveLifetime: Self.lifetime) { fixture, other, now in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let hosts = [fixture.host.url, other]
            let paths = [try await address(pack, at: hosts[0]), try await address(pack, at: hosts[1])]
            #expect(paths[0] == paths[1], "both sign with one key")
            for host in hosts {
                let answer = try await fetch(paths[0], at: host, fixture)
                #expect(answer.status == 200 && !answer.body.isEmpty)
                let unsigned = String(paths[0].prefix { $0 != "?" })
                #expect(try await fetch(unsigned, at: host, fixture).status == 403)
            }

            // A new key, made by somebody else: one host has signed with it before the other has heard of it.
            let administration = try await HostAdministration(fixture.configuration)
            _ = try await administration.rotateArchiveKeys(keepsFormer: true)
            now.withLock { $0.seconds += 2 }
            let store = try await fixture.configuration.openDatabase()
            let keys = try #require(try await store.read { try $0.archiveKeys() })
            await store.close()
            let digest = String(paths[0].dropFirst("/archives/".count).prefix { $0 != "?" })
            let newest = ArchiveSigner(
                base: "", key: keys.current, now: now.withLock { $0.seconds }, lifetime: Self.lifetime, goodUntil: 0
            ).url(of: digest)
            #expect(newest != paths[0])
            for host in hosts {
                #expect(try await fetch(newest, at: host, fixture).status == 200, "an unknown key is asked after")
                #expect(try await fetch(paths[0], at: host, fixture).status == 200, "the former is believed")
            }
            // At once: what is out is worth nothing after five seconds at any of them, and manifests have new addresses.
            _ = try await administration.rotateArchiveKeys(keepsFormer: false)
            await administration.close()
            now.withLock { $0.seconds += 5 }
            for host in hosts {
                for path in [paths[0], newest] { #expect(try await fetch(path, at: host, fixture).status == 403) }
                #expect(try await fetch(try await address(pack, at: host), at: hosts[0], fixture).status == 200)
            }
            // And they expire at both.
            let last = try await address(pack, at: other)
            now.withLock { $0.seconds += Self.lifetime }
            for host in hosts { #expect(try await fetch(last, at: host, fixture).status == 403) }
        }
    }

    /// What one host does every device of the other gets, from the same archives, within the time that is promised.
    @Test(arguments: Place.all)
    func aReleaseAndAHaltHoldAtTheOther(place: Place) async throws {
        try await withTwoHosts(place) { fixture, other, _ in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let device = "/devices/\(HostFixture.bundleID)/internalBeta/manifest?device=\(StagedPack.device(1))"
            func offered() async throws -> (version: Int64?, path: String) {
                // Often, so that the answer is at hand there.
                var last: (Int64?, String) = (nil, "")
                for _ in 0..<3 {
                    let answer = try await RawExchange.send(
                        "GET", device, to: other, headers: ["Authorization": "Bearer \(pack.token)"])
                    let entry = try answer.json["assetPacks"]?.arrayValue?.first
                    let url = entry?["url"]?.stringValue ?? ""
                    last = (entry?["version"]?.integerValue, String(url.dropFirst(other.count)))
                }
                return last
            }
            func expect(_ version: Int64, _ content: UInt8) async throws {
                let delay = place.database == .postgres ? PostgresChanges.delay : .zero
                try await Task.sleep(for: delay)
                let (found, path) = try await offered()
                #expect(found == version)
                let answer = try await fetch(path, at: other, fixture)
                #expect(try answer.body == fixture.archive(content: [content]))
            }
            try await expect(1, 1)
            let second = try await pack.announce()
            let rollout = try await pack.rollout(second, ["percentage": 100])
            try await pack.upload(second, 2)
            try await expect(2, 2)
            try await pack.change(rollout, ["state": "HALTED"])
            try await expect(1, 1)
            try await pack.change(rollout, ["state": "ACTIVE"])
            try await expect(2, 2)
            try await pack.change(rollout, ["state": "ROLLED_BACK"])
            try await expect(1, 1)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func oneAddressIsHeardOnlySoOftenByBoth(on database: TestDatabase) async throws {
        try await HostFixture.with(
            on: database,
            {
                $0.limits.reportsPerAddress = 4
                let now = Timestamp(seconds: Timestamp.now.seconds / 3600 * 3600)
                $0.clock = { now }
            }
        ) { fixture in
            let other = try await Host(fixture.configuration)
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let second = try await pack.announce()
            let rollout = try await pack.rollout(second, ["percentage": 100])
            var statuses: [Int] = []
            for number in 0..<8 {
                let report: JSONValue = [
                    "device": .string(StagedPack.device(number)), "rollout": .string(rollout), "outcome": "FAILED",
                ]
                statuses.append(
                    try await RawExchange.send(
                        "POST", "/devices/\(HostFixture.bundleID)/internalBeta/reports",
                        to: number % 2 == 0 ? fixture.host.url : other.url,
                        headers: ["Authorization": "Bearer \(pack.token)"], body: Array(report.serialized().utf8)
                    ).status)
            }
            #expect(statuses == [204, 204, 204, 204, 429, 429, 429, 429])
            #expect(try await pack.attributes(rollout)["failures"] == 4)
            await other.stop()
        }
    }

    @Test func aProxyInTheNetworkIsBelievedWhereOneIsExpected() {
        func sender(_ client: String, _ forwarded: String?, believesNetwork: Bool) -> String {
            var headers = HTTPHeaders()
            if let forwarded { headers["X-Forwarded-For"] = forwarded }
            return ReportGate.sender(
                of: HTTPServerRequest(method: "POST", path: "/", headers: headers, client: client),
                believesNetwork: believesNetwork)
        }
        let device = "198.51.100.7"
        #expect(sender("127.0.0.1", "1.2.3.4, \(device)", believesNetwork: false) == device)
        #expect(sender("10.0.0.5", device, believesNetwork: true) == device)
        #expect(sender("10.0.0.5", device, believesNetwork: false) == "10.0.0.5")
        #expect(sender("10.0.0.5", nil, believesNetwork: true) == "10.0.0.5")
        #expect(sender("8.8.8.8", device, believesNetwork: true) == "8.8.8.8", "anybody may say anything")
    }
}
