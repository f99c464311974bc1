// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport
import Testing

@testable import Languages

private func tags(_ text: String) throws -> [LanguageTag] {
    try text.split(separator: " ").map { try LanguageTag(String($0)) }
}

struct LanguageMatcherTests {
    @Test(arguments: [
        ("en", "en-Latn-US"), ("en-CA", "en-Latn-CA"), ("zh", "zh-Hans-CN"), ("zh-TW", "zh-Hant-TW"),
        ("zh-Hant", "zh-Hant-TW"), ("zh-HK", "zh-Hant-HK"), ("sr", "sr-Cyrl-RS"), ("sr-Latn", "sr-Latn-RS"),
        ("sr-ME", "sr-Latn-ME"), ("pt", "pt-Latn-BR"), ("pt-PT", "pt-Latn-PT"), ("es-419", "es-Latn-419"),
        ("no", "nb-Latn-NO"), ("nn", "nn-Latn-NO"), ("iw", "he-Hebr-IL"), ("sh", "sr-Latn-RS"),
        ("cmn-TW", "zh-Hant-TW"),
        ("cnr", "sr-Latn-ME"), ("eng", "en-Latn-US"), ("az-IR", "az-Arab-IR"), ("az-Arab", "az-Arab-IR"),
        ("ar", "ar-Arab-EG"), ("hi", "hi-Deva-IN"), ("ja", "ja-Jpan-JP"), ("ko", "ko-Kore-KR"), ("pa-PK", "pa-Arab-PK"),
        // Nothing is known of these.
        ("qaa", "qaa"), ("qaa-DE", "qaa-DE"),
    ])
    func likelySubtagsAreThoseOfCLDR(_ tag: String, _ whole: String) throws {
        #expect(try LanguageTag(tag).maximized.description == whole)
    }

    @Test(arguments: [
        ("en", "en-US", true), ("en", "en-Latn-US", true), ("en-Latn", "en-US", true), ("en", "en-CA", false),
        ("en", "en-Shaw", false), ("zh-Hant", "zh-TW", true), ("zh-Hant", "zh-HK", false), ("zh", "zh-Hans", true),
        ("zh", "zh-Hant", false), ("pt", "pt-BR", true), ("pt", "pt-PT", false), ("sr", "sr-Latn", false),
        ("sr-Cyrl", "sr", true), ("no", "nb", true), ("nb", "nn", false), ("iw", "he", true), ("qaa", "qaa", true),
        ("qaa", "qab", false),
    ])
    func whatIsTheSame(_ left: String, _ right: String, _ same: Bool) throws {
        let (left, right) = (try LanguageTag(left), try LanguageTag(right))
        #expect(left.isSame(as: right) == same)
        #expect(right.isSame(as: left) == same)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var preferred: String
        var offered: String
        var primary: String?
        var best: String?
        var testDescription: String { "\(preferred) of \(offered), or \(primary ?? "none")" }

        init(_ preferred: String, of offered: String, or primary: String? = nil, _ best: String?) {
            (self.preferred, self.offered, self.primary, self.best) = (preferred, offered, primary, best)
        }
    }

    @Test(arguments: [
        Case("en-US", of: "de en fr", "en"), Case("fr-CA", of: "en fr fr-CA", "fr-CA"),
        Case("fr-CA", of: "en fr", "fr"), Case("fr", of: "en fr-CA", "fr-CA"),
        // The nearest variant: what English outside America reads is nearer to that of Britain.
        Case("en-AU", of: "en-US en-GB", "en-GB"), Case("en-AU", of: "en-US", "en-US"),
        Case("en-CA", of: "en-GB en-US", "en-US"), Case("en-AT", of: "en en-001", "en-001"),
        Case("es-MX", of: "es es-419", "es-419"), Case("es-MX", of: "es-AR es-ES", "es-AR"),
        Case("es-ES", of: "es-419 es-MX", "es-419"), Case("pt-AO", of: "pt-BR pt-PT", "pt-PT"),
        Case("pt-PT", of: "pt-BR", "pt-BR"), Case("zh-HK", of: "zh-Hans zh-Hant", "zh-Hant"),
        Case("zh-MO", of: "zh-HK zh-TW", "zh-HK"), Case("no", of: "nb en", "nb"), Case("nb-NO", of: "no", "no"),
        // Another script is another language to who reads.
        Case("zh-TW", of: "zh-Hans", nil), Case("zh-TW", of: "zh-Hans", or: "zh", "zh-Hans"),
        Case("sr", of: "sr-Latn", nil), Case("sr-Latn", of: "sr hr", nil),
        // A variant of what is read best goes before what is read next best.
        Case("fr-CA en-US", of: "en fr", "fr"), Case("it en-US", of: "en fr", "en"),
        Case("it", of: "en fr", or: "fr", "fr"), Case("it", of: "en fr-CA", or: "fr", "fr-CA"),
        Case("it", of: "en fr", nil), Case("", of: "en", or: "en-GB", "en"), Case("", of: "en", nil),
        Case("en", of: "", or: "en", nil),
        // As it stands in the offer, and one of equal ones always the same.
        Case("en", of: "en-US en-Latn-US en", "en"), Case("he", of: "iw", "iw"),
    ])
    func best(_ test: Case) throws {
        let found = LanguageMatcher.best(
            for: try tags(test.preferred), among: try tags(test.offered),
            primary: try test.primary.map { try LanguageTag($0) })
        #expect(found?.description == test.best)
    }

