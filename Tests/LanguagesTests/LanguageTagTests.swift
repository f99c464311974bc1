// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Testing

@testable import Languages

struct LanguageTagTests {
    @Test(arguments: [
        ("en", "en"), ("EN-us", "en-US"), ("zh-hant-tw", "zh-Hant-TW"), ("es-419", "es-419"), ("yue", "yue"),
        ("sr-Latn", "sr-Latn"),
    ])
    func goodLanguage(_ text: String, _ canonical: String) throws {
        #expect(try LanguageTag(text).description == canonical)
    }

    @Test(
        arguments: [
            ("", "is empty", nil), ("e", "must start with a language of two or three letters", nil),
            ("english", "must start with a language of two or three letters", nil),
            ("en_US", "has an underscore where BCP-47 has a hyphen", "en-US"),
            (
                "en-",
                "has \"\", which is no script (four letters) or region (two letters or three digits) in its place", nil
            ),
            (
                "en-US-Latn",
                "has \"Latn\", which is no script (four letters) or region (two letters or three digits) in its place",
                nil
            ),
            (
                "de-1996",
                "has \"1996\", which is no script (four letters) or region (two letters or three digits) in its place",
                nil
            ),
            (
                "en-x-a",
                "has \"x\", which is no script (four letters) or region (two letters or three digits) in its place", nil
            ),
        ] as [(String, String, String?)])
    func badLanguage(_ text: String, _ reason: String, _ suggestion: String?) throws {
        let problem = try #require(throws: LanguageTag.Problem.self) { try LanguageTag(text) }
        #expect(problem.reason == reason)
        #expect(problem.suggestion == suggestion)
    }
}
