// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import BackgroundAssets

/// Download manifests that an app reads itself (BA 1.12, 3.4).
@Suite struct ManifestTests {
    private static let good = """
        { "assetPacks": [
          { "id": "Tutorial", "url": "https://cdn.example.com/packs/Tutorial", "version": 3, "downloadSize": 596,
            "downloadPolicy": { "essential": { "installationEventTypes": ["firstInstallation"] } },
            "host": { "thirdParty": {} }, "userInfo": { "b": [1, null], "a": "ü" }, "language": "en-GB" },
          { "id": "Islands", "url": "https://cdn.example.com/packs/Islands", "version": 0, "downloadSize": 5000000000,
            "downloadPolicy": { "onDemand": {} }, "host": { "thirdParty": {} } } ],
          "larder": { "future": true } }
        """

    private func read(_ text: String) throws -> AssetPackManifest {
        try AssetPackManifest(from: Data(text.utf8), appGroupID: "group.org.example")
    }

    @Test func readsWhatBaPackageWrites() throws {
        let manifest = try read(Self.good)
        let tutorial = try #require(manifest.assetPack(withID: "Tutorial"))
        #expect(tutorial.version == 3 && tutorial.downloadSize == 596)
        #expect(tutorial.userInfo == Data("{\"a\":\"ü\",\"b\":[1,null]}".utf8))
        #expect(tutorial.language == Locale.Language(identifier: "en-GB"))
        let islands = try #require(manifest.assetPack(withID: "Islands"))
        #expect(islands.downloadSize == 5_000_000_000 && islands.userInfo == nil && islands.language == nil)
        #expect(manifest.assetPacks.count == 2)
        #expect(manifest.availableLanguages.map(\.minimalIdentifier) == ["en-GB"])
    }

