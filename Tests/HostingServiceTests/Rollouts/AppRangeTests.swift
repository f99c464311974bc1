// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import HostingService
import Kit
import Testing

/// A version may name the app versions that it suits, and a device gets the newest that suits it (G3).
@Suite(.timeLimit(.minutes(5))) struct AppRangeTests {
    private func pin(
        _ fixture: HostFixture, _ version: String, _ attributes: [String: JSONValue]
    ) async throws -> Publisher.Answer {
        try await fixture.publisher.send(
            "POST", "/v1/\(ResourceType.appRanges)",
            Publisher.document(
                .appRanges, attributes, ["backgroundAssetVersion": (.backgroundAssetVersions, version)]))
    }

    @Test(arguments: TestDatabase.allCases)
    func aDeviceGetsTheNewestVersionThatSuitsItsApp(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let second = try await pack.publish(2)
            let third = try await pack.publish(3)
            let range = try #require(
                try await pin(fixture, third, ["minimumAppVersion": "3.0"]).json["data"]?["id"]?.stringValue)
            #expect(
                try await pin(fixture, second, ["minimumAppVersion": "2.0", "maximumAppVersion": "2.9"]).status == 201)

            let expected: [(app: String, version: Int)] = [
                ("", 1), ("&appVersion=3.0", 3), ("&appVersion=10.0", 3), ("&appVersion=2.9", 2),
                ("&appVersion=2.9.1", 1), ("&appVersion=1.0", 1), ("&appVersion=beta", 1),
            ]
            for (app, version) in expected { #expect(try await pack.offered(app) == version, "\(app)") }

            let path = "/v1/\(ResourceType.appRanges)/\(range)"
            let changed = try await fixture.publisher.send(
                "PATCH", path, Publisher.document(.appRanges, id: range, ["minimumAppVersion": "2.5"]))
            #expect(changed.status == 200)
            #expect(try await pack.offered("&appVersion=2.5") == 3)
            #expect(try await fixture.publisher.send("DELETE", path).status == 204)
            #expect(try await pack.offered("") == 3)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aRangeAndARolloutHoldTogether(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let second = try await pack.publish(2)
            _ = try await pin(fixture, second, ["minimumAppVersion": "2.0"])
            let rollout = try await pack.rollout(second, ["percentage": 0])
            let device = "&device=\(StagedPack.device(1))"
            #expect(try await pack.offered(device + "&appVersion=2.0") == 1)
            try await pack.change(rollout, ["percentage": 100])
            #expect(try await pack.offered(device + "&appVersion=2.0") == 2)
            #expect(try await pack.offered(device + "&appVersion=1.0") == 1)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aRangeThatIsNoneIsRefused(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let pack = try await StagedPack(fixture)
            let version = try await pack.publish(1)
            let wrong: [[String: JSONValue]] = [
                [:], ["minimumAppVersion": "two"], ["maximumAppVersion": "1..2"], ["minimumAppVersion": 2],
                ["minimumAppVersion": "2.0", "maximumAppVersion": "1.9"],
            ]
            for attributes in wrong { #expect(try await pin(fixture, version, attributes).status == 409) }
            #expect(try await pin(fixture, version, ["maximumAppVersion": "2.0"]).status == 201)
            #expect(
                try await pin(fixture, version, ["maximumAppVersion": "2.0"]).code == "STATE_ERROR.APP_RANGE_EXISTS")
        }
    }
}
