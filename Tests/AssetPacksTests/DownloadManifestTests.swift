// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import FoundationEssentials
import Kit
import Testing

@testable import AssetPacks

struct DownloadManifestTests {
    static let digest = String(repeating: "0a", count: 32)

    static let golden = """
        {
          "assetPacks": [
            {
              "downloadPolicy": {
                "essential": {
                  "installationEventTypes": [
                    "firstInstallation",
                    "subsequentUpdate"
                  ]
                }
              },
              "downloadSize": 596,
              "host": {
                "thirdParty": {}
              },
              "id": "Tutorial",
              "language": "en-GB",
              "larder": {
                "digest": {
                  "algorithm": "sha256-tree-1m",
                  "value": "\(digest)"
                },
                "fileCount": 2,
                "future": 1,
                "installedSize": 1000
              },
              "note": "kept",
              "url": "https://cdn.example.com/packs/Tutorial",
              "userInfo": {
                "a": 1
              },
              "version": 3
            }
          ],
          "generator": "x",
          "larder": {
            "y": 2
          }
        }

        """

    @Test func goldenFileIsReadAndWrittenBack() throws {
        let manifest = try DownloadManifest.decode(Self.golden.utf8, source: "D.json")
        let pack = try #require(manifest["Tutorial"])
        #expect(pack.version == 3)
        #expect(pack.downloadSize == 596)
        #expect(pack.downloadPolicy == .essential([.firstInstallation, .subsequentUpdate]))
        #expect(pack.larder?.digest.value == Self.digest)
        #expect(pack.larder?.installedSize == 1000)
        #expect(pack.larder?.fileCount == 2)
        #expect(pack.other == ["note": "kept"])
        #expect(manifest.other == ["generator": "x"])
        #expect(String(decoding: manifest.serialized, as: UTF8.self) == Self.golden)
    }

    @Test func goesThroughCodable() throws {
        let manifest = try DownloadManifest.decode(Self.golden.utf8, source: "D.json")
        let data = try JSONEncoder().encode(manifest)
        #expect(try JSONDecoder().decode(DownloadManifest.self, from: data) == manifest)
        let pack = try JSONEncoder().encode(manifest.assetPacks[0])
        #expect(try JSONDecoder().decode(DownloadManifestPack.self, from: pack) == manifest.assetPacks[0])
    }

    @Test func asOtherToolsWriteIt() throws {
        let text = """
            { "assetPacks": [ { "id": "T", "url": "https://h/T", "version": 0, "downloadSize": 5,
              "downloadPolicy": { "prefetch": { "installationEventTypes": ["firstInstallation", "new"] } },
              "host": { "thirdParty": {} }, "userInfo": null } ] }
            """
        let pack = try #require(try DownloadManifest.decode(text.utf8, source: "D.json").assetPacks.first)
        #expect(pack.downloadPolicy == .prefetch([.firstInstallation]))
        #expect(pack.larder == nil)
        #expect(pack.userInfo == nil)
        #expect(try DownloadManifest.decode("{\"assetPacks\":[]}".utf8, source: "D.json").assetPacks.isEmpty)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: (String, String)
        let message: String

        init(_ from: String, _ to: String, _ message: String) {
            testDescription = "\(from) -> \(to)"
            change = (from, to)
            self.message = message
        }
    }

    static let line = """
        {"assetPacks":[{"id":"T","url":"https://h/T","version":0,"downloadSize":5,"downloadPolicy":{"onDemand":{}},"larder":\
        {"digest":{"algorithm":"sha256-tree-1m","value":"\(digest)"},"installedSize":1,"fileCount":1}}]}
        """

