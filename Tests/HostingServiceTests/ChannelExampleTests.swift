// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import HostingModel
import HostingService
import Kit
import Testing

/// Which version of a pack the devices of each channel have, example by example (BA 4.6). What the device makes of it is in
/// the integration tests.
@Suite(.timeLimit(.minutes(5))) struct ChannelExampleTests {
    private func versions(_ fixture: HostFixture, _ pack: String = "Coast") async throws -> [Channel: Int] {
        var found: [Channel: Int] = [:]
        for channel in Channel.allCases {
            let answer = try await fixture.ask(channel, "manifest")
            found[channel] = try DownloadManifest.decode(answer.body, source: "host", allowingPlainLoopback: true)[
                pack]?.version
        }
        return found
    }

    private func publish(_ fixture: HostFixture, _ pack: String, _ content: UInt8) async throws -> String {
        let data = try await fixture.publisher.publish(fixture.archive(content: [content]), to: pack)
        return try #require(data["id"]?.stringValue)
    }

    private func release(_ fixture: HostFixture, _ version: String, to channel: Channel) async throws {
        let publisher = fixture.publisher
        if channel == .externalBeta {
            _ = try await publisher.create(
                .betaReviewSubmissions, [:], ["backgroundAssetVersion": (.backgroundAssetVersions, version)])
            return
        }
        let submission = try #require(
            try await publisher.create(.reviewSubmissions, ["platform": "IOS"], ["app": (.apps, fixture.appID)])["id"]?
                .stringValue)
        _ = try await publisher.create(
            .reviewSubmissionItems, [:],
            [
                "reviewSubmission": (.reviewSubmissions, submission),
                "backgroundAssetVersion": (.backgroundAssetVersions, version),
            ])
        let answer = try await publisher.send(
            "PATCH", "/v1/reviewSubmissions/\(submission)",
            Publisher.document(.reviewSubmissions, id: submission, ["submitted": true]))
        #expect(answer.status == 200)
    }

    private func states(_ fixture: HostFixture, _ version: String) async throws -> [String] {
        let document = try await fixture.publisher.send(
            "GET",
            "/v1/backgroundAssetVersions/\(version)?include=internalBetaRelease,externalBetaRelease,appStoreRelease"
        ).json
        let included = document["included"]?.arrayValue ?? []
        return Channel.allCases.compactMap { channel in
            included.first { $0["type"]?.stringValue == channel.releaseType.name }?["attributes"]?["state"]?
                .stringValue
        }
    }

    /// Internal testers are always ahead, each channel has one live version, and a newer one takes its place.
    @Test(arguments: TestDatabase.allCases)
    func eachChannelHasOneLiveVersionUntilTheNextOneSupersedesIt(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database, { $0.reviewsAutomatically = true }) { fixture in
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let one = try await publish(fixture, pack, 1)
            #expect(try await versions(fixture) == [.internalBeta: 1])
            try await release(fixture, one, to: .externalBeta)
            try await release(fixture, one, to: .appStore)
            #expect(try await versions(fixture) == [.internalBeta: 1, .externalBeta: 1, .appStore: 1])

            let two = try await publish(fixture, pack, 2)
            #expect(try await versions(fixture) == [.internalBeta: 2, .externalBeta: 1, .appStore: 1])
            #expect(try await states(fixture, one) == ["SUPERSEDED", "READY_FOR_TESTING", "READY_FOR_DISTRIBUTION"])
            try await release(fixture, two, to: .externalBeta)
            #expect(try await versions(fixture) == [.internalBeta: 2, .externalBeta: 2, .appStore: 1])
            #expect(try await states(fixture, one) == ["SUPERSEDED", "SUPERSEDED", "READY_FOR_DISTRIBUTION"])

            // A version may go to the store without the testers outside, and past others.
            let three = try await publish(fixture, pack, 3)
            try await release(fixture, three, to: .appStore)
            #expect(try await versions(fixture) == [.internalBeta: 3, .externalBeta: 2, .appStore: 3])
            #expect(try await states(fixture, one) == ["SUPERSEDED", "SUPERSEDED", "SUPERSEDED"])
            #expect(try await states(fixture, two)[2] == "PREPARE_FOR_SUBMISSION")
        }
    }

    /// Numbers are the pack's own, whatever is uploaded of the app in between, and every installed build gets the same.
    @Test(arguments: TestDatabase.allCases)
    func allBuildsOfAChannelFollowTheLiveVersion(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            _ = try await publish(fixture, pack, 1)
            _ = try await BuildTests.upload(
                BuildTests.archive(fixture.scratch, version: "1.0"), version: "1.0", fixture)
            #expect(try await versions(fixture)[.internalBeta] == 1)
            _ = try await BuildTests.upload(
                BuildTests.archive(fixture.scratch, version: "2.0"), version: "2.0", fixture)
            _ = try await publish(fixture, pack, 2)
            for build in ["1.0", "2.0"] {
                let answer = try await fixture.ask(.internalBeta, "manifest?platform=Linux&build=\(build)")
                let manifest = try DownloadManifest.decode(
                    answer.body, source: "host", allowingPlainLoopback: true)
                #expect(manifest["Coast"]?.version == 2, "\(build)")
            }
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func anArchivedPackLeavesEveryChannelAndComesBack(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database, { $0.reviewsAutomatically = true }) { fixture in
            let publisher = fixture.publisher
            let pack = try await publisher.pack("Coast", app: fixture.appID)
            let one = try await publish(fixture, pack, 1)
            for channel in [Channel.externalBeta, .appStore] { try await release(fixture, one, to: channel) }
            let url = try #require(
                try DownloadManifest.decode(
                    try await fixture.ask(.appStore, "manifest").body, source: "host", allowingPlainLoopback: true)[
                        "Coast"]?.url)
            func archive(_ archived: Bool) async throws {
                let document = Publisher.document(.backgroundAssets, id: pack, ["archived": .bool(archived)])
                #expect(try await publisher.send("PATCH", "/v1/backgroundAssets/\(pack)", document).status == 200)
            }
            try await archive(true)
            #expect(try await versions(fixture) == [:])
            // A download that is under way ends well.
            #expect(try await publisher.send("GET", url, token: .some(nil)).status == 200)
            let version = try await publisher.send(
                "POST", "/v1/backgroundAssetVersions",
                Publisher.document(.backgroundAssetVersions, [:], ["backgroundAsset": (.backgroundAssets, pack)]))
            #expect(version.code == "STATE_ERROR.ARCHIVED")
            try await archive(false)
            #expect(try await versions(fixture) == [.internalBeta: 1, .externalBeta: 1, .appStore: 1])
        }
    }
}
