// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import HostingService
import Kit
import Mail
import TestSupport
import Testing

/// Failures that devices report stop a rollout, and nobody else's words do (G3).
@Suite(.timeLimit(.minutes(5))) struct ReportTests {
    /// A pack whose second version goes to all who say who they are; the rollout's identifier.
    private func staged(
        _ fixture: HostFixture, _ attributes: [String: JSONValue] = [:]
    ) async throws -> (StagedPack, String) {
        let pack = try await StagedPack(fixture)
        try await pack.publish(1)
        let second = try await pack.announce()
        var all: [String: JSONValue] = ["percentage": 100, "failureThreshold": 20, "minimumReports": 5]
        for (name, value) in attributes { all[name] = value }
        let rollout = try await pack.rollout(second, all)
        try await pack.upload(second, 2)
        return (pack, rollout)
    }

    @Test(arguments: TestDatabase.allCases)
    func tooManyFailuresHaltARolloutAndTellOfIt(on database: TestDatabase) async throws {
        try await MailSink.with { sink in
            let mail = HostMail(
                server: try MailServer(url: sink.url), from: "larder@example.com", to: ["ops@example.com"])
            try await HostFixture.with(on: database, { $0.mail = mail }) { fixture in
                let (pack, rollout) = try await staged(fixture)
                let hook = try await fixture.publisher.create(
                    .webhooks,
                    [
                        "enabled": true, "name": "CI", "secret": "s", "url": "https://example.invalid/hook",
                        "eventTypes": [.string(WebhookEventType.rolloutStateUpdated.rawValue)],
                    ], ["app": (.apps, fixture.appID)])
                for number in 0..<4 {
                    #expect(try await pack.report(StagedPack.device(number), rollout, failed: false).status == 204)
                }
                #expect(try await pack.report(StagedPack.device(4), rollout, failed: true).status == 204)
                #expect(try await pack.attributes(rollout)["state"] == "ACTIVE", "exactly a fifth")
                #expect(try await pack.report(StagedPack.device(5), rollout, failed: true).status == 204)

                let attributes = try await pack.attributes(rollout)
                #expect(attributes["state"] == "HALTED")
                #expect(attributes["successes"] == 4 && attributes["failures"] == 2)
                let error = attributes["stateDetails"]?["errors"]?.arrayValue?.first
                #expect(error?["code"] == "FAILURE_THRESHOLD_EXCEEDED")
                #expect(error?["description"]?.stringValue?.contains("2 of 6 devices") == true)
                #expect(try await pack.offered("&device=\(StagedPack.device(7))") == 1)
                #expect(try await pack.offered("&device=\(StagedPack.device(0))&taken=\(rollout)") == 2)

                while try sink.letters().isEmpty { await Task.yield() }
                let letter = try #require(try sink.letters().first)
                #expect(
                    letter["subject"]?.stringValue == "The rollout of Coast 2 of \(HostFixture.bundleID) was halted")
                let id = try #require(hook["id"]?.stringValue)
                let deliveries = try await fixture.publisher.send("GET", "/v1/webhooks/\(id)/deliveries?include=event")
                let payload = try deliveries.json["included"]?.arrayValue?.first?["attributes"]?["payload"]?.stringValue
                let event = try JSONParser.parse(try #require(payload)).value["data"]
                #expect(event?["type"] == "backgroundAssetVersionRolloutStateUpdated")
                #expect(event?["attributes"]?["newValue"] == "HALTED")
            }
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aDeviceCountsOnceByItsLastWord(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let (pack, rollout) = try await staged(fixture)
            for _ in 0..<10 { _ = try await pack.report(StagedPack.device(1), rollout, failed: true) }
            #expect(try await pack.attributes(rollout)["failures"] == 1)
            _ = try await pack.report(StagedPack.device(1), rollout, failed: false)
            let attributes = try await pack.attributes(rollout)
            #expect(attributes["failures"] == 0 && attributes["successes"] == 1)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func whoIsNotInTheShareDoesNotCountNorWhoSpeaksOfAnother(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let (pack, rollout) = try await staged(fixture, ["percentage": 30])
            let inside = try await pack.devices(0..<60, with: 2)
            for number in 0..<60 where !inside.contains(number) {
                #expect(try await pack.report(StagedPack.device(number), rollout, failed: true).status == 204)
            }
            let device = StagedPack.device(try #require(inside.min()))
            _ = try await fixture.app("org.example.other")
            for (rollout, app, channel) in [
                ("unknown", HostFixture.bundleID, "internalBeta"), (rollout, "org.example.other", "appStore"),
                (rollout, HostFixture.bundleID, "appStore"),
            ] {
                let answer = try await pack.report(device, rollout, failed: true, channel: channel, app: app)
                #expect(answer.status == 204, "nobody learns what there is")
            }
            let attributes = try await pack.attributes(rollout)
            #expect(attributes["failures"] == 0 && attributes["state"] == "ACTIVE")
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func withoutAThresholdNothingStopsByItself(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let pack = try await StagedPack(fixture)
            let rollout = try await pack.rollout(try await pack.publish(1), ["percentage": 100, "minimumReports": 1])
            for number in 0..<5 { _ = try await pack.report(StagedPack.device(number), rollout, failed: true) }
            let attributes = try await pack.attributes(rollout)
            #expect(attributes["failures"] == 5 && attributes["state"] == "ACTIVE")
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func goingOnBeginsToCountAnew(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let (pack, rollout) = try await staged(fixture)
            for number in 0..<5 { _ = try await pack.report(StagedPack.device(number), rollout, failed: true) }
            #expect(try await pack.attributes(rollout)["state"] == "HALTED")
            #expect(try await pack.change(rollout, ["state": "ACTIVE"]).status == 200)
            _ = try await pack.report(StagedPack.device(0), rollout, failed: true)
            let attributes = try await pack.attributes(rollout)
            #expect(attributes["failures"] == 1 && attributes["state"] == "ACTIVE")
            #expect(attributes["stateDetails"] == nil)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func whatIsNoReportIsRefused(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let (pack, rollout) = try await staged(fixture)
            func send(_ body: String, token: String?) async throws -> Int {
                try await fixture.publisher.send(
                    "POST", "/devices/\(HostFixture.bundleID)/internalBeta/reports", Array(body.utf8),
                    token: .some(token)
                ).status
            }
            let device = StagedPack.device(1)
            let wrong = [
                "", "{", "[]", #"{"device": "\#(device)"}"#,
                #"{"device": "short", "rollout": "\#(rollout)", "outcome": "FAILED"}"#,
                #"{"device": "\#(device)", "rollout": "\#(rollout)", "outcome": "MAYBE"}"#,
                #"{"device": "\#(device)", "rollout": 7, "outcome": "FAILED"}"#,
                #"{"device": "\#(device)", "rollout": "\#(String(repeating: "r", count: 65))", "outcome": "FAILED"}"#,
            ]
            for body in wrong { #expect(try await send(body, token: pack.token) == 400, "\(body)") }
            #expect(try await send(String(repeating: " ", count: 2000), token: pack.token) == 413)
            let report = #"{"device": "\#(device)", "rollout": "\#(rollout)", "outcome": "FAILED"}"#
            #expect(try await send(report, token: nil) == 401)
            #expect(try await pack.attributes(rollout)["failures"] == 0)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func oneAddressIsHeardOnlySoOften(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database, { $0.limits.reportsPerAddress = 3 }) { fixture in
            let (pack, rollout) = try await staged(fixture)
            for number in 0..<3 {
                #expect(try await pack.report(StagedPack.device(number), rollout, failed: false).status == 204)
            }
            let refused = try await pack.report(StagedPack.device(3), rollout, failed: false)
            #expect(refused.status == 429 && (Int(refused.headers["retry-after"] ?? "") ?? 0) > 0)
            // A proxy on this machine says for whom it asks; what its client says of itself stands before that.
            for (number, forwarded) in ["192.0.2.1", "192.0.2.1, 192.0.2.2", "2001:db8::1"].enumerated() {
                let answer = try await pack.report(
                    StagedPack.device(10 + number), rollout, failed: false, headers: ["X-Forwarded-For": forwarded])
                #expect(answer.status == 204)
            }
            #expect(try await pack.attributes(rollout)["successes"] == 6)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func ofOneRolloutOnlySoManyAreCounted(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database, { $0.limits.reportsPerRollout = 3 }) { fixture in
            let (pack, rollout) = try await staged(fixture)
            for number in 0..<6 { _ = try await pack.report(StagedPack.device(number), rollout, failed: false) }
            #expect(try await pack.attributes(rollout)["successes"] == 3)
        }
    }
}
