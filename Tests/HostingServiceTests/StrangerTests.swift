// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import HostingService
import Kit
import Testing

/// What somebody sees and changes who has a good key, and that of another app.
@Suite(.timeLimit(.minutes(5))) struct StrangerTests {
    /// One resource of each type that a publisher makes; identifiers by type.
    private func everything(_ fixture: HostFixture) async throws -> [(ResourceType, String)] {
        let publisher = fixture.publisher
        func id(_ data: JSONValue) throws -> String { try #require(data["id"]?.stringValue) }
        let pack = try await publisher.pack("Coast", app: fixture.appID)
        let version = try await publisher.publish(fixture.archive(content: [1]), to: pack)
        func link(_ name: String) throws -> String {
            try #require(version["relationships"]?[name]?["data"]?["id"]?.stringValue)
        }
        let upload = try await BuildTests.upload(
            BuildTests.archive(fixture.scratch, version: "1.0"), version: "1.0", fixture)
        let build = try #require(upload["relationships"]?["build"]?["data"]?["id"]?.stringValue)
        let submission = try id(
            try await publisher.create(.reviewSubmissions, ["platform": "LINUX"], ["app": (.apps, fixture.appID)]))
        let item = try id(
            try await publisher.create(
                .reviewSubmissionItems, [:],
                [
                    "reviewSubmission": (.reviewSubmissions, submission),
                    "backgroundAssetVersion": (.backgroundAssetVersions, try id(version)),
                ]))
        let webhook = try id(
            try await publisher.create(
                .webhooks,
                [
                    "name": "n", "enabled": false, "secret": "s", "url": "https://hooks.example.com/",
                    "eventTypes": ["BACKGROUND_ASSET_VERSION_STATE_UPDATED"],
                ], ["app": (.apps, fixture.appID)]))
        let appVersion = try id(
            try await publisher.create(
                .appStoreVersions, ["platform": "LINUX", "versionString": "1.0"], ["app": (.apps, fixture.appID)]))
        return [
            (.apps, fixture.appID), (.backgroundAssets, pack), (.backgroundAssetVersions, try id(version)),
            (.backgroundAssetUploadFiles, try link("assetFile")),
            (.internalBetaReleases, try link("internalBetaRelease")),
            (.externalBetaReleases, try link("externalBetaRelease")), (.appStoreReleases, try link("appStoreRelease")),
            (.buildUploads, try id(upload)), (.builds, build), (.reviewSubmissions, submission),
            (.reviewSubmissionItems, item), (.webhooks, webhook), (.appStoreVersions, appVersion),
        ]
    }

    @Test func nothingOfAnotherAppIsThereToReadOrChange() async throws {
        try await HostFixture.with { fixture in
            let all = try await everything(fixture)
            _ = try await fixture.app("org.example.other")
            let stranger = try await fixture.publisher(.admin, apps: ["org.example.other"])
            for (type, id) in all {
                let path = "/v1/\(type)/\(id)"
                let read = try await stranger.send("GET", path)
                #expect(read.status == 404 || read.status == 405, "\(path)")
                for relationship in ResourceCatalog.standard[type].relationships {
                    for form in ["", "relationships/"] {
                        let related = try await stranger.send("GET", "\(path)/\(form)\(relationship.name)")
                        #expect(related.status == 404, "\(path)/\(form)\(relationship.name)")
                    }
                }
                let change = try await stranger.send("PATCH", path, Publisher.document(type, id: id))
                #expect(change.status == 404 || change.status == 405, "PATCH \(path): \(change.status)")
                let deletion = try await stranger.send("DELETE", path)
                #expect(deletion.status == 404 || deletion.status == 405, "DELETE \(path): \(deletion.status)")
                // The owner still has it all.
                let own = try await fixture.publisher.send("GET", path)
                #expect(own.status == 200 || own.status == 405, "\(path)")
            }
            for schema in ResourceCatalog.standard.schemas {
                let list = try await stranger.send("GET", "/v1/\(schema.type)?filter[app]=\(fixture.appID)")
                guard list.status == 200 else { continue }
                #expect(try list.json["data"] == [], "\(schema.type)")
            }
        }
    }

    @Test func nothingIsMadeFromResourcesOfAnotherApp() async throws {
        try await HostFixture.with { fixture in
            let ids = Dictionary(uniqueKeysWithValues: try await everything(fixture).map { ($0.0, $0.1) })
            _ = try await fixture.app("org.example.other")
            let stranger = try await fixture.publisher(.admin, apps: ["org.example.other"])
            let attempts: [(ResourceType, [String: JSONValue], [(String, ResourceType)])] = [
                (.backgroundAssets, ["assetPackIdentifier": "Other"], [("app", .apps)]),
                (.backgroundAssetVersions, [:], [("backgroundAsset", .backgroundAssets)]),
                (
                    .backgroundAssetUploadFiles, ["assetType": "MANIFEST", "fileName": "f", "fileSize": 1],
                    [("backgroundAssetVersion", .backgroundAssetVersions)]
                ),
                (.betaReviewSubmissions, [:], [("backgroundAssetVersion", .backgroundAssetVersions)]),
                (.reviewSubmissions, ["platform": "TV_OS"], [("app", .apps)]),
                (
                    .reviewSubmissionItems, [:],
                    [("reviewSubmission", .reviewSubmissions), ("backgroundAssetVersion", .backgroundAssetVersions)]
                ),
                (.reviewDecisions, ["verdict": "APPROVED"], [("reviewSubmission", .reviewSubmissions)]),
                (
                    .buildUploads,
                    ["cfBundleShortVersionString": "9", "cfBundleVersion": "9", "platform": "LINUX"], [("app", .apps)]
                ),
                (.buildReleases, ["channel": "appStore"], [("build", .builds)]),
                (.buildBetaReviews, [:], [("build", .builds)]),
                (.appStoreVersions, ["platform": "IOS", "versionString": "9"], [("app", .apps)]),
                (.webhookPings, [:], [("webhook", .webhooks)]),
                (
                    .webhooks,
                    [
                        "name": "n", "enabled": true, "secret": "s", "url": "https://hooks.example.com/",
                        "eventTypes": ["BACKGROUND_ASSET_VERSION_STATE_UPDATED"],
                    ], [("app", .apps)]
                ),
            ]
            for (type, attributes, links) in attempts {
                let named = Dictionary(uniqueKeysWithValues: links.map { ($0.0, ($0.1, ids[$0.1] ?? "")) })
                let answer = try await stranger.send(
                    "POST", "/v1/\(type)", Publisher.document(type, attributes, named))
                #expect(answer.status == 409, "\(type): \(answer.status)")
                #expect(answer.code == "ENTITY_ERROR.RELATIONSHIP.INVALID", "\(type)")
            }
        }
    }

    /// Identifiers are no numbers that count up, and those that were never given out lead nowhere.
    @Test func identifiersAreNotGuessed() async throws {
        try await HostFixture.with { fixture in
            let packs = [
                try await fixture.publisher.pack("A", app: fixture.appID),
                try await fixture.publisher.pack("B", app: fixture.appID),
            ]
            #expect(packs.allSatisfy { $0.utf8.count == 36 })
            #expect(zip(packs[0].utf8, packs[1].utf8).filter { $0 != $1 }.count > 16)
            for guess in ["0", "1", "2", packs[0].uppercased(), String(packs[0].dropLast()), packs[0] + "0", "%25"] {
                #expect(try await fixture.publisher.send("GET", "/v1/backgroundAssets/\(guess)").status == 404)
            }
        }
    }
}
