// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import Kit
import TestSupport
import Testing

/// The publisher's way to a reviewer.
@Suite(.timeLimit(.minutes(5))) struct SubmitCommandTests {
    private func publish(_ name: String, _ fixture: HostFixture) async throws {
        let pack = try await fixture.publisher.pack(name, app: fixture.appID)
        _ = try await fixture.publisher.publish(fixture.archive(name, content: [1, 2, 3]), to: pack)
    }

    private func submit(_ words: [String], _ fixture: HostFixture, by publisher: Publisher? = nil) async throws
        -> (code: ExitCode, output: String, errors: String)
    {
        try await fixture.run(["submit"] + words + ["--app", HostFixture.bundleID], by: publisher)
    }

    /// The identifiers of what waits, as a reviewer's list has them.
    private func waiting(_ fixture: HostFixture) async throws -> [JSONValue] {
        let list = try await fixture.run(["review", "list", "--json"], by: fixture.publisher(.reviewer))
        return try list.output.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)).value }
    }

    private func packs(_ fixture: HostFixture, _ channel: Channel) async throws -> Int? {
        let token = channel == .appStore ? nil : try await fixture.channelToken(channel)
        let manifest = try await fixture.publisher.send(
            "GET", "/devices/\(HostFixture.bundleID)/\(channel)/manifest", token: .some(token))
        return try manifest.json["assetPacks"]?.arrayValue?.count
    }

    @Test func packsAreSubmittedToExternalTestersOneByOne() async throws {
        try await HostFixture.with { fixture in
            for name in ["Coast", "Isles"] { try await publish(name, fixture) }
            let submitted = try await submit(["Coast", "Isles", "--channel", "externalBeta"], fixture)
            #expect(submitted.code == .success, "\(submitted)")
            let waiting = try await waiting(fixture)
            #expect(waiting.count == 2)
            for submission in waiting {
                let id = try #require(submission["id"]?.stringValue)
                #expect(submitted.output.contains(id))
                #expect(try await fixture.run(["review", "approve", id]).code == .success)
            }
            #expect(try await packs(fixture, .externalBeta) == 2)
        }
    }

    @Test func packsAndABuildGoToTheAppStoreTogether() async throws {
        try await HostFixture.with { fixture in
            for name in ["Coast", "Isles"] { try await publish(name, fixture) }
            let upload = try await BuildTests.upload(
                BuildTests.archive(fixture.scratch, version: "1.0"), version: "1.0", fixture)
            let build = try #require(upload["relationships"]?["build"]?["data"]?["id"]?.stringValue)
            let words = ["Coast", "Isles", "--build", build, "--channel", "appStore"]
            let first = try await submit(words, fixture)
            #expect(first.code == .success, "\(first)")
            // A publisher sees all apps' submissions without naming one.
            let id = try #require(try await waiting(fixture).first?["id"]?.stringValue)
            #expect(try await fixture.run(["review", "list"]).output.contains(id))

            // What was taken back can be submitted again: the app's version is there already.
            #expect(try await fixture.run(["review", "cancel", id]).code == .success)
            #expect(try await waiting(fixture).isEmpty)
            let second = try await submit(words, fixture)
            #expect(second.code == .success, "\(second)")
            let again = try await waiting(fixture)
            #expect(again.count == 1 && again.first?["items"]?.arrayValue?.count == 3, "\(again)")
            let last = try #require(again.first?["id"]?.stringValue)
            #expect(try await fixture.run(["review", "approve", last]).code == .success)
            #expect(try await packs(fixture, .appStore) == 2)
            #expect(try await fixture.ask(.appStore, "build").status == 200)
        }
    }

    /// A submission that came back is put right by the command that made it.
    @Test func whatCameBackIsSubmittedAgain() async throws {
        try await HostFixture.with { fixture in
            for name in ["Coast", "Isles", "Reefs"] { try await publish(name, fixture) }
            #expect(try await submit(["Coast", "Isles", "Reefs", "--channel", "appStore"], fixture).code == .success)
            let first = try #require(try await waiting(fixture).first)
            #expect(first["channel"] == "appStore")
            let id = try #require(first["id"]?.stringValue)
            let items = first["items"]?.arrayValue ?? []
            for pack in ["Isles 1", "Reefs 1"] {
                let item = try #require(items.first { $0["pack"]?.stringValue == pack }?["id"]?.stringValue)
                let rejected = try await fixture.run(["review", "reject", item, "-m", "No licence."])
                #expect(rejected.code == .success, "\(rejected)")
            }
            #expect(try await fixture.run(["review", "approve", id]).code == .success)

            // One of the two that were rejected is forgotten: nothing happens, and the way out is said.
            let half = try await submit(["Isles", "--channel", "appStore"], fixture)
            #expect(half.code == .badInput && half.errors.contains("larder review cancel \(id)"), "\(half)")
            #expect(try await waiting(fixture).isEmpty)

            // A new version takes the place of the old one, and one that is named again counts as mended.
            let packs = try await fixture.publisher.send("GET", "/v1/apps/\(fixture.appID)/backgroundAssets").json
            let isles = packs["data"]?.arrayValue?.first { $0["attributes"]?["assetPackIdentifier"] == "Isles" }
            _ = try await fixture.publisher.publish(
                fixture.archive("Isles", content: [4]), to: try #require(isles?["id"]?.stringValue))
            let again = try await submit(["Isles", "Reefs", "--channel", "appStore"], fixture)
            #expect(again.code == .success, "\(again)")
            let second = try #require(try await waiting(fixture).first)
            #expect(second["id"]?.stringValue == id)
            let present = (second["items"]?.arrayValue ?? []).filter { $0["state"] != "REMOVED" }
            #expect(Set(present.compactMap { $0["pack"]?.stringValue }) == ["Coast 1", "Isles 2", "Reefs 1"])
            #expect(try await fixture.run(["review", "approve", id]).code == .success)
            #expect(try await self.packs(fixture, .appStore) == 3)
        }
    }

    /// A command that ended halfway, and is given again, does the rest.
    @Test func whatWasHalfPutTogetherIsGoneOnWith() async throws {
        try await HostFixture.with { fixture in
            for name in ["Coast", "Isles"] { try await publish(name, fixture) }
            let submission = try #require(
                try await fixture.publisher.create(.reviewSubmissions, [:], ["app": (.apps, fixture.appID)])["id"]?
                    .stringValue)
            let packs = try await fixture.publisher.send(
                "GET", "/v1/apps/\(fixture.appID)/backgroundAssets?sort=assetPackIdentifier&include=internalBetaVersion"
            )
            let version = try packs.json["data"]?.arrayValue?.first?["relationships"]?["internalBetaVersion"]?["data"]
            _ = try await fixture.publisher.create(
                .reviewSubmissionItems, [:],
                [
                    "reviewSubmission": (.reviewSubmissions, submission),
                    "backgroundAssetVersion": (
                        .backgroundAssetVersions, try #require(version?["id"]?.stringValue)
                    ),
                ])
            let submitted = try await submit(["Coast", "Isles", "--channel", "appStore"], fixture)
            #expect(submitted.code == .success && submitted.output.contains(submission), "\(submitted)")
            #expect(try await waiting(fixture).first?["items"]?.arrayValue?.count == 2)
        }
    }

    @Test func whatIsNotCompleteIsNotBegunWith() async throws {
        try await HostFixture.with { fixture in
            try await publish("Coast", fixture)
            let pack = try await fixture.publisher.pack("Isles", app: fixture.appID)
            _ = try await fixture.publisher.version(of: pack)
            let refused = try await submit(["Coast", "Isles", "--channel", "appStore"], fixture)
            #expect(refused.code == .badInput, "\(refused)")
            #expect(refused.errors.contains("Version 1 of the pack \"Isles\" is AWAITING_UPLOAD"), "\(refused)")
            let all = try await fixture.run(["review", "list", "--all"])
            #expect(all.output.contains("Nothing waits"), "\(all)")
        }
    }

    @Test func whatCannotBeSubmittedIsSaid() async throws {
        try await HostFixture.with { fixture in
            try await publish("Coast", fixture)
            #expect(try await submit(["--channel", "appStore"], fixture).code == .usage)
            #expect(try await submit(["Coast"], fixture).code == .usage)
            #expect(try await submit(["Coast", "--channel", "internalBeta"], fixture).code == .usage)
            #expect(
                try await submit(["Coast", "Isles", "--number", "1", "--channel", "appStore"], fixture).code == .usage)
            let missing = try await submit(["Isles", "--channel", "appStore"], fixture)
            #expect(missing.code == .notFound && missing.errors.contains("\"Isles\""), "\(missing)")
            let build = try await submit(["--build", "x", "--channel", "appStore"], fixture)
            #expect(build.code == .notFound, "\(build)")
            let developer = try await submit(
                ["Coast", "--channel", "externalBeta"], fixture, by: fixture.publisher(.developer))
            #expect(developer.code == .refused, "\(developer)")
        }
    }
}