    @Test func readsAFile() throws {
        try Scratch.with { scratch in
            let file = try scratch.write(Self.good, to: "manifest.json")
            let manifest = try AssetPackManifest(
                contentsOf: URL(filePath: file.string), appGroupID: "group.org.example")
            #expect(manifest.assetPacks.count == 2)
            #expect(throws: CocoaError.self) {
                try AssetPackManifest(contentsOf: URL(filePath: "/nonexistent/m.json"), appGroupID: "g")
            }
            let web = try #require(URL(string: "https://example.com/m.json"))
            #expect(throws: BackgroundAssetsError.self) { try AssetPackManifest(contentsOf: web, appGroupID: "g") }
            try scratch.write("{\n  \"assetPacks\": 1 }", to: "bad.json")
            let error = #expect(throws: BackgroundAssetsError.self) {
                try AssetPackManifest(contentsOf: URL(filePath: scratch("bad.json").string), appGroupID: "g")
            }
            #expect(error?.message.contains("bad.json") == true && error?.message.contains("line 2, column 17") == true)
        }
    }

    @Test func downloadsAreEssentialOnlyForTheEventsNamed() throws {
        let manifest = try read(Self.good)
        func essentials(_ request: BAContentRequest?) -> [String] {
            manifest.allDownloads(for: request).filter(\.isEssential).map(\.identifier)
        }
        #expect(essentials(.install) == ["Tutorial"])
        #expect(essentials(.update).isEmpty && essentials(.periodic).isEmpty && essentials(nil).isEmpty)
        let downloads = manifest.allDownloads(for: .install)
        #expect(Set(downloads.map(\.identifier)) == ["Tutorial", "Islands"])
        #expect(downloads.allSatisfy { $0.state == .created && $0.priority == .default })
        let essential = try #require(downloads.first { $0.isEssential })
        let later = essential.removingEssential()
        #expect(!later.isEssential && later.identifier == essential.identifier)
        #expect(later.uniqueIdentifier != essential.uniqueIdentifier && later != essential)
    }

    @Test func aDownloadThatIsNoLongerEssentialKeepsItsClass() throws {
        let request = URLRequest(url: try #require(URL(string: "https://example.org/x")))
        let download = BAURLDownload(
            identifier: "x", request: request, essential: true, fileSize: 5, applicationGroupIdentifier: "group.x",
            priority: .max)
        let later: BAURLDownload = download.removingEssential()
        #expect(type(of: later) == BAURLDownload.self && !later.isEssential && later.state == .created)
        #expect(later.identifier == "x" && later.priority == .max && later.content.url == "https://example.org/x")
        #expect(later.uniqueIdentifier != download.uniqueIdentifier)
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        /// What the message must name.
        let says: String
    }

    private static func pack(_ change: (String, String)) -> String {
        let pack = """
            {"id": "A", "url": "https://h/A", "version": 0, "downloadSize": 1, "downloadPolicy": {"onDemand": {}}}
            """
        return "{\"assetPacks\": [\(pack.replacingOccurrences(of: change.0, with: change.1))]}"
    }

    @Test(arguments: [
        Bad(testDescription: "nothing", text: "", says: "line 1"),
        Bad(testDescription: "cut short", text: "{\"assetPacks\": [", says: "line 1"),
        Bad(testDescription: "an array", text: "[]", says: "an object"),
        Bad(testDescription: "no packs", text: "{}", says: "assetPacks"),
        Bad(testDescription: "packs are no array", text: "{\"assetPacks\": {}}", says: "an array"),
        Bad(testDescription: "pack is no object", text: "{\"assetPacks\": [7]}", says: "an object"),
        Bad(testDescription: "no id", text: pack(("\"id\": \"A\", ", "")), says: "“id”"),
        Bad(testDescription: "empty id", text: pack(("\"A\"", "\"\"")), says: "empty id"),
        Bad(testDescription: "http", text: pack(("https://h/A", "http://h/A")), says: "https"),
        Bad(testDescription: "no host", text: pack(("https://h/A", "https:///A")), says: "https"),
        Bad(testDescription: "negative version", text: pack(("\"version\": 0", "\"version\": -1")), says: "“version”"),
        Bad(testDescription: "fraction of a byte", text: pack(("Size\": 1", "Size\": 1.5")), says: "“downloadSize”"),
        Bad(testDescription: "too large", text: pack(("Size\": 1", "Size\": 99999999999999999999")), says: "line 1"),
        Bad(testDescription: "unknown policy", text: pack(("onDemand", "later")), says: "“later”"),
        Bad(
            testDescription: "two policies", text: pack(("{\"onDemand\": {}", "{\"onDemand\": {}, \"prefetch\": {}")),
            says: "one of"),
        Bad(
            testDescription: "prefetch without events", text: pack(("onDemand", "prefetch")),
            says: "installationEventTypes"),
        Bad(
            testDescription: "unknown event",
            text: pack(("\"onDemand\": {}", "\"prefetch\": {\"installationEventTypes\": [\"never\"]}")),
            says: "firstInstallation"),
        Bad(
            testDescription: "one id twice", text: good.replacingOccurrences(of: "\"Islands\"", with: "\"Tutorial\""),
            says: "a second asset pack"),
    ])
    func badManifestIsAnErrorThatNamesThePlace(_ bad: Bad) throws {
        let error = #expect(throws: BackgroundAssetsError.self) { try read(bad.text) }
        #expect(error?.code == .invalidManifest)
        #expect(error?.message.contains(bad.says) == true, "\(error?.message ?? "no error")")
    }

    @Test func anyMutationIsReadOrRefused() {
        var generator = SeededGenerator.forTest()
        let bytes = Array(Self.good.utf8)
        for _ in 0..<2000 {
            var mutant = bytes
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                let place = Int.random(in: 0..<mutant.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: mutant[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: mutant.remove(at: place)
                default: mutant.insert(mutant[Int.random(in: 0..<mutant.count, using: &generator)], at: place)
                }
            }
            do {
                _ = try AssetPackManifest(from: Data(mutant), appGroupID: "g")
            } catch {
                #expect(error is BackgroundAssetsError)
            }
        }
    }
}