    static let cases: [Case] = [
        .init(
            "{\"assetPacks\":[", "[{\"assetPacks\":[",
            "D.json:1:269: not valid JSON: expected a comma or a closing bracket."),
        .init("\"assetPacks\"", "\"packs\"", "D.json:1:1: assetPacks is missing; add for example \"assetPacks\": []."),
        .init("\"id\":\"T\"", "\"id\":\"../T\"", "D.json:1:22: assetPacks[0].id: \"../T\" starts with a dot."),
        .init("\"id\":\"T\",", "", "D.json:1:16: assetPacks[0].id is missing; add for example \"id\": \"Tutorial\"."),
        .init("https://h/T", "http://h/T", "D.json:1:32: assetPacks[0].url: \"http://h/T\" must begin with https://."),
        .init(
            "https://h/T", "http://127.0.0.1/T",
            "D.json:1:32: assetPacks[0].url: \"http://127.0.0.1/T\" must begin with https://."),
        .init(
            "https://h/T", "/T",
            "D.json:1:32: assetPacks[0].url: \"/T\" is no absolute URL; write https://<host>/<path>."),
        .init("https://h/T", "file:///T", "D.json:1:32: assetPacks[0].url: \"file:///T\" has no host."),
        .init(
            "https://h/T", "https://u:p@h/T",
            "D.json:1:32: assetPacks[0].url: \"https://u:p@h/T\" holds a user name, which does not belong in a manifest."
        ),
        .init(
            "https://h/T", "https://h /T",
            "D.json:1:32: assetPacks[0].url: \"https://h /T\" holds a character that URLs must percent-encode."),
        .init("https://h/T", "https://h:0/T", "D.json:1:32: assetPacks[0].url: \"https://h:0/T\" has no valid port."),
        .init(
            "\"version\":0", "\"version\":-1",
            "D.json:1:56: assetPacks[0].version must be from 0 to 9223372036854775806, not -1."),
        .init("\"version\":0", "\"version\":1.5", "D.json:1:56: assetPacks[0].version must be a whole number."),
        .init(
            "\"version\":0", "\"version\":99999999999999999999",
            "D.json:1:56: assetPacks[0].version must be a whole number."),
        .init(
            "\"version\":0", "\"version\":\"1\"",
            "D.json:1:56: assetPacks[0].version must be a whole number, not a string."),
        .init(
            "\"downloadSize\":5", "\"downloadSize\":-5",
            "D.json:1:73: assetPacks[0].downloadSize must be from 0 to 281474976710656, not -5."),
        .init(
            "\"downloadSize\":5", "\"downloadSize\":9223372036854775807",
            "D.json:1:73: assetPacks[0].downloadSize must be from 0 to 281474976710656, not 9223372036854775807."),
        .init(
            "{\"onDemand\":{}}", "{\"never\":{}}",
            "D.json:1:92: assetPacks[0].downloadPolicy must have exactly one of the keys \"essential\", \"prefetch\" and \"onDemand\", not none."
        ),
        .init(
            "sha256-tree-1m", "md5",
            "D.json:1:140: assetPacks[0].larder.digest.algorithm: \"md5\" is not known; \"sha256-tree-1m\" is."),
        .init("0a0a", "0g0a", "D.json:1:165: assetPacks[0].larder.digest.value must be 64 hexadecimal digits."),
        .init(
            "\"fileCount\":1", "\"fileCount\":-1",
            "D.json:1:263: assetPacks[0].larder.fileCount must be from 0 to 1099511627776, not -1."),
    ]

    @Test(arguments: cases)
    func says(_ test: Case) throws {
        let text = Self.line.replacing(test.change.0, with: test.change.1, maxReplacements: 1)
        #expect(text != Self.line)
        let error = try #require(throws: AssetPackError.self) {
            try DownloadManifest.decode(text.utf8, source: "D.json")
        }
        #expect(error.code == .invalidDownloadManifest)
        #expect(error.message == test.message)
    }

    @Test func sameIdTwice() throws {
        let pack =
            "{\"id\":\"T\",\"url\":\"https://h/T\",\"version\":0,\"downloadSize\":5,\"downloadPolicy\":{\"onDemand\":{}}}"
        let error = try #require(throws: AssetPackError.self) {
            try DownloadManifest.decode("{\"assetPacks\":[\n\(pack),\n\(pack)]}".utf8, source: "D.json")
        }
        #expect(error.message == "D.json:3:1: assetPacks[1].id: \"T\" already stands at line 2.")
    }

    @Test func tooMany() throws {
        let packs = Array(repeating: "{}", count: DownloadManifest.maximumPackCount + 1).joined(separator: ",")
        let error = try #require(throws: AssetPackError.self) {
            try DownloadManifest.decode("{\"assetPacks\":[\(packs)]}".utf8, source: "D.json")
        }
        #expect(error.message.contains("more than the 10000 allowed"))
        let large = Array(repeating: UInt8(ascii: " "), count: DownloadManifest.maximumSize + 1)
        let tooLarge = try #require(throws: AssetPackError.self) {
            try DownloadManifest.decode(large, source: "D.json")
        }
        #expect(tooLarge.message == "D.json: larger than the 16 MiB of a download manifest.")
    }

    @Test func plainLoopbackOnlyWhenAllowed() {
        for url in ["http://localhost:8080/x", "http://127.0.0.1/x", "http://[::1]:80/x"] {
            #expect(DownloadURL.problem(with: url) == "must begin with https://")
            #expect(DownloadURL.problem(with: url, allowingPlainLoopback: true) == nil)
        }
        for url in ["http://127.evil.example.com/x", "http://example.com", "http://localhost.example.com/"] {
            #expect(DownloadURL.problem(with: url, allowingPlainLoopback: true) == "must begin with https://")
        }
        #expect(DownloadURL.problem(with: "https://[::1]/x") == nil)
        #expect(DownloadURL.problem(with: "https://[zz]/x") == "has a broken host name")
        #expect(DownloadURL.problem(with: "HTTPS://Example.com:443?x#y") == nil)
    }

    @Test func schemesAreTheSameInEitherCase() {
        for url in ["https://example.com/x", "HTTPS://example.com/x", "httPs://example.com/x"] {
            #expect(DownloadURL.problem(with: url) == nil)
            #expect(DownloadURL.isEncrypted(url))
        }
        for url in ["http://example.com/", "https", "https:/example.com", "ttps://example.com/x", ""] {
            #expect(!DownloadURL.isEncrypted(url))
        }
    }
}
