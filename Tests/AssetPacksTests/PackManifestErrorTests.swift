// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import AssetPacks

/// Every message a person can get for a wrong pack manifest, word by word.
struct PackManifestErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Replaces `@` in the frame, or is the whole text.
        let text: String
        let message: String

        init(_ name: String, _ text: String, _ message: String) {
            testDescription = name
            self.text = text
            self.message = message
        }
    }

    private static let prefetch =
        "{\"prefetch\": {\"installationEventTypes\": [\"firstInstallation\", \"subsequentUpdate\"]}}"
    private static let id = "\"assetPackID\": \"a\""
    private static let policy = "\"downloadPolicy\": {\"onDemand\": {}}"
    private static let selectors = "\"fileSelectors\": [{\"file\": \"f\"}]"

    /// `selector` on line 5, column 5 of an otherwise right manifest.
    private static func selector(_ text: String) -> String {
        "{\n  \(id),\n  \(policy),\n  \"fileSelectors\": [\n    \(text)\n  ]\n}"
    }
    /// `member` on line 5, column 3.
    private static func member(_ text: String) -> String { "{\n  \(id),\n  \(policy),\n  \(selectors),\n  \(text)\n}" }
    private static func policy(_ text: String) -> String {
        "{\n  \(id),\n  \(selectors),\n  \"downloadPolicy\": \(text)\n}"
    }
    private static func id(_ text: String) -> String {
        "{\n  \(policy),\n  \(selectors),\n  \"assetPackID\": \(text)\n}"
    }

    static let whole: [Case] = [
        .init("empty", "", "M.json:1:1: not valid JSON: the text ends where a value is expected."),
        .init(
            "array", "[]",
            "M.json:1:1: the manifest must be an object such as {\"assetPackID\": \"Tutorial\", ...}, not an array."),
        .init(
            "comma", "{\n  \"assetPackID\": \"a\",\n}",
            "M.json:3:1: not valid JSON: a comma stands before the closing brace."),
        .init("twice", "{\n  \(id),\n  \(id)\n}", "M.json:3:3: not valid JSON: the key \"assetPackID\" stands twice."),
        .init(
            "misspelt key", "{\n  \"assetPackId\": \"a\"\n}",
            "M.json:2:3: assetPackId: there is no such key; did you mean \"assetPackID\"?"),
        .init(
            "unknown key", member("\"zzz\": 1"),
            "M.json:5:3: zzz: there is no such key; known are \"assetPackID\", \"downloadPolicy\", \"fileSelectors\", "
                + "\"language\", \"platforms\", \"sourceRoot\" and \"userInfo\"."),
        .init(
            "no id", "{\n \(policy), \(selectors) }",
            "M.json:1:1: assetPackID is missing; add for example \"assetPackID\": \"Tutorial\"."),
        .init(
            "no policy", "{ \(id), \(selectors) }",
            "M.json:1:1: downloadPolicy is missing; add for example \"downloadPolicy\": {\"onDemand\": {}}."),
        .init(
            "no selectors", "{ \(id), \(policy) }",
            "M.json:1:1: fileSelectors is missing; add for example \"fileSelectors\": [{\"directory\": \"Levels\"}]."),
        .init("id number", id("7"), "M.json:4:18: assetPackID must be a string such as \"Tutorial\", not a number."),
        .init("id empty", id("\"\""), "M.json:4:18: assetPackID: \"\" is empty."),
        .init(
            "id slash", id("\"a/b\""),
            "M.json:4:18: assetPackID: \"a/b\" holds \"/\", but only A-Z, a-z, 0-9, \".\", \"_\" and \"-\" are allowed."
        ),
        .init(
            "language", member("\"language\": \"en_US\""),
            "M.json:5:15: language: \"en_US\" has an underscore where BCP-47 has a hyphen; did you mean \"en-US\"?"),
        .init(
            "language word", member("\"language\": \"english\""),
            "M.json:5:15: language: \"english\" must start with a language of two or three letters; write for example \"en\" or \"zh-Hant-TW\"."
        ),
        .init(
            "root empty", member("\"sourceRoot\": \"\""),
            "M.json:5:17: sourceRoot is empty; write \".\" for the manifest's own folder."),
        .init(
            "root type", member("\"sourceRoot\": 1"),
            "M.json:5:17: sourceRoot must be a string such as \"../Assets\", not a number."),
        .init(
            "info", member("\"userInfo\": []"),
            "M.json:5:15: userInfo must be an object such as {\"theme\": \"dark\"}, not an array."),
        .init(
            "platforms type", member("\"platforms\": \"iOS\""),
            "M.json:5:16: platforms must be an array such as [\"iOS\", \"Linux\"], not a string."),
        .init(
            "platform case", member("\"platforms\": [\"linux\"]"),
            "M.json:5:17: platforms[0]: there is no \"linux\"; did you mean \"Linux\"?"),
        .init(
            "platform", member("\"platforms\": [\"Windows\"]"),
            "M.json:5:17: platforms[0]: there is no \"Windows\"; known are \"iOS\", \"macOS\", \"tvOS\", \"visionOS\" and \"Linux\"."
        ),
        .init(
            "iPad", member("\"platforms\": [\"iPadOS\"]"),
            "M.json:5:17: platforms[0]: \"iPadOS\" is no platform; iPads take packs for \"iOS\"."),
    ]

    static let policies: [Case] = [
        .init("word", policy("\"prefetch\""), "M.json:4:21: downloadPolicy must be an object; write \(prefetch)."),
        .init(
            "word on demand", policy("\"onDemand\""),
            "M.json:4:21: downloadPolicy must be an object; write {\"onDemand\": {}}."),
        .init(
            "number", policy("3"), "M.json:4:21: downloadPolicy must be an object such as \(prefetch), not a number."),
        .init(
            "none", policy("{}"),
            "M.json:4:21: downloadPolicy must have exactly one of the keys \"essential\", \"prefetch\" and \"onDemand\", not none."
        ),
        .init(
            "two", policy("{\"onDemand\": {}, \"essential\": {}}"),
            "M.json:4:21: downloadPolicy must have exactly one of the keys \"essential\", \"prefetch\" and \"onDemand\", not \"onDemand\" and \"essential\"."
        ),
        .init(
            "misspelt", policy("{\"ondemand\": {}}"),
            "M.json:4:22: downloadPolicy.ondemand: there is no such key; did you mean \"onDemand\"?"),
        .init(
            "null", policy("{\"onDemand\": null}"),
            "M.json:4:34: downloadPolicy.onDemand must be an object such as {}, not null."),
        .init(
            "on demand with events", policy("{\"onDemand\": {\"installationEventTypes\": []}}"),
            "M.json:4:35: downloadPolicy.onDemand.installationEventTypes: there is no such key; no key may stand here."),
        .init(
            "no events", policy("{\"essential\": {}}"),
            "M.json:4:35: downloadPolicy.essential.installationEventTypes is missing; add for example \"installationEventTypes\": [\"firstInstallation\", \"subsequentUpdate\"]."
        ),
        .init(
            "empty events", policy("{\"essential\": {\"installationEventTypes\": []}}"),
            "M.json:4:62: downloadPolicy.essential.installationEventTypes is empty; name \"firstInstallation\", \"subsequentUpdate\" or both, or use the policy \"onDemand\"."
        ),
        .init(
            "event", policy("{\"essential\": {\"installationEventTypes\": [\"firstInstal\"]}}"),
            "M.json:4:63: downloadPolicy.essential.installationEventTypes[0]: there is no \"firstInstal\"; did you mean \"firstInstallation\"?"
        ),
    ]

    static let selectorCases: [Case] = [
        .init(
            "none", "{\n  \(id),\n  \(policy),\n  \"fileSelectors\": []\n}",
            "M.json:4:20: fileSelectors takes no file; add for example {\"directory\": \"Levels\"}."),
        .init(
            "exclusions only", selector("{\"fileExclusion\": \"x\"}"),
            "M.json:4:20: fileSelectors takes no file; add for example {\"directory\": \"Levels\"}."),
        .init(
            "string", selector("\"Levels\""),
            "M.json:5:5: fileSelectors[0] must be an object such as {\"file\": \"Intro.m4v\"}, not a string."),
        .init(
            "misspelt", selector("{\"filePatern\": \"x\"}"),
            "M.json:5:6: fileSelectors[0].filePatern: there is no such key; did you mean \"filePattern\"?"),
        .init(
            "empty", selector("{}"),
            "M.json:5:5: fileSelectors[0] is empty; it must have one of the keys \"file\", \"directory\", \"filePattern\" and \"fileExclusion\", or \"fileSource\" with \"fileDestination\", or \"directorySource\" with \"directoryDestination\"."
        ),
        .init(
            "half a pair", selector("{\"fileSource\": \"x\"}"),
            "M.json:5:5: fileSelectors[0]: \"fileSource\" needs \"fileDestination\" beside it."),
        .init(
            "mixed pair", selector("{\"fileSource\": \"x\", \"directoryDestination\": \"y\"}"),
            "M.json:5:5: fileSelectors[0]: the keys \"fileSource\" and \"directoryDestination\" cannot stand together; make a selector of each."
        ),
        .init(
            "two kinds", selector("{\"file\": \"x\", \"directory\": \"y\"}"),
            "M.json:5:5: fileSelectors[0]: the keys \"file\" and \"directory\" cannot stand together; make a selector of each."
        ),
        .init(
            "number", selector("{\"file\": 1}"),
            "M.json:5:14: fileSelectors[0].file must be a string such as \"Videos/Intro.m4v\", not a number."),
        .init(
            "absolute", selector("{\"file\": \"/etc/x\"}"),
            "M.json:5:14: fileSelectors[0].file: \"/etc/x\" is an absolute path, where only relative ones may be; set \"sourceRoot\" to look in another place."
        ),
        .init(
            "parent", selector("{\"directory\": \"../x\"}"),
            "M.json:5:19: fileSelectors[0].directory: \"../x\" leaves its folder through \"..\"; set \"sourceRoot\" to look in another place."
        ),
        .init(
            "whole root", selector("{\"directory\": \".\"}"),
            "M.json:5:19: fileSelectors[0].directory: \".\" is the whole source root, where a folder in it must stand; write {\"filePattern\": \"**\"}, or {\"directorySource\": \".\", \"directoryDestination\": \".\"}."
        ),
        .init(
            "folder as file", selector("{\"file\": \"Levels/\"}"),
            "M.json:5:14: fileSelectors[0].file: \"Levels/\" names a folder, where a file must stand."),
        .init(
            "destination", selector("{\"fileSource\": \"x\", \"fileDestination\": \"../y\"}"),
            "M.json:5:44: fileSelectors[0].fileDestination: \"../y\" leaves its folder through \"..\"."),
        .init(
            "empty destination", selector("{\"directorySource\": \"x\", \"directoryDestination\": \"\"}"),
            "M.json:5:54: fileSelectors[0].directoryDestination: \"\" is empty; write \".\" for the root."),
        .init(
            "pattern", selector("{\"filePattern\": \"a[\"}"),
            "M.json:5:21: fileSelectors[0].filePattern: the pattern \"a[\" has a \"[\" without its \"]\"; write \"\\\\[\" for the character itself."
        ),
        .init(
            "exclusion", selector("{\"fileExclusion\": \"a/\"}"),
            "M.json:5:23: fileSelectors[0].fileExclusion: the pattern \"a/\" ends with a slash; \"**\" after it takes everything the folder holds."
        ),
    ]

    @Test(arguments: whole + policies + selectorCases)
    func says(_ test: Case) throws {
        let error = try #require(throws: AssetPackError.self) {
            try PackManifest.decode(test.text.utf8, source: "M.json")
        }
        #expect(error.code == .invalidManifest)
        #expect(error.message == test.message)
    }

    @Test func everyTruncationIsAnError() {
        let text = Self.member("\"userInfo\": {\"a\": [1, 2.5, true, null, \"\\u00e9\"]}")
        for length in 0..<text.utf8.count {
            #expect(throws: AssetPackError.self) {
                try PackManifest.decode(text.utf8.prefix(length), source: "M.json")
            }
        }
    }

    @Test func deepNestingIsAnError() {
        let text = "{\"userInfo\":" + String(repeating: "[", count: 65_536)
        #expect(throws: AssetPackError.self) { try PackManifest.decode(text.utf8, source: "M.json") }
    }
}
