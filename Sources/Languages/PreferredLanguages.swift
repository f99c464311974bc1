// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a process's environment says a person reads.
package enum PreferredLanguages {
    /// The languages of `LANGUAGE`, then that of `LC_ALL`, `LC_MESSAGES` or `LANG`, whichever comes first, best first and
    /// each once. As for gettext, a locale of `C` or `POSIX` wants none, whatever `LANGUAGE` says.
    package static func of(_ environment: [String: String]) -> [LanguageTag] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let locale, let own = tag(ofLocale: locale) else { return [] }
        let listed = environment["LANGUAGE"].map { $0.split(separator: ":").compactMap { tag(ofLocale: String($0)) } }
        var result: [LanguageTag] = []
        for tag in (listed ?? []) + [own] where !result.contains(tag) { result.append(tag) }
        return result
    }

    /// `de_AT.UTF-8@euro` is `de-AT`, `sr_RS@latin` is `sr-Latn-RS`; nil for what names no language.
    package static func tag(ofLocale locale: String) -> LanguageTag? {
        let parts = locale.split(separator: "@", maxSplits: 1)
        let name = String((parts.first ?? "").prefix { $0 != "." }.map { $0 == "_" ? "-" : $0 })
        // "C" is too short to be a language; "POSIX" is too long.
        guard let tag = try? LanguageTag(name) else { return nil }
        let scripts = ["latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva", "arabic": "Arab"]
        guard tag.script == nil, parts.count == 2, let script = scripts[parts[1].lowercased()] else { return tag }
        return LanguageTag(language: tag.language, script: script, region: tag.region)
    }
}
