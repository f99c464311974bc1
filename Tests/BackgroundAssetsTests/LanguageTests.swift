// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Foundation
import Kit
import Languages
import PackNamespace
import System
import TestSupport
import Testing

@testable import BackgroundAssets

/// Localised packs in the app (A7, BA 1.11 and 1.12 of 27.0).
@Suite(.timeLimit(.minutes(5))) struct LanguageTests {
    private func withApp(_ body: (InstalledApp, AssetPackManager) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let app = try InstalledApp(scratch)
            try app.publish(
                [
                    "Base": ["hello": "hi", "Audio/base": "b"], "British": ["hello": "good day", "Audio/gb": "gb"],
                    "American": ["hello": "hey", "Audio/one": "1"], "American2": ["Audio/two": "22", "Audio/one": "x"],
                    "German": ["hallo": "tag"],
                ],
                languages: ["British": "en-GB", "American": "en", "American2": "en-Latn-US", "German": "de-AT"])
            try await body(app, app.manager())
        }
    }

    private func text(_ manager: AssetPackManager, _ path: FilePath, _ language: String) throws -> String {
        let language = Locale.Language(identifier: language)
        let data = try manager.contents(at: path, asLocalizedFor: language)
        let descriptor = try manager.descriptor(for: path, asLocalizedFor: language)
        let bytes = try descriptor.closeAfter { try descriptor.readAll(limit: 100) }
        #expect(Data(bytes) == data)
        let url = try manager.url(for: path, asLocalizedFor: language)
        #expect(try Data(contentsOf: url) == data)
        return String(decoding: data, as: UTF8.self)
    }

    @Test func readsSearchTheLanguageAlone() async throws {
        try await withApp { _, manager in
            for language in ["en", "en-US", "en-Latn-US", "en_US"] as [String] {
                let hello = try text(manager, "hello", language)
                #expect(hello == "hey")
                // The second pack of the language; of a path that both have, the first.
                let audio = try ["Audio/two", "./Audio/one"].map { try text(manager, FilePath($0), language) }
                #expect(audio == ["22", "1"])
            }
            #expect(try text(manager, "hello", "en-GB") == "good day")
            #expect(try text(manager, "hallo", "de-AT") == "tag")
            for (path, language) in [
                ("hello", "en-CA"), ("hello", "de-AT"), ("hallo", "de"), ("Audio/base", "en"), ("hello", "fr"),
                ("nothing", "en"), ("hello", ""),
            ] {
                let error = #expect(throws: ManagedBackgroundAssetsError.self) {
                    try manager.contents(at: FilePath(path), asLocalizedFor: Locale.Language(identifier: language))
                }
                guard case .fileNotFound(let named)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(named == FilePath(path))
            }
        }
    }

    @Test func aDirectoryHoldsTheLanguagesPacksAlone() async throws {
        try await withApp { _, manager in
            func names(_ language: String) throws -> [String] {
                let url = try manager.url(for: "Audio", asLocalizedFor: Locale.Language(identifier: language))
                return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
            }
            #expect(try names("en") == ["one", "two"])
            #expect(try names("en-GB") == ["gb"])
            let all = try FileManager.default.contentsOfDirectory(atPath: manager.url(for: "Audio").path).sorted()
            #expect(all == ["base", "gb", "one", "two"])
            let one = try manager.url(for: "Audio", asLocalizedFor: Locale.Language(identifier: "en"))
            #expect(try String(contentsOf: one.appending(path: "one"), encoding: .utf8) == "1")
            #expect(throws: CocoaError.self) { try names("de-AT") }
        }
    }

    @Test func localLanguagesEachOnce() async throws {
        try await withApp { app, manager in
            #expect(await manager.locallyAvailableLanguages.map(\.minimalIdentifier) == ["de-AT", "en", "en-GB"])
            try app.publish(["Base": ["a": "b"]])
            #expect(await manager.locallyAvailableLanguages == [])
        }
    }

    @Test func theChoiceOutlivesTheProcessAndNeedsNoService() async throws {
        try await withApp { app, manager in
            let files = AppLanguageFiles(app.layout)
            #expect(manager.resolvedLanguage == nil)
            try files.setResolved("de-AT")
            #expect(manager.resolvedLanguage == Locale.Language(identifier: "de-AT"))
            manager.resolvedLanguage = Locale.Language(identifier: "en-CA")
            #expect(manager.resolvedLanguage == Locale.Language(identifier: "en-CA"))
            #expect(app.manager().resolvedLanguage == Locale.Language(identifier: "en-CA"))
            #expect(files.chosen() == "en-CA")
            manager.resolvedLanguage = nil
            #expect(app.manager().resolvedLanguage == Locale.Language(identifier: "de-AT"))
            // Half a file, or anything else, is no choice.
            for text in ["", "\n", "\u{0}"] {
                try AtomicFile.write(
                    Array(text.utf8), to: app.layout.root.appending(AppLanguageFiles.resolvedName), durable: false)
                _ = manager.resolvedLanguage
            }
        }
    }

    @Test func aChoiceThatCannotBeStoredIsToldWhenItCounts() async throws {
        try await Scratch.with { scratch in
            let app = try InstalledApp(scratch)
            let manager = app.manager()
            try app.uninstall()
            manager.resolvedLanguage = Locale.Language(identifier: "fr")
            #expect(manager.resolvedLanguage == Locale.Language(identifier: "fr"))
            let error = await #expect(throws: BackgroundAssetsError.self) {
                try await manager.reconcilePreferredLanguages()
            }
            #expect(error?.message.contains("could not be stored") == true)
        }
    }

    @Test func reconcilingNamesWhatDidNotCome() async throws {
        try await Scratch.with { scratch in
            let app = try InstalledApp(scratch)
            let service = FakeService()
            let there = PackDescription(id: "A", version: 1, downloadSize: 1, policy: .prefetch, language: "fr")
            let lost = PackDescription(id: "B", version: 1, downloadSize: 1, policy: .prefetch, language: "fr")
            service.on(ReconcileLanguagesRequest.self) { _ in
                EnsureLocalAvailabilityRequest.Reply(
                    successes: [there],
                    failures: [.init(id: "B", pack: lost, error: DeviceError(.noSpace, "The disk is full."))])
            }
            let error = await #expect(throws: LocalAvailabilityError.self) {
                try await app.manager(service).reconcilePreferredLanguages()
            }
            #expect(error?.successes.map(\.id) == ["A"])
            #expect(error?.failures.map(\.key.id) == ["B"])
            service.on(ReconcileLanguagesRequest.self) { _ in .init(successes: [there], failures: []) }
            try await app.manager(service).reconcilePreferredLanguages()
        }
    }

    @Test func aManifestChoosesItsPacks() async throws {
        func pack(_ id: String, _ language: String?) -> AssetPack {
            AssetPack(
                id: id, version: 1, downloadSize: 1, language: language.map { Locale.Language(identifier: $0) })
        }
        let manifest = AssetPackManifest(
            assetPacks: [
                pack("all", nil), pack("en", "en-US"), pack("en2", "en"), pack("fr", "fr"), pack("gb", "en-GB"),
            ],
            primaryLanguage: "fr-CA", resolvedLanguage: "en")
        #expect(Set(manifest.localizedAssetPacks.map(\.id)) == ["en", "en2"])
        for (language, ids) in [
            ("en-AU", ["gb"]), ("en-US", ["en", "en2"]), ("fr-CH", ["fr"]), ("it", ["fr"]), ("en-GB", ["gb"]),
        ] {
            let found = manifest.localizedAssetPacks(for: Locale.Language(identifier: language))
            #expect(found.map(\.id).sorted() == ids, "\(language)")
        }
        #expect(AssetPackManifest(assetPacks: [pack("all", nil)]).localizedAssetPacks == [])
        let read = try AssetPackManifest(
            from: Data(#"{"assetPacks": [], "larder": {"primaryLanguage": "pt-PT"}}"#.utf8), appGroupID: "g")
        #expect(read.primaryLanguage == Locale.Language(identifier: "pt-PT"))
    }

    /// The service's table and Foundation's ICU are made of the same data, if not of the same year.
    @Test(arguments: [
        "en", "de", "fr", "es", "es-MX", "pt", "pt-PT", "zh", "zh-TW", "zh-HK", "zh-Hant", "sr", "sr-Latn", "ja", "ko",
        "ru",
        "uk", "ar", "he", "hi", "fa", "tr", "az", "az-IR", "uz", "kk", "mn", "pa", "bs", "hr", "sl",
        "cs",
        "pl", "hu", "ro", "bg", "el", "fi", "sv", "da", "nb", "nn", "is", "et", "lv", "lt", "vi", "th", "id", "ms",
        "fil",
        "sw", "am", "ka", "hy", "ta", "te", "bn", "ne", "si", "my", "km", "lo", "ca", "eu", "gl", "cy", "ga", "yue",
    ])
    func foundationAgrees(_ text: String) throws {
        let ours = try LanguageTag(text).maximized.description
        #expect(Locale.Language(identifier: text).maximalIdentifier == ours)
        #expect(Locale.Language(identifier: text).tag?.maximized.description == ours)
    }

    /// Of these Foundation's data says another script than CLDR did for long; that does not come between app and service.
    @Test(arguments: [
        "ur", "ur-PK", "ur-Arab", "pa-PK", "no", "iw", "zh-Hant-TW", "en-Latn-US", "es-419", "sr-Latn-ME",
    ])
    func whatFoundationShortensIsStillTheSame(_ text: String) throws {
        let tag = try #require(Locale.Language(identifier: text).tag)
        #expect(tag.isSame(as: try LanguageTag(text)))
    }
}
