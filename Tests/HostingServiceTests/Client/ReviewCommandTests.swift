// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import Kit
import System
import TestSupport
import Testing

/// The reviewer's commands, and those under the name of Apple's tool.
@Suite(.timeLimit(.minutes(5))) struct ReviewCommandTests {
    /// A version that was submitted for external testers; the submission's identifier.
    private static func submit(_ fixture: HostFixture, _ packID: String) async throws -> String {
        let pack = try await fixture.publisher.pack(packID, app: fixture.appID)
        let version = try await fixture.publisher.publish(fixture.archive(packID, content: [1, 2, 3]), to: pack)
        let id = try #require(version["id"]?.stringValue)
        let submission = try await fixture.publisher.create(
            .betaReviewSubmissions, [:], ["backgroundAssetVersion": (.backgroundAssetVersions, id)])
        return try #require(submission["id"]?.stringValue)
    }

    @Test func aReviewerSeesAndDecides() async throws {
        try await HostFixture.with { fixture in
            let good = try await Self.submit(fixture, "Good")
            let bad = try await Self.submit(fixture, "Bad")
            let reviewer = try await fixture.publisher(.reviewer)
            let list = try await fixture.run(["review", "list"], by: reviewer)
            #expect(list.code == .success, "\(list)")
            #expect(list.output.contains(good) && list.output.contains("Good 1"))
            #expect(list.output.contains(bad) && list.output.contains(HostFixture.bundleID))
            let approved = try await fixture.run(["review", "approve", good], by: reviewer)
            #expect(approved.code == .success, "\(approved)")
            let silent = try await fixture.run(["review", "reject", bad], by: reviewer)
            #expect(silent.code == .usage)
            let rejected = try await fixture.run(["review", "reject", bad, "--message", "No licence."], by: reviewer)
            #expect(rejected.code == .success, "\(rejected)")
            let empty = try await fixture.run(["review", "list"], by: reviewer)
            #expect(empty.output.contains("Nothing waits"))
            let all = try await fixture.run(["review", "list", "--all", "--json"], by: reviewer)
            let states = try all.output.split(separator: "\n").map {
                try JSONParser.parse(Array($0.utf8)).value["state"]?.stringValue
            }
            #expect(Set(states) == ["APPROVED", "REJECTED"])
        }
    }

    @Test func aSubmissionForTheAppStoreIsDecidedAsAWhole() async throws {
        try await HostFixture.with { fixture in
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let version = try await fixture.publisher.publish(fixture.archive(content: [1, 2, 3]), to: pack)
            let submission = try #require(
                try await fixture.publisher.create(.reviewSubmissions, [:], ["app": (.apps, fixture.appID)])["id"]?
                    .stringValue)
            _ = try await fixture.publisher.create(
                .reviewSubmissionItems, [:],
                [
                    "reviewSubmission": (.reviewSubmissions, submission),
                    "backgroundAssetVersion": (.backgroundAssetVersions, version["id"]?.stringValue ?? ""),
                ])
            _ = try await fixture.publisher.send(
                "PATCH", "/v1/reviewSubmissions/\(submission)",
                Publisher.document(.reviewSubmissions, id: submission, ["submitted": true]))
            let list = try await fixture.run(["review", "list", "--app", HostFixture.bundleID])
            #expect(list.output.contains("Coast 1"))
            let approved = try await fixture.run(["review", "approve", submission])
            #expect(approved.code == .success, "\(approved)")
            let manifest = try await fixture.publisher.send(
                "GET", "/devices/\(HostFixture.bundleID)/appStore/manifest", token: .some(nil))
            #expect(try manifest.json["assetPacks"]?.arrayValue?.count == 1)
        }
    }

    @Test func whoMayNotDecideIsToldSo() async throws {
        try await HostFixture.with { fixture in
            let submission = try await Self.submit(fixture, "Coast")
            let developer = try await fixture.publisher(.developer)
            #expect(try await fixture.run(["review", "approve", submission], by: developer).code == .refused)
            let unknown = try await fixture.run(["review", "approve", "nothing"])
            #expect(unknown.code == .notFound && unknown.errors.contains("larder review list"), "\(unknown)")
        }
    }

    // MARK: altool

    @Test func applesOptionsUploadAndShow() async throws {
        try await HostFixture.with { fixture in
            let archive = try fixture.scratch.archive("Coast", content: [1, 2, 3]).string
            let signer = fixture.publisher.signer
            let access = ["--api-key", signer.keyID, "--api-issuer", signer.issuer]
            let app = ["--apple-id", fixture.appID]
            let uploaded = try await fixture.run(
                ["--upload-asset-pack", archive, "--wait"] + app + access, as: "altool",
                environment: ["APP_STORE_CONNECT_KEY_IDENTIFIER": "", "APP_STORE_CONNECT_ISSUER_ID": ""])
            #expect(uploaded.code == .success, "\(uploaded)")
            let packs = try await fixture.run(["--list-asset-packs"] + app, as: "altool")
            #expect(packs.output.contains("Coast"))
            let named = app + ["--asset-pack-identifier", "Coast"]
            let versions = try await fixture.run(["--list-asset-pack-versions"] + named, as: "altool")
            #expect(versions.output.contains("COMPLETE"))
            let status = try await fixture.run(["--asset-pack-status"] + named + ["--version", "1"], as: "altool")
            #expect(status.code == .success, "\(status)")
            #expect(status.output.contains("State:   COMPLETE"))
            let missing = try await fixture.run(["--asset-pack-status"] + named + ["--version", "2"], as: "altool")
            #expect(missing.code == .notFound)
            #expect(try await fixture.run(["--list-asset-packs", "--asset-pack-status"], as: "altool").code == .usage)
        }
    }
}
