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
