// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import HostingService
import Kit
import Testing

/// A version goes to a share of the devices, further, no further, and back (G3).
@Suite(.timeLimit(.minutes(5))) struct RolloutTests {
    private static let devices = 0..<200

    @Test(arguments: TestDatabase.allCases)
    func theShareGrowsAndWhoHasTheVersionKeepsIt(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            // Begun before the version is there, so that nobody gets it who is not meant to.
            let second = try await pack.announce()
            let rollout = try await pack.rollout(second, ["percentage": 25])
            try await pack.upload(second, 2)

            let quarter = try await pack.devices(Self.devices, with: 2)
            #expect((20...80).contains(quarter.count), "\(quarter.count) of 200 devices are a quarter")
            #expect(try await pack.devices(Self.devices, with: 1).count == 200 - quarter.count)
            #expect(try await pack.offered("") == 1, "who does not say which device it is comes last")
            #expect(try await pack.offered("&device=short") == 1)

            try await pack.change(rollout, ["percentage": 60])
            let more = try await pack.devices(Self.devices, with: 2)
            #expect(quarter.isSubset(of: more) && more.count > quarter.count)
            #expect((80...160).contains(more.count), "\(more.count)")

            // Halted: who has it keeps it, and nobody else gets it.
            try await pack.change(rollout, ["state": "HALTED"])
            #expect(try await pack.attributes(rollout)["stateDetails"]?["infos"]?.arrayValue?.count == 1)
            #expect(try await pack.devices(0..<20, with: 2).isEmpty)
            #expect(try await pack.devices(0..<20, with: 2, "&taken=\(rollout)").count == 20)

            try await pack.change(rollout, ["state": "ROLLED_BACK"])
            #expect(try await pack.devices(0..<20, with: 1, "&taken=\(rollout)").count == 20)

            try await pack.change(rollout, ["state": "ACTIVE"])
            #expect(try await pack.devices(Self.devices, with: 2) == more, "the same devices as before")
            try await pack.change(rollout, ["state": "COMPLETE"])
            #expect(try await pack.offered("") == 2)
            #expect(try await pack.attributes(rollout)["stateDetails"] == nil)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func whoIsNotReachedGetsWhatWasLiveBeforeAndNothingWhenThereIsNothing(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let pack = try await StagedPack(fixture)
            let first = try await pack.announce()
            let rollout = try await pack.rollout(first, ["percentage": 0])
            try await pack.upload(first, 1)
            #expect(try await pack.offered("&device=\(StagedPack.device(1))") == nil)
            try await pack.change(rollout, ["percentage": 100])
            #expect(try await pack.offered("") == 1)
            // A version without a rollout of its own goes to all at once, as ever.
            try await pack.publish(2)
            #expect(try await pack.offered("") == 2)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func anAnswerIsTaggedByWhatIsInIt(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let plain = try await pack.ask("&device=\(StagedPack.device(1))")
            #expect(plain.headers["cache-control"] == "no-cache")
            let second = try await pack.announce()
            let rollout = try await pack.rollout(second, ["percentage": 0])
            try await pack.upload(second, 2)

            let tag = try #require(plain.headers["etag"])
            let same = try await pack.ask("&device=\(StagedPack.device(1))&odd=1", headers: ["If-None-Match": tag])
            #expect(same.status == 304 && same.body.isEmpty, "this device's answer is what it was")
            #expect(same.headers["cache-control"] == "private, no-cache")
            try await pack.change(rollout, ["percentage": 100])
            let changed = try await pack.ask("&device=\(StagedPack.device(1))", headers: ["If-None-Match": tag])
            #expect(changed.status == 200 && changed.headers["etag"] != tag)
            let entry = try changed.json["assetPacks"]?.arrayValue?.first
            #expect(entry?["larder"]?["rollout"]?.stringValue == rollout)
            #expect(entry?["larder"]?["digest"] != nil)
            try await pack.change(rollout, ["state": "COMPLETE"])
            let done = try await pack.ask("")
            #expect(try done.json["assetPacks"]?.arrayValue?.first?["larder"]?["rollout"] == nil)
            #expect(done.headers["cache-control"] == "no-cache")
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func onlyOneRolloutOfAVersionInAChannelAndNoneOfWhatIsOver(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let pack = try await StagedPack(fixture)
            let first = try await pack.publish(1)
            _ = try await pack.rollout(first, ["percentage": 10])
            #expect(try await pack.start(first, ["percentage": 10]).code == "STATE_ERROR.ROLLOUT_EXISTS")
            #expect(try await pack.start(first, ["percentage": 10], channel: .appStore).status == 201)
            let second = try await pack.publish(2)
            let third = try await pack.publish(3)
            #expect(try await pack.start(second, ["percentage": 10]).code == "STATE_ERROR")
            let wrong: [[String: JSONValue]] = [
                [:], ["percentage": 101], ["percentage": -1], ["percentage": "ten"],
                ["percentage": 10, "failureThreshold": 101], ["percentage": 10, "minimumReports": 0],
                ["percentage": 10, "state": "HALTED"],
            ]
            for attributes in wrong { #expect(try await pack.start(third, attributes).status == 409) }

            let answer = try await fixture.publisher.send(
                "GET",
                "/v1/\(ResourceType.rollouts)?filter[app]=\(fixture.appID)&filter[channel]=appStore"
                    + "&include=backgroundAssetVersion")
            #expect(try answer.json["data"]?.arrayValue?.count == 1)
            #expect(try answer.json["included"]?.arrayValue?.first?["id"]?.stringValue == first)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aStepThatIsNotPossibleIsRefused(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let pack = try await StagedPack(fixture)
            let rollout = try await pack.rollout(try await pack.publish(1), ["percentage": 10])
            #expect(try await pack.change(rollout, ["state": "COMPLETE"]).status == 200)
            #expect(try await pack.change(rollout, ["state": "COMPLETE"]).status == 200, "it is there already")
            for state in ["HALTED", "ACTIVE"] {
                #expect(try await pack.change(rollout, ["state": .string(state)]).code == "STATE_ERROR")
            }
            #expect(try await pack.change(rollout, ["state": "PAUSED"]).status == 409)
            #expect(try await pack.attributes(rollout)["state"] == "COMPLETE")
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func onlyWhoManagesMayStageAndOnlyHisApps(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let pack = try await StagedPack(fixture)
            let version = try await pack.publish(1)
            let rollout = try await pack.rollout(version, ["percentage": 10])
            let developer = try await fixture.publisher(.developer)
            _ = try await fixture.app("org.example.other")
            let stranger = try await fixture.publisher(.admin, apps: ["org.example.other"])
            func change(_ publisher: Publisher) async throws -> Int {
                try await publisher.send(
                    "PATCH", "/v1/\(ResourceType.rollouts)/\(rollout)",
                    Publisher.document(.rollouts, id: rollout, ["percentage": 100])
                ).status
            }
            #expect(try await change(developer) == 403)
            #expect(try await change(stranger) == 404)
            #expect(try await stranger.send("GET", "/v1/\(ResourceType.rollouts)").json["data"]?.arrayValue == [])
            let start = try await stranger.send(
                "POST", "/v1/\(ResourceType.appRanges)",
                Publisher.document(
                    .appRanges, ["minimumAppVersion": "2.0"],
                    ["backgroundAssetVersion": (.backgroundAssetVersions, version)]))
            #expect(start.status == 409)
            #expect(try await pack.attributes(rollout)["percentage"] == 10)
        }
    }
}
