// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import HostingModel
import HostingService
import Kit
import Testing

/// Versions of an app in the App Store, and packs that go through review together with them (BA 4.6).
@Suite(.timeLimit(.minutes(5))) struct AppVersionTests {
    private func build(_ fixture: HostFixture, _ version: String) async throws -> String {
        let upload = try await BuildTests.upload(
            BuildTests.archive(fixture.scratch, version: version), version: version, fixture)
        return try #require(upload["relationships"]?["build"]?["data"]?["id"]?.stringValue, "\(upload)")
    }

    private func version(_ fixture: HostFixture, _ name: String, build: String? = nil) async throws -> String {
        var links = ["app": (ResourceType.apps, fixture.appID)]
        links["build"] = build.map { (.builds, $0) }
        let data = try await fixture.publisher.create(
            .appStoreVersions, ["platform": "LINUX", "versionString": .string(name)], links)
        return try #require(data["id"]?.stringValue)
    }

    private func pack(_ fixture: HostFixture, _ content: UInt8, _ name: String = "Coast") async throws -> String {
        let list = try await fixture.publisher.send(
            "GET", "/v1/apps/\(fixture.appID)/backgroundAssets?filter[assetPackIdentifier]=\(name)"
        ).json
        var pack = list["data"]?.arrayValue?.first?["id"]?.stringValue
        if pack == nil { pack = try await fixture.publisher.pack(name, app: fixture.appID) }
        let data = try await fixture.publisher.publish(
            fixture.archive(name, content: [content]), to: try #require(pack))
        return try #require(data["id"]?.stringValue)
    }

    private func submission(_ fixture: HostFixture, platform: JSONValue = "LINUX") async throws -> String {
        let data = try await fixture.publisher.create(
            .reviewSubmissions, ["platform": platform], ["app": (.apps, fixture.appID)])
        return try #require(data["id"]?.stringValue)
    }

    private func add(
        _ fixture: HostFixture, _ type: ResourceType, _ id: String, to submission: String
    ) async throws -> Publisher.Answer {
        let name = type == .appStoreVersions ? "appStoreVersion" : "backgroundAssetVersion"
        return try await fixture.publisher.send(
            "POST", "/v1/reviewSubmissionItems",
            Publisher.document(
                .reviewSubmissionItems, [:], ["reviewSubmission": (.reviewSubmissions, submission), name: (type, id)]))
    }

    private func submit(_ fixture: HostFixture, _ submission: String) async throws -> Publisher.Answer {
        try await fixture.publisher.send(
            "PATCH", "/v1/reviewSubmissions/\(submission)",
            Publisher.document(.reviewSubmissions, id: submission, ["submitted": true]))
    }

    private func decide(_ fixture: HostFixture, _ verdict: String, _ submission: String) async throws {
        let reviewer = try await fixture.publisher(.reviewer)
        _ = try await reviewer.create(
            .reviewDecisions, ["verdict": .string(verdict), "message": "The coast is rough."],
            ["reviewSubmission": (.reviewSubmissions, submission)])
    }

    private func state(_ fixture: HostFixture, _ version: String) async throws -> JSONValue? {
        try await fixture.publisher.send("GET", "/v1/appStoreVersions/\(version)").json["data"]?["attributes"]?[
            "appVersionState"]
    }

    /// The app's version and the pack's that the App Store's channel gives to devices.
    private func live(_ fixture: HostFixture) async throws -> [String?] {
        let build = try await fixture.ask(.appStore, "build")
        let manifest = try await fixture.ask(.appStore, "manifest")
        return [
            build.status == 404
                ? nil
                : try HostedBuild.decode(build.body, source: "host", allowingPlainLoopback: true).version,
            try DownloadManifest.decode(manifest.body, source: "host", allowingPlainLoopback: true)["Coast"].map {
                "\($0.version)"
            },
        ]
    }

    @Test(arguments: TestDatabase.allCases)
    func anAppVersionAndItsPacksGoThroughReviewTogether(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let coast = try await pack(fixture, 1)
            let first = try await version(fixture, "1.0", build: build(fixture, "1.0"))

            // Before the app's first approval packs go with its first version.
            let id = try await submission(fixture)
            #expect(try await add(fixture, .backgroundAssetVersions, coast, to: id).status == 201)
            #expect(try await submit(fixture, id).code == "STATE_ERROR.APP_VERSION_REQUIRED")
            #expect(try await add(fixture, .appStoreVersions, first, to: id).status == 201)
            #expect(try await add(fixture, .appStoreVersions, first, to: id).status == 409)
            #expect(try await state(fixture, first) == "READY_FOR_REVIEW")
            #expect(try await submit(fixture, id).status == 200)
            #expect(try await state(fixture, first) == "WAITING_FOR_REVIEW")
            #expect(try await live(fixture) == [nil, nil])
            let waiting = try await fixture.run(["review", "list"], by: fixture.publisher(.reviewer))
            #expect(
                waiting.output.contains("1.0 of the app") && waiting.output.contains("Coast 1"), "\(waiting.output)")

            let shown = try await fixture.publisher.send(
                "GET",
                "/v1/reviewSubmissions/\(id)?include=items,appStoreVersionForReview,submittedByActor&limit[items]=5"
            ).json
            #expect(shown["data"]?["relationships"]?["appStoreVersionForReview"]?["data"]?["id"] == .string(first))
            let types = shown["included"]?.arrayValue?.compactMap { $0["type"]?.stringValue }
            #expect(
                types?.sorted() == ["actors", "appStoreVersions", "reviewSubmissionItems", "reviewSubmissionItems"])

            // Both are released by one approval.
            try await decide(fixture, "APPROVED", id)
            #expect(try await state(fixture, first) == "READY_FOR_DISTRIBUTION")
            #expect(try await live(fixture) == ["1.0", "1"])

            // From then on packs go alone, and a newer version replaces the one before.
            let alone = try await submission(fixture)
            let second = try await pack(fixture, 2)
            #expect(try await add(fixture, .backgroundAssetVersions, second, to: alone).status == 201)
            #expect(try await submit(fixture, alone).status == 200)
            try await decide(fixture, "APPROVED", alone)
            #expect(try await live(fixture) == ["1.0", "2"])
            let next = try await version(fixture, "2.0", build: build(fixture, "2.0"))
            let last = try await submission(fixture)
            #expect(try await add(fixture, .appStoreVersions, next, to: last).status == 201)
            #expect(try await submit(fixture, last).status == 200)
            #expect(try await live(fixture) == ["1.0", "2"])
            try await decide(fixture, "APPROVED", last)
            #expect(try await live(fixture) == ["2.0", "2"])
            #expect(try await state(fixture, first) == "REPLACED_WITH_NEW_VERSION")
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aRejectedPackHoldsUpTheAppVersion(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let coast = try await pack(fixture, 1)
            let first = try await version(fixture, "1.0", build: build(fixture, "1.0"))
            let id = try await submission(fixture)
            #expect(try await add(fixture, .appStoreVersions, first, to: id).status == 201)
            let item = try await add(fixture, .backgroundAssetVersions, coast, to: id).json["data"]?["id"]?.stringValue
            #expect(try await submit(fixture, id).status == 200)
            let reviewer = try await fixture.publisher(.reviewer)
            _ = try await reviewer.create(
                .reviewDecisions, ["verdict": "REJECTED", "message": "The coast is rough."],
                ["reviewSubmissionItem": (.reviewSubmissionItems, try #require(item))])
            try await decide(fixture, "APPROVED", id)
            #expect(try await state(fixture, first) == "ACCEPTED")
            #expect(try await live(fixture) == [nil, nil])

            // Taken out, it does not hold up anything any more.
            let removal = try await fixture.publisher.send("DELETE", "/v1/reviewSubmissionItems/\(try #require(item))")
            #expect(removal.status == 204)
            #expect(try await submit(fixture, id).status == 200)
            #expect(try await state(fixture, first) == "READY_FOR_DISTRIBUTION")
            #expect(try await live(fixture) == ["1.0", nil])
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aVersionNeedsABuildOfItsOwn(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let (one, two) = (try await build(fixture, "1.0"), try await build(fixture, "2.0"))
            let first = try await version(fixture, "1.0")
            let id = try await submission(fixture)
            #expect(try await add(fixture, .appStoreVersions, first, to: id).status == 409, "it has no build")
            func choose(_ build: String?) async throws -> Publisher.Answer {
                let data: JSONValue = build.map { ["type": "builds", "id": .string($0)] } ?? .null
                return try await fixture.publisher.send(
                    "PATCH", "/v1/appStoreVersions/\(first)/relationships/build", ["data": data])
            }
            #expect(try await choose(two).code == "ENTITY_ERROR.RELATIONSHIP.INVALID", "of another version")
            #expect(try await choose("x").status == 409)
            #expect(try await choose(one).status == 204)
            let named = try await fixture.publisher.send("GET", "/v1/builds/\(one)/appStoreVersion").json
            #expect(named["data"]?["id"] == .string(first))
            let back = try await fixture.publisher.send("GET", "/v1/appStoreVersions/\(first)/build").json
            #expect(back["data"]?["id"] == .string(one))
            #expect(try await choose(nil).status == 204)
            let none = try await fixture.publisher.send("GET", "/v1/builds/\(one)/appStoreVersion")
            #expect(none.status == 200)
            #expect(try none.json["data"] == .null)

            // One version of a platform at a time, and each once.
            let another = try await fixture.publisher.send(
                "POST", "/v1/appStoreVersions",
                Publisher.document(
                    .appStoreVersions, ["platform": "LINUX", "versionString": "2.0"],
                    ["app": (.apps, fixture.appID)]))
            #expect(another.code == "STATE_ERROR.VERSION_IN_PREPARATION")
            #expect(try await choose(one).status == 204)
            let store = try await submission(fixture, platform: "IOS")
            #expect(try await add(fixture, .appStoreVersions, first, to: store).status == 409, "another platform's")
            #expect(try await add(fixture, .appStoreVersions, first, to: id).status == 201)
            #expect(try await choose(nil).status == 409, "what is submitted stays")
            let gone = try await fixture.publisher.send("DELETE", "/v1/appStoreVersions/\(first)")
            #expect(gone.status == 409)
        }
    }

    @Test(arguments: ["MANUAL", "SCHEDULED"])
    func whatIsApprovedIsReleasedAndNothingElseIsPromised(type: String) async throws {
        try await HostFixture.with { fixture in
            let refused = try await fixture.publisher.send(
                "POST", "/v1/appStoreVersions",
                Publisher.document(
                    .appStoreVersions,
                    ["platform": "LINUX", "versionString": "1.0", "releaseType": .string(type)],
                    ["app": (.apps, fixture.appID)]))
            #expect(refused.status == 409 && refused.code == "ENTITY_ERROR.ATTRIBUTE.INVALID")
            let error = try refused.json["errors"]?.arrayValue?.first
            #expect(error?["detail"]?.stringValue?.contains("AFTER_APPROVAL is the only release type") == true)
            #expect(error?["source"]?["pointer"] == "/data/attributes/releaseType")
            let made = try await version(fixture, "1.0")
            let changed = try await fixture.publisher.send(
                "PATCH", "/v1/appStoreVersions/\(made)",
                Publisher.document(.appStoreVersions, id: made, ["releaseType": .string(type)]))
            #expect(changed.status == 409)
        }
    }
}
