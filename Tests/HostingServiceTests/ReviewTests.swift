// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import HostingModel
import HostingService
import Kit
import Testing

/// From internal testers to external ones and to the App Store, with a reviewer in between (E2, BA 4.6).
@Suite(.timeLimit(.minutes(5))) struct ReviewTests {
    /// The version that devices of a channel get; nil when none.
    private func live(_ fixture: HostFixture, _ channel: String, _ pack: String = "Coast") async throws -> Int? {
        let answer = try await fixture.ask(try #require(Channel(rawValue: channel)), "manifest")
        return try DownloadManifest.decode(answer.body, source: "host", allowingPlainLoopback: true)[pack]?.version
    }

    private func state(_ fixture: HostFixture, _ type: ResourceType, _ id: String, _ name: String = "state")
        async throws
        -> String?
    {
        try await fixture.publisher.send("GET", "/v1/\(type)/\(id)").json["data"]?["attributes"]?[name]?.stringValue
    }

    private func release(_ version: JSONValue, _ name: String) throws -> String {
        try #require(version["relationships"]?[name]?["data"]?["id"]?.stringValue)
    }

    private func publish(_ fixture: HostFixture, _ pack: String, _ content: UInt8, _ name: String = "Coast")
        async throws
        -> (id: String, data: JSONValue)
    {
        let data = try await fixture.publisher.publish(try fixture.archive(name, content: [content]), to: pack)
        return (try #require(data["id"]?.stringValue), data)
    }

    private func submission(_ fixture: HostFixture, _ versions: [String]) async throws -> (id: String, items: [String])
    {
        let publisher = fixture.publisher
        let id = try #require(
            try await publisher.create(.reviewSubmissions, ["platform": "IOS"], ["app": (.apps, fixture.appID)])["id"]?
                .stringValue)
        var items: [String] = []
        for version in versions {
            let item = try await publisher.create(
                .reviewSubmissionItems, [:],
                [
                    "reviewSubmission": (.reviewSubmissions, id),
                    "backgroundAssetVersion": (.backgroundAssetVersions, version),
                ])
            items.append(try #require(item["id"]?.stringValue))
        }
        return (id, items)
    }

    private func change(_ fixture: HostFixture, _ type: ResourceType, _ id: String, _ name: String) async throws -> Int
    {
        try await fixture.publisher.send(
            "PATCH", "/v1/\(type)/\(id)", Publisher.document(type, id: id, [name: true])
        ).status
    }

    private func decide(
        _ reviewer: Publisher, _ verdict: String, _ name: String, _ type: ResourceType, _ id: String
    ) async throws -> Publisher.Answer {
        try await reviewer.send(
            "POST", "/v1/reviewDecisions",
            Publisher.document(
                .reviewDecisions, ["verdict": .string(verdict), "message": "The level is upside down."],
                [name: (type, id)]))
    }

    @Test(arguments: TestDatabase.allCases)
    func theStoreGetsWhatTheReviewerApproves(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let reviewer = try await fixture.publisher(.reviewer)
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let first = try await publish(fixture, pack, 1)
            let firstRelease = try release(first.data, "appStoreRelease")
            #expect(try await state(fixture, .appStoreReleases, firstRelease) == "PREPARE_FOR_SUBMISSION")

            let one = try await submission(fixture, [first.id])
            #expect(try await state(fixture, .appStoreReleases, firstRelease) == "READY_FOR_REVIEW")
            #expect(try await change(fixture, .reviewSubmissions, one.id, "submitted") == 200)
            #expect(try await state(fixture, .appStoreReleases, firstRelease) == "WAITING_FOR_REVIEW")
            #expect(try await live(fixture, "appStore") == nil)

            // The reviewer sees all apps' submissions without naming one.
            let queue = try await reviewer.send(
                "GET", "/v1/reviewSubmissions?filter[state]=WAITING_FOR_REVIEW&include=items")
            #expect(try queue.json["data"]?.arrayValue?.map { $0["id"] } == [.string(one.id)])
            #expect(try queue.json["included"]?.arrayValue?.map { $0["id"] } == [.string(one.items[0])])
            #expect(
                try await decide(reviewer, "APPROVED", "reviewSubmission", .reviewSubmissions, one.id).status == 201)
            #expect(try await state(fixture, .reviewSubmissions, one.id) == "COMPLETE")
            #expect(try await state(fixture, .appStoreReleases, firstRelease) == "READY_FOR_DISTRIBUTION")
            #expect(try await live(fixture, "appStore") == 1)

            // The next version takes its place; internal testers had it at once.
            let second = try await publish(fixture, pack, 2)
            #expect(try await live(fixture, "internalBeta") == 2)
            #expect(try await live(fixture, "appStore") == 1)
            let two = try await submission(fixture, [second.id])
            #expect(try await change(fixture, .reviewSubmissions, two.id, "submitted") == 200)
            #expect(
                try await decide(reviewer, "APPROVED", "reviewSubmissionItem", .reviewSubmissionItems, two.items[0])
                    .status == 201)
            #expect(try await live(fixture, "appStore") == 2)
            #expect(try await state(fixture, .appStoreReleases, firstRelease) == "SUPERSEDED")
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aRejectedItemHoldsUpTheOthersUntilItIsResolvedOrTakenOut(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let reviewer = try await fixture.publisher(.reviewer)
            let coast = try await publish(fixture, fixture.publisher.pack("Coast", app: fixture.appID), 1)
            let islands = try await publish(
                fixture, fixture.publisher.pack("Islands", app: fixture.appID), 2, "Islands")
            let (id, items) = try await submission(fixture, [coast.id, islands.id])
            #expect(try await change(fixture, .reviewSubmissions, id, "submitted") == 200)
            #expect(
                try await decide(reviewer, "APPROVED", "reviewSubmissionItem", .reviewSubmissionItems, items[0]).status
                    == 201)
            #expect(try await state(fixture, .reviewSubmissions, id) == "IN_REVIEW")
            #expect(
                try await decide(reviewer, "REJECTED", "reviewSubmissionItem", .reviewSubmissionItems, items[1]).status
                    == 201)
            #expect(try await state(fixture, .reviewSubmissions, id) == "UNRESOLVED_ISSUES")
            #expect(try await live(fixture, "appStore") == nil)
            #expect(try await change(fixture, .reviewSubmissions, id, "submitted") == 409)

            #expect(try await change(fixture, .reviewSubmissionItems, items[1], "resolved") == 200)
            #expect(try await change(fixture, .reviewSubmissions, id, "submitted") == 200)
            #expect(
                try await decide(reviewer, "REJECTED", "reviewSubmission", .reviewSubmissions, id).status == 201)
            #expect(try await change(fixture, .reviewSubmissionItems, items[1], "removed") == 200)
            #expect(try await change(fixture, .reviewSubmissions, id, "submitted") == 200)
            // What is left was accepted before, so nobody has to look again.
            #expect(try await state(fixture, .reviewSubmissions, id) == "COMPLETE")
            #expect(try await live(fixture, "appStore") == 1)
            #expect(try await live(fixture, "appStore", "Islands") == nil)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aCanceledSubmissionLetsItsVersionsGo(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let version = try await publish(fixture, fixture.publisher.pack("Coast", app: fixture.appID), 1)
            let one = try await submission(fixture, [version.id])
            // One submission of an app and platform at a time.
            let second = try await fixture.publisher.send(
                "POST", "/v1/reviewSubmissions",
                Publisher.document(.reviewSubmissions, ["platform": "IOS"], ["app": (.apps, fixture.appID)]))
            #expect(second.code == "STATE_ERROR.SUBMISSION_IN_PROGRESS")
            // Nor by way of another platform.
            let other = try await fixture.publisher.create(
                .reviewSubmissions, ["platform": "MAC_OS"], ["app": (.apps, fixture.appID)])
            let otherID = try #require(other["id"]?.stringValue)
            let moved = try await fixture.publisher.send(
                "PATCH", "/v1/reviewSubmissions/\(otherID)",
                Publisher.document(.reviewSubmissions, id: otherID, ["platform": "IOS"]))
            #expect(moved.code == "STATE_ERROR.SUBMISSION_IN_PROGRESS")
            #expect(try await change(fixture, .reviewSubmissions, one.id, "submitted") == 200)
            let delete = "/v1/reviewSubmissionItems/\(one.items[0])"
            // The interface knows no 409 for what is to be deleted.
            let refusal = try await fixture.publisher.send("DELETE", delete)
            #expect(refusal.status == 403)
            #expect(refusal.code == "FORBIDDEN_ERROR.STATE")
            #expect(try await change(fixture, .reviewSubmissions, one.id, "canceled") == 200)
            #expect(try await state(fixture, .reviewSubmissions, one.id) == "COMPLETE")
            let two = try await submission(fixture, [version.id])
            #expect(
                try await fixture.publisher.send("DELETE", "/v1/reviewSubmissionItems/\(two.items[0])").status == 204)
            #expect(
                try await state(fixture, .appStoreReleases, try release(version.data, "appStoreRelease"))
                    == "PREPARE_FOR_SUBMISSION")
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aSubmissionHoldsEachPackOnceAndTenAtMost(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            var versions: [String] = []
            for number in 0..<11 {
                let name = "Pack\(number)"
                let pack = try await fixture.publisher.pack(name, app: fixture.appID)
                versions.append(try await publish(fixture, pack, 1, name).id)
                if number == 0 { versions.append(try await publish(fixture, pack, 2, name).id) }
            }
            let (id, _) = try await submission(fixture, [versions[0]] + versions[2..<11])
            func add(_ version: String) async throws -> Publisher.Answer {
                try await fixture.publisher.send(
                    "POST", "/v1/reviewSubmissionItems",
                    Publisher.document(
                        .reviewSubmissionItems, [:],
                        [
                            "reviewSubmission": (.reviewSubmissions, id),
                            "backgroundAssetVersion": (.backgroundAssetVersions, version),
                        ]))
            }
            #expect(try await add(versions[11]).code == "STATE_ERROR.LIMIT_REACHED")
            let first = try await fixture.publisher.send("GET", "/v1/reviewSubmissions/\(id)/items?limit=1")
            let item = try #require(try first.json["data"]?.arrayValue?.first?["id"]?.stringValue)
            #expect(try first.json["meta"]?["paging"]?["total"] == 10)
            #expect(try await change(fixture, .reviewSubmissionItems, item, "removed") == 200)
            #expect(try await add(versions[0]).status == 201)
            #expect(try await add(versions[1]).status == 409)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func externalTestersGetOneVersionAfterReview(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let reviewer = try await fixture.publisher(.reviewer)
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let (one, two) = (try await publish(fixture, pack, 1), try await publish(fixture, pack, 2))
            func submit(_ version: String) async throws -> Publisher.Answer {
                try await fixture.publisher.send(
                    "POST", "/v1/\(ResourceType.betaReviewSubmissions)",
                    Publisher.document(
                        .betaReviewSubmissions, [:], ["backgroundAssetVersion": (.backgroundAssetVersions, version)]))
            }
            func word(_ verdict: String, _ answer: Publisher.Answer) async throws -> Int {
                let id = try #require(try answer.json["data"]?["id"]?.stringValue)
                return try await decide(
                    reviewer, verdict, "betaBackgroundAssetReviewSubmission", .betaReviewSubmissions, id
                ).status
            }
            let second = try await submit(two.id)
            #expect(second.status == 201)
            #expect(try await submit(one.id).code == "STATE_ERROR.SUBMISSION_IN_PROGRESS")
            #expect(try await word("REJECTED", second) == 201)
            #expect(try await live(fixture, "externalBeta") == nil)
            #expect(try await word("APPROVED", second) == 409)
            #expect(try await word("APPROVED", try await submit(two.id)) == 201)
            #expect(try await live(fixture, "externalBeta") == 2)
            // An older version that was chosen on purpose is live, too.
            #expect(try await word("APPROVED", try await submit(one.id)) == 201)
            #expect(try await live(fixture, "externalBeta") == 1)
            #expect(
                try await state(fixture, .externalBetaReleases, try release(two.data, "externalBetaRelease"))
                    == "SUPERSEDED")
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func withoutAReviewerEverythingIsApprovedAtOnce(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database, { $0.reviewsAutomatically = true }) { fixture in
            let version = try await publish(fixture, fixture.publisher.pack("Coast", app: fixture.appID), 1)
            let (id, _) = try await submission(fixture, [version.id])
            #expect(try await change(fixture, .reviewSubmissions, id, "submitted") == 200)
            #expect(try await state(fixture, .reviewSubmissions, id) == "COMPLETE")
            #expect(try await live(fixture, "appStore") == 1)
            let beta = try await fixture.publisher.create(
                .betaReviewSubmissions, [:], ["backgroundAssetVersion": (.backgroundAssetVersions, version.id)])
            #expect(beta["attributes"]?["betaReviewState"] == "APPROVED")
            #expect(try await live(fixture, "externalBeta") == 1)
        }
    }
}
