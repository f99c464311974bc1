// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import Testing

@testable import ResourceTags

struct TagManifestTests {
    private func read(_ text: String) throws -> TagManifest { try TagManifest(text.utf8, source: "Tags.json") }

    @Test func aManifestSaysEverything() throws {
        let manifest = try read(
            """
            { // The first level comes with the app.
              "bundleID": "org.example.game", "sourceRoot": "Resources", "exclude": ["*.psd", "drafts/**"],
              "initialInstall": ["start"], "prefetch": ["forest", "cave"], "onDemand": ["desert"],
              "tags": {
                "start": [{"directory": "Start"}], "cave": [{"file": "a"}, {"filePattern": "*.lvl"}],
                "forest": [{"file": "b"}], "desert": [{"file": "c"}], "coast": [{"file": "d"}]
              }
            }
            """)
        #expect(manifest.bundleID == "org.example.game")
        #expect(manifest.sourceRoot == "Resources")
        #expect(manifest.categories == .init(initialInstall: ["start"], prefetchOrder: ["forest", "cave"]))
        #expect(manifest.tags.map(\.name) == ["start", "cave", "forest", "desert", "coast"])
        #expect(manifest.tags[1].selectors.count == 2)
        #expect(manifest.exclusions.count == 2)
    }

    @Test(arguments: [
        ("[]", "the manifest must be an object"), ("{}", "tags is missing"),
        (#"{"tags": {}}"#, "tags must be an object"),
        (#"{"tag": {}}"#, "did you mean \"tags\"?"), (#"{"tags": {"a": []}}"#, "tags.a takes no file"),
        (#"{"tags": {"a": [{"fill": "x"}]}}"#, "did you mean \"file\"?"),
        (#"{"tags": {"a": [{"file": "../x"}]}}"#, "leaves its folder"),
        (#"{"tags": {"a/b": [{"file": "x"}]}}"#, "holds a slash"),
        (#"{"prefetch": ["cavee"], "tags": {"cave": [{"file": "x"}]}}"#, "did you mean \"cave\"?"),
        (#"{"prefetch": ["zoo"], "tags": {"cave": [{"file": "x"}]}}"#, "tags has \"cave\""),
        (
            #"{"initialInstall": ["a"], "prefetch": ["a"], "tags": {"a": [{"file": "x"}]}}"#,
            "\"initialInstall\" already"
        ),
        (#"{"exclude": ["[a-"], "tags": {"a": [{"file": "x"}]}}"#, "exclude[0]: the pattern"),
        (#"{"bundleID": "a/b", "tags": {"a": [{"file": "x"}]}}"#, "bundleID: \"a/b\" holds"),
        (#"{"bundleID": "\#(String(repeating: "x", count: 90))", "tags": {"a": [{"file": "x"}]}}"#, "84 characters"),
    ])
    func aWrongManifestGetsOneErrorWithItsPlace(_ text: String, _ reason: String) {
        let error = #expect(throws: AssetPackError.self) { try read(text) }
        #expect(error?.message.hasPrefix("Tags.json:1:") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
}
