// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import HostingService
import Kit
import Mail
import TestSupport
import Testing

/// Texts that no database should be asked for, in every place where a stranger may put one: each is refused or not found, and
/// none is an error of the host.
@Suite(.timeLimit(.minutes(5))) struct OddTextTests {
    private static let pieces = [
        "\u{0}", "\u{1}", "\u{7F}", "\n", "\r", "'", "\"", "\\", "%", "_", ";--", "\u{FFFD}", "\u{FFFE}", "\u{FFFF}",
        "\u{10FFFF}", "\u{202E}", "e\u{301}", "🏖", "\u{E000}", " ", "$1", "?", "NULL", "a", ",", "{}", "[", "]", "&",
        "=",
        "+", "-", "/", "..", "1", "99999999999999999999", "-9223372036854775808",
    ]

    /// Such a text, seldom a long one; of those that PostgreSQL has no place for every third.
    private static func text(_ generator: inout SeededGenerator) -> String {
        var text = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
            pieces.randomElement(using: &generator) ?? ""
        }.joined()
        if Int.random(in: 0..<3, using: &generator) == 0 { text += "\u{0}" }
        if Int.random(in: 0..<20, using: &generator) == 0 { text += String(repeating: "x", count: 5000) }
        return text
    }

    @Test(arguments: TestDatabase.allCases)
    func aTextIsNeverAnErrorOfTheHost(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let publisher = fixture.publisher
            let pack = try await publisher.pack("Coast", app: fixture.appID)
            let version = try await publisher.version(of: pack)
            var generator = SeededGenerator.forTest()
            for _ in 0..<40 {
                let text = Self.text(&generator)
                let encoded = PercentEncoding.encode(text)
                let cursor = PageCursor(values: [.string(text)], sequence: 1).text
                var answers: [(String, Publisher.Answer)] = []
                for path in [
                    "/v1/apps/\(encoded)", "/v1/backgroundAssets/\(encoded)/versions",
                    "/v1/apps?filter[bundleId]=\(encoded)", "/v1/apps?filter[id]=\(encoded)",
                    "/v1/apps?fields[apps]=\(encoded)", "/v1/apps?fields[\(encoded)]=name",
                    "/v1/apps?include=\(encoded)", "/v1/apps?sort=\(encoded)", "/v1/apps?cursor=\(encoded)",
                    "/v1/apps?sort=name&cursor=\(cursor)", "/v1/apps?\(encoded)=1",
                    "/v1/apps/\(fixture.appID)/backgroundAssets?filter[assetPackIdentifier]=\(encoded)",
                    "/v1/backgroundAssets/\(pack)/versions?filter[version]=\(encoded)",
                    "/v1/backgroundAssets/\(pack)/versions?filter[locale]=\(encoded)",
                    "/devices/\(encoded)/appStore/manifest", "/devices/\(encoded)/internalBeta/manifest?token=x",
                    "/devices/\(HostFixture.bundleID)/\(encoded)/manifest",
                    "/devices/\(HostFixture.bundleID)/appStore/manifest?platform=\(encoded)&device=\(encoded)",
                    "/devices/\(HostFixture.bundleID)/appStore/manifest?appVersion=\(encoded)&taken=\(encoded)",
                    "/devices/\(HostFixture.bundleID)/internalBeta/manifest?token=\(encoded)",
                    "/archives/\(encoded)", "/uploads/\(encoded)/1?signature=x",
                ] {
                    answers.append((path, try await publisher.send("GET", path)))
                }
                for (type, links) in Self.links(text, app: fixture.appID, version: version) {
                    let body = Publisher.document(type, Self.attributes(of: type), links)
                    let answer = try await publisher.send("POST", "/v1/\(type)", body)
                    #expect((400..<500).contains(answer.status), "\(type) \(answer.status) \(text.debugDescription)")
                }
                for (type, attributes, links) in Self.attributes(text, app: fixture.appID, version: version) {
                    let answer = try await publisher.send(
                        "POST", "/v1/\(type)", Publisher.document(type, attributes, links))
                    answers.append(("POST \(type)", answer))
                }
                answers.append(
                    ("a key", try await publisher.send("GET", "/v1/apps", token: .some(try token(of: text, fixture)))))
                let report: JSONValue = [
                    "device": .string(StagedPack.device(1)), "rollout": .string(text), "outcome": "FAILED",
                ]
                let path = "/devices/\(HostFixture.bundleID)/appStore/reports"
                answers.append((path, try await publisher.send("POST", path, report)))
                for (what, answer) in answers {
                    #expect(answer.status < 500, "\(what) \(answer.status) \(text.debugDescription)")
                }
            }
            #expect(try await publisher.send("GET", "/v1/apps").status == 200)
        }
    }

    /// A token that names a key so.
    private func token(of key: String, _ fixture: HostFixture) throws -> String {
        var signer = fixture.publisher.signer
        signer.keyID = key
        return try signer.token()
    }

    private static func attributes(of type: ResourceType) -> [String: JSONValue] {
        switch type {
        case .backgroundAssets: ["assetPackIdentifier": "New"]
        case .backgroundAssetUploadFiles: ["assetType": "ASSET", "fileName": "a.aar", "fileSize": 1]
        case .reviewSubmissions: ["platform": "LINUX"]
        case .reviewDecisions: ["verdict": "APPROVED"]
        case .rollouts: ["channel": "appStore", "percentage": 1]
        case .appRanges: ["minimumAppVersion": "1"]
        case .appStoreVersions: ["platform": "LINUX", "versionString": "1.0"]
        case .buildUploads: ["cfBundleShortVersionString": "1", "cfBundleVersion": "1", "platform": "LINUX"]
        case .buildReleases: ["channel": "appStore"]
        case .webhooks:
            ["enabled": true, "name": "CI", "secret": "s", "url": "https://example.invalid", "eventTypes": []]
        default: [:]
        }
    }

    /// Bodies that name something by that text.
    private static func links(
        _ text: String, app: String, version: String
    ) -> [(ResourceType, [String: (ResourceType, String)])] {
        [
            (.backgroundAssets, ["app": (.apps, text)]),
            (.backgroundAssetVersions, ["backgroundAsset": (.backgroundAssets, text)]),
            (.backgroundAssetUploadFiles, ["backgroundAssetVersion": (.backgroundAssetVersions, text)]),
            (.reviewSubmissions, ["app": (.apps, text)]),
            (
                .reviewSubmissionItems,
                [
                    "reviewSubmission": (.reviewSubmissions, text),
                    "backgroundAssetVersion": (.backgroundAssetVersions, version),
                ]
            ),
            (.reviewDecisions, ["reviewSubmissionItem": (.reviewSubmissionItems, text)]),
            (.betaReviewSubmissions, ["backgroundAssetVersion": (.backgroundAssetVersions, text)]),
            (.buildBetaReviews, ["build": (.builds, text)]),
            (.rollouts, ["backgroundAssetVersion": (.backgroundAssetVersions, text)]),
            (.appRanges, ["backgroundAssetVersion": (.backgroundAssetVersions, text)]),
            (.appStoreVersions, ["app": (.apps, app), "build": (.builds, text)]),
            (.buildUploads, ["app": (.apps, text)]),
            (.buildReleases, ["build": (.builds, text)]),
            (.webhooks, ["app": (.apps, text)]),
            (.webhookPings, ["webhook": (.webhooks, text)]),
            (.webhookDeliveries, ["template": (.webhookDeliveries, text)]),
        ]
    }

    /// Bodies with that text as a value. Some may be taken.
    private static func attributes(
        _ text: String, app: String, version: String
    ) -> [(ResourceType, [String: JSONValue], [String: (ResourceType, String)])] {
        let value = JSONValue.string(text)
        return [
            (.backgroundAssets, ["assetPackIdentifier": value], ["app": (.apps, app)]),
            (
                .backgroundAssetUploadFiles, ["assetType": "ASSET", "fileName": value, "fileSize": 1],
                ["backgroundAssetVersion": (.backgroundAssetVersions, version)]
            ),
            (
                .backgroundAssetUploadFiles, ["assetType": value, "fileName": value, "fileSize": value],
                ["backgroundAssetVersion": (.backgroundAssetVersions, version)]
            ),
            (
                .appStoreVersions, ["platform": value, "versionString": value, "copyright": value],
                ["app": (.apps, app)]
            ),
            (
                .buildUploads,
                ["cfBundleShortVersionString": value, "cfBundleVersion": value, "platform": "LINUX"],
                ["app": (.apps, app)]
            ),
            (
                .appRanges, ["minimumAppVersion": value],
                ["backgroundAssetVersion": (.backgroundAssetVersions, version)]
            ),
            (
                .webhooks,
                ["enabled": true, "name": value, "secret": value, "url": value, "eventTypes": [value]],
                ["app": (.apps, app)]
            ),
        ]
    }

    /// What is told of an archive that was refused has the archive's own words.
    @Test(arguments: TestDatabase.allCases)
    func whatAnArchiveSaysOfItselfCanBeTold(on database: TestDatabase) async throws {
        try await MailSink.with { sink in
            let mail = HostMail(
                server: try MailServer(url: sink.url), from: "larder@example.com", to: ["ops@example.com"])
            try await HostFixture.with(on: database, { $0.mail = mail }) { fixture in
                let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
                var archive = try fixture.archive(content: [1])
                // An entry's name that no file can have, and names of keys that none has.
                for (index, byte) in archive.enumerated().dropFirst(16) where byte == UInt8(ascii: "d") {
                    archive[index] = 0
                }
                let refused = try await fixture.publisher.publish(archive, to: pack)
                #expect(refused["attributes"]?["state"] == "FAILED")
                while try sink.letters().isEmpty { await Task.yield() }
                #expect(try sink.letters().count == 1)
            }
        }
    }
}