    @Test func propertiesOfEveryChoice() throws {
        var generator = SeededGenerator.forTest("languages")
        let pool = try tags(
            "en en-US en-GB en-CA en-AU en-001 fr fr-CA de de-AT zh zh-Hant zh-TW zh-HK zh-MO sr sr-Latn pt pt-PT pt-AO "
                + "es es-419 es-MX nb no nn iw he qaa qaa-DE ar ar-MA hi hi-Latn")
        for _ in 0..<2000 {
            let offered = (0..<Int.random(in: 0...8, using: &generator)).compactMap { _ in
                pool.randomElement(using: &generator)
            }
            let preferred = (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
                pool.randomElement(using: &generator)
            }
            let primary = Bool.random(using: &generator) ? pool.randomElement(using: &generator) : nil
            let best = LanguageMatcher.best(for: preferred, among: offered, primary: primary)
            // It is something that is offered, whatever the order.
            #expect(best.map { offered.contains($0) } ?? true)
            #expect(
                best
                    == LanguageMatcher.best(
                        for: preferred, among: offered.shuffled(using: &generator), primary: primary))
            // The same language wins over any other.
            if let first = preferred.first, offered.contains(where: { $0.isSame(as: first) }) {
                #expect(best?.isSame(as: first) == true)
            }
            // Never another language or script than one that was asked for.
            let asked = (preferred + (primary.map { [$0] } ?? [])).map(\.maximized)
            if let found = best?.maximized {
                #expect(asked.contains { $0.language == found.language && $0.script == found.script })
            } else {
                let whole = offered.map(\.maximized)
                #expect(
                    !asked.contains { wanted in
                        whole.contains {
                            $0.language == wanted.language && $0.script == wanted.script && wanted.region != nil
                        }
                    })
            }
        }
        for tag in pool { #expect(tag.maximized.maximized == tag.maximized) }
    }
}

struct PreferredLanguagesTests {
    @Test(
        arguments: [
            ("de_AT.UTF-8", "de-AT"), ("sr_RS@latin", "sr-Latn-RS"), ("de_DE@euro", "de-DE"), ("en", "en"), ("C", nil),
            ("C.UTF-8", nil), ("POSIX", nil), ("", nil), ("@", nil), (".", nil), ("zh_TW.Big5", "zh-TW"),
            ("ca_ES@valencia", "ca-ES"),
        ] as [(String, String?)])
    func localesAreTags(_ locale: String, _ tag: String?) {
        #expect(PreferredLanguages.tag(ofLocale: locale)?.description == tag)
    }

    @Test(arguments: [
        (["LANG": "de_AT.UTF-8"], "de-AT"), (["LANG": "de_AT.UTF-8", "LANGUAGE": "de_AT:de:en"], "de-AT de en"),
        (["LANG": "de_AT.UTF-8", "LANGUAGE": "fr:C:?"], "fr de-AT"), (["LANG": "C", "LANGUAGE": "fr"], ""),
        (["LANG": "de_DE", "LC_ALL": "fr_FR"], "fr-FR"), (["LANG": "de_DE", "LC_ALL": ""], "de-DE"),
        (["LANG": "de_DE", "LC_MESSAGES": "C"], ""), ([:], ""),
    ])
    func theEnvironmentIsReadAsGettextDoes(_ environment: [String: String], _ languages: String) {
        #expect(PreferredLanguages.of(environment).map(\.description).joined(separator: " ") == languages)
    }
}
