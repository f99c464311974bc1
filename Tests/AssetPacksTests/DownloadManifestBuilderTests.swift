// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import AssetPacks

struct DownloadManifestBuilderTests {
    private func pack(_ id: String, platforms: String = "[]", size: Int64 = 10) throws -> PackContents {
        let text = """
            {"assetPackID":"\(id)","downloadPolicy":{"onDemand":{}},"platforms":\(platforms),"language":"en-gb",
             "userInfo":{"k":"v"}}
            """
        return PackContents(
            manifest: try PackManifest.decodeArchived(text.utf8, source: "manifest.json"), archiveSize: size,
            digest: String(repeating: "ab", count: 32), installedSize: 20, fileCount: 2, linkCount: 0,
            directoryCount: 0, warnings: [])
    }

    private func message(_ body: () throws -> Void) throws -> String {
        try #require(throws: AssetPackError.self) { try body() }.message
    }

    @Test func create() throws {
        let builder = try DownloadManifestBuilder(platform: .linux, baseURL: "https://cdn.example.com/packs//")
        let manifest = try builder.create([pack("a"), pack("b")], versions: [3, 5])
        #expect(manifest.assetPacks.map(\.version) == [3, 5])
        #expect(
            manifest.assetPacks.map(\.url) == ["https://cdn.example.com/packs/a", "https://cdn.example.com/packs/b"])
        #expect(
            manifest.json["assetPacks"]?.arrayValue?.first == [
                "id": "a", "url": "https://cdn.example.com/packs/a", "version": 3, "downloadSize": 10,
                "downloadPolicy": ["onDemand": [:]], "host": ["thirdParty": [:]], "language": "en-GB",
                "userInfo": ["k": "v"],
                "larder": [
                    "digest": ["algorithm": "sha256-tree-1m", "value": .string(String(repeating: "ab", count: 32))],
                    "installedSize": 20, "fileCount": 2,
                ],
            ])
        #expect(try DownloadManifest.decode(manifest.serialized, source: "D.json") == manifest)
        #expect(try builder.create([pack("a")]).assetPacks.map(\.version) == [0])
    }

    @Test func thePrimaryLanguageIsWrittenAndKept() throws {
        let builder = try DownloadManifestBuilder(platform: .linux, baseURL: "https://h/p")
        let manifest = try builder.create([pack("a")], primaryLanguage: "EN-gb")
        #expect(manifest.json["larder"] == ["primaryLanguage": "en-GB"])
        let update = try builder.update(manifest, with: [pack("a"), pack("b")])
        #expect(update.manifest.json["larder"] == ["primaryLanguage": "en-GB"])
        #expect(try builder.create([pack("a")]).json["larder"] == nil)
        let refusal = try message { _ = try builder.create([pack("a")], primaryLanguage: "en_GB") }
        #expect(refusal.contains("en_GB") && refusal.contains("en-GB"), "\(refusal)")
    }

    @Test func updateRaisesExactlyTheGiven() throws {
        let builder = try DownloadManifestBuilder(platform: .iOS, baseURL: "https://h/p")
        var manifest = try builder.create([pack("a"), pack("b"), pack("c")], versions: [1, 2, 3])
        manifest.other = ["generator": "x"]
        manifest.larder = ["channel": "beta"]
        manifest.assetPacks[1].other = ["note": "kept"]
        manifest.assetPacks[1].larder?.other = ["future": 1]
        manifest.assetPacks[1].url = "https://elsewhere/b.aar"
        let update = try DownloadManifestBuilder(platform: .iOS, baseURL: nil)
            .update(manifest, with: [pack("b", size: 99)])
        #expect(update.changes == [.init(id: "b", from: 2, to: 3)])
        #expect(update.manifest.assetPacks.map(\.version) == [1, 3, 3])
        let changed = update.manifest.assetPacks[1]
        #expect(changed.downloadSize == 99)
        #expect(changed.url == "https://elsewhere/b.aar")
        #expect(changed.other == ["note": "kept"])
        #expect(changed.larder?.other == ["future": 1])
        #expect(update.manifest.assetPacks[0] == manifest.assetPacks[0])
        #expect(update.manifest.other == ["generator": "x"])
        #expect(update.manifest.larder == ["channel": "beta"])
    }

    @Test func updateWithABaseURLMovesThePack() throws {
        let manifest = try DownloadManifestBuilder(platform: .iOS, baseURL: "https://old/p").create([pack("a")])
        let update = try DownloadManifestBuilder(platform: .iOS, baseURL: "https://new/p").update(
            manifest, with: [pack("a")])
        #expect(update.manifest.assetPacks[0].url == "https://new/p/a")
    }

    @Test func updateAddsWhatIsNew() throws {
        let manifest = try DownloadManifestBuilder(platform: .iOS, baseURL: "https://h/p").create([pack("a")])
        let update = try DownloadManifestBuilder(platform: .iOS, baseURL: "https://h/p").update(
            manifest, with: [pack("b")])
        #expect(update.changes == [.init(id: "b", from: nil, to: 0)])
        #expect(
            try message {
                _ = try DownloadManifestBuilder(platform: .iOS, baseURL: nil).update(manifest, with: [pack("b")])
            }
                == "The pack \"b\" is new to the manifest; give --download-base-url for its URL.")
    }

    @Test func mistakes() throws {
        let builder = try DownloadManifestBuilder(platform: .linux, baseURL: "https://h")
        #expect(
            try message { _ = try builder.create([pack("a")], versions: [1, 2]) }
                == "There are 1 packs but 2 versions; give one version for each pack, in order.")
        #expect(
            try message { _ = try builder.create([pack("a"), pack("a")]) }
                == "Two of the archives hold the pack \"a\". Give each pack once.")
        #expect(
            try message { _ = try builder.create([pack("a", platforms: "[\"iOS\",\"tvOS\"]")]) }
                == "The pack \"a\" is for \"iOS\" and \"tvOS\" and not for \"Linux\". "
                + "Leave it out, or add the platform to its manifest.")
        #expect(
            try message { _ = try DownloadManifestBuilder(platform: .iOS, baseURL: "http://example.com") }
                == "The download base URL \"http://example.com\" must begin with https://.")
        #expect(
            try message { _ = try DownloadManifestBuilder(platform: .iOS, baseURL: "https://h/?a") }
                == "The download base URL \"https://h/?a\" has a query or fragment, where a pack's name must follow.")
    }

    @Test func versionsDoNotOverflow() throws {
        let builder = try DownloadManifestBuilder(platform: .iOS, baseURL: "https://h")
        let manifest = try builder.create([pack("a")], versions: [Int.max - 1])
        #expect(throws: AssetPackError.self) { try builder.update(manifest, with: [pack("a")]) }
    }
}
