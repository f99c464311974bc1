// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Languages
import System
import Testing

@testable import AssetPacks

struct PackManifestTests {
    private func decode(_ text: String) throws -> PackManifest {
        try PackManifest.decode(text.utf8, source: "M.json")
    }

    @Test func everyKey() throws {
        let manifest = try decode(
            """
            // The first pack.
            {
              "assetPackID": "Tutorial", /* shown nowhere */
              "downloadPolicy": { "prefetch": { "installationEventTypes": ["firstInstallation", "subsequentUpdate"] } },
              "fileSelectors": [
                { "file": "Videos/Intro.m4v" },
                { "directory": "Levels" },
                { "filePattern": "Music/**/*.{ogg,m4a}" },
                { "fileSource": "a/b.txt", "fileDestination": "c.txt" },
                { "directorySource": "Build/Out", "directoryDestination": "." },
                { "fileExclusion": "*.psd" }
              ],
              "platforms": ["iOS", "macOS", "tvOS", "visionOS", "Linux"],
              "language": "zh-hant-TW",
              "sourceRoot": "../Assets",
              "userInfo": { "theme": "dark" }
            }
            """)
        #expect(manifest.assetPackID == "Tutorial")
        #expect(manifest.downloadPolicy == .prefetch([.firstInstallation, .subsequentUpdate]))
        #expect(manifest.platforms == Set(AssetPackPlatform.allCases))
        #expect(manifest.language?.description == "zh-Hant-TW")
        #expect(manifest.sourceRoot == "../Assets")
        #expect(manifest.userInfo == ["theme": "dark"])
        #expect(
            manifest.fileSelectors.map(\.description) == [
                "{\"file\": \"Videos/Intro.m4v\"}", "{\"directory\": \"Levels\"}",
                "{\"filePattern\": \"Music/**/*.{ogg,m4a}\"}",
                "{\"fileSource\": \"a/b.txt\", \"fileDestination\": \"c.txt\"}",
                "{\"directorySource\": \"Build/Out\", \"directoryDestination\": \".\"}",
                "{\"fileExclusion\": \"*.psd\"}",
            ])
        #expect(manifest.fileSelectors[1].place == "M.json:7:5: fileSelectors[1]")
    }

    @Test func otherPolicies() throws {
        func policy(_ text: String) throws -> DownloadPolicy {
            try decode("{\"assetPackID\":\"a\",\"downloadPolicy\":\(text),\"fileSelectors\":[{\"file\":\"f\"}]}")
                .downloadPolicy
        }
        #expect(try policy("{\"onDemand\":{}}") == .onDemand)
        #expect(
            try policy("{\"essential\":{\"installationEventTypes\":[\"subsequentUpdate\"]}}")
                == .essential([.subsequentUpdate]))
    }

    @Test func withoutPlatformsItIsForAll() throws {
        let manifest = try decode(
            "{\"assetPackID\":\"a\",\"downloadPolicy\":{\"onDemand\":{}},\"fileSelectors\":[{\"file\":\"f\"}]}")
        #expect(AssetPackPlatform.allCases.allSatisfy(manifest.supports))
    }

    @Test func sourceDirectory() throws {
        func folder(_ root: String?, manifest: FilePath = "/game/packs/M.json") throws -> String {
            let member = root.map { ",\"sourceRoot\":\"\($0)\"" } ?? ""
            return try decode(
                "{\"assetPackID\":\"a\",\"downloadPolicy\":{\"onDemand\":{}},\"fileSelectors\":[{\"file\":\"f\"}]\(member)}"
            ).sourceDirectory(manifest: manifest, workingDirectory: "/work").string
        }
        #expect(try folder(nil) == "/work")
        #expect(try folder(".") == "/game/packs")
        #expect(try folder("../Assets") == "/game/Assets")
        #expect(try folder(".", manifest: "M.json") == ".")
        #expect(try folder("src", manifest: "M.json") == "src")
        #expect(try folder("../src", manifest: "M.json") == "../src")
        #expect(try folder("..", manifest: "packs/M.json") == ".")
        #expect(try folder("/elsewhere") == "/elsewhere")
    }

    @Test func archivedFormHasNoComments() throws {
        let manifest = try decode(
            """
            { // x
              "fileSelectors": [{"file": "f"}], "downloadPolicy": {"onDemand": {}},
              "assetPackID": "a"
            }
            """)
        #expect(
            String(decoding: manifest.archivedBytes, as: UTF8.self) == """
                {
                  "assetPackID": "a",
                  "downloadPolicy": {
                    "onDemand": {}
                  },
                  "fileSelectors": [
                    {
                      "file": "f"
                    }
                  ]
                }

                """)
        let again = try PackManifest.decodeArchived(manifest.archivedBytes, source: "manifest.json")
        #expect(again.assetPackID == "a")
        #expect(again.archivedBytes == manifest.archivedBytes)
    }

    @Test func archivedFormMayKnowMore() throws {
        let text = """
            {"assetPackID":"a","downloadPolicy":{"prefetch":{"installationEventTypes":["languageChange"]}},
             "platforms":["iOS","someOS"],"fileSelectors":7,"future":[]}
            """
        let manifest = try PackManifest.decodeArchived(text.utf8, source: "manifest.json")
        #expect(manifest.platforms == [.iOS])
        #expect(manifest.downloadPolicy == .prefetch([]))
        let none = "{\"assetPackID\":\"a\",\"downloadPolicy\":{\"onDemand\":{}},\"platforms\":[\"someOS\"]}"
        #expect(throws: AssetPackError.self) { try PackManifest.decodeArchived(none.utf8, source: "manifest.json") }
    }

    @Test func archivedFormMayHaveANullPolicy() throws {
        let text = "{\"assetPackID\":\"a\",\"downloadPolicy\":{\"onDemand\":null}}"
        #expect(try PackManifest.decodeArchived(text.utf8, source: "manifest.json").downloadPolicy == .onDemand)
    }

    @Test func missingFile() throws {
        let error = try #require(throws: AssetPackError.self) { try PackManifest(contentsOf: "/nowhere/M.json") }
        #expect(error.code == .notFound)
        #expect(error.message == "There is no manifest at \"/nowhere/M.json\".")
    }

    /// The template must be what its comments say: a manifest that is right as it stands.
    @Test func templateIsValid() throws {
        let manifest = try decode(PackManifest.template)
        #expect(manifest.fileSelectors.count >= 2)
        #expect(PackManifest.template.contains("// "))
        for key in PackManifest.keys { #expect(PackManifest.template.contains("\"\(key)\""), "\(key)") }
        for key in FileSelector.keys { #expect(PackManifest.template.contains("\"\(key)\""), "\(key)") }
    }
}
