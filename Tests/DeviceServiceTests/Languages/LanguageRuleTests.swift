// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Languages
import Testing

@testable import DeviceService

struct LanguageRuleTests {
    private static let events: Set<InstallationEventType> = [.firstInstallation, .subsequentUpdate]

    private func pack(_ id: String, _ language: String?, _ policy: DownloadPolicy = .prefetch(events))
        -> DownloadManifestPack
    {
        DownloadManifestPack(
            id: id, url: "https://h/\(id)", version: 1, downloadSize: 1, downloadPolicy: policy, language: language)
    }

    private func tags(_ text: String) throws -> [LanguageTag] {
        try text.split(separator: " ").map { try LanguageTag(String($0)) }
    }

    private func rule(
        _ offered: String, chosen: String? = nil, preferred: String, primary: String? = nil
    ) throws -> LanguageRule {
        LanguageRule(
            offered.split(separator: " ").map { pack(String($0), String($0)) },
            chosen: try chosen.map { try LanguageTag($0) },
            preferred: try tags(preferred), primary: try primary.map { try LanguageTag($0) })
    }

    @Test func theFallbackChain() throws {
        #expect(try rule("de en fr", preferred: "de").resolved?.description == "de")
        #expect(try rule("de-AT en", preferred: "de-CH en").resolved?.description == "de-AT")
        #expect(try rule("de en", preferred: "it", primary: "en-GB").resolved?.description == "en")
        #expect(try rule("de en", preferred: "it").resolved == nil)
        #expect(try rule("de en", preferred: "", primary: "de").resolved?.description == "de")
        // What the app chose counts instead of what the person reads.
        #expect(try rule("de en fr", chosen: "fr-CA", preferred: "de").resolved?.description == "fr")
        #expect(try rule("de en fr", chosen: "it", preferred: "de", primary: "en").resolved?.description == "en")
        #expect(try rule("de en fr", chosen: "it", preferred: "de").resolved == nil)
    }

    @Test func packsOfTheLanguageByAnyOfItsNames() throws {
        let rule = try rule("en en-Latn-US en-GB de", preferred: "en-US")
        #expect(rule.includes("en") && rule.includes("en-Latn-US") && rule.includes(nil))
        #expect(!rule.includes("en-GB") && !rule.includes("de") && !rule.includes("?"))
        let none = try self.rule("de", preferred: "fr")
        #expect(none.includes(nil) && !none.includes("de"))
    }

    @Test func thePlanFetchesWhatComesByItselfAndKeepsWhatWasAskedFor() throws {
        let manifest = [
            pack("all", nil), pack("de1", "de"), pack("de2", "de", .essential(Self.events)),
            pack("de3", "de", .onDemand),
            pack("en1", "en"), pack("en2", "en"),
        ]
        let rule = LanguageRule(manifest, chosen: nil, preferred: try tags("de"), primary: nil)
        let local: [(id: String, language: String?)] = [
            ("all", nil), ("de1", "de"), ("en1", "en"), ("en2", "en"), ("gone", "fr"),
        ]
        let plan = LanguagePlan(manifest, local: local, rule: rule, asked: ["en2"])
        #expect(plan.missing.map(\.id) == ["de2"])
        #expect(plan.unneeded == ["en1", "gone"])
    }

    @Test func thePublishersWord() throws {
        let manifest = try DownloadManifest.decode(
            Array(#"{"assetPacks": [], "larder": {"primaryLanguage": "fr-ca"}}"#.utf8), source: "m")
        #expect(manifest.primaryLanguage?.description == "fr-CA")
        for larder in ["{}", "[]", #"{"primaryLanguage": 1}"#, #"{"primaryLanguage": "?"}"#] {
            let odd = try DownloadManifest.decode(Array(#"{"assetPacks": [], "larder": \#(larder)}"#.utf8), source: "m")
            #expect(odd.primaryLanguage == nil)
        }
    }
}
