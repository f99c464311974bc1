// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension LanguageTag {
    /// The tag in today's spelling with the script and the region that are meant when they are left out: `en` is
    /// `en-Latn-US`. Of a language that nothing is known of, the tag as it is.
    package var maximized: LanguageTag {
        let tag = canonical
        if tag.script != nil, tag.region != nil { return tag }
        let language = tag.language
        let meant =
            tag.region.flatMap { Tables.likely["\(language)-\($0)"] }
            ?? tag.script.flatMap { Tables.likely["\(language)-\($0)"] } ?? Tables.likely[language]
        return LanguageTag(
            language: language, script: tag.script ?? meant?.script, region: tag.region ?? meant?.region)
    }

    /// Whether both mean the same language as it is written in the same region: `en`, `en-US` and `en-Latn-US` do, `en` and
    /// `en-CA` do not.
    package func isSame(as other: LanguageTag) -> Bool { maximized == other.maximized }

    /// `iw` is `he`, `cmn-TW` is `zh-TW`, `sh` is `sr-Latn`.
    private var canonical: LanguageTag {
        guard let text = Tables.aliases[language], let new = try? LanguageTag(text) else { return self }
        return LanguageTag(language: new.language, script: script ?? new.script, region: region ?? new.region)
    }

    /// The relatives that a maximized tag is ever further from, itself first: `es-MX`, `es-419`, `es`. Each is maximized and
    /// of the same language and script.
    var relatives: [LanguageTag] {
        var result = [self]
        var current = self
        while result.count < 8, let parent = current.parent?.maximized {
            guard parent.language == language, parent.script == script, !result.contains(parent) else { break }
            result.append(parent)
            current = parent
        }
        return result
    }

    private var parent: LanguageTag? {
        guard let region else { return nil }
        let short = LanguageTag(language: language, script: nil, region: region)
        let names = [description] + (short.maximized == self ? [short.description] : [])
        if let named = names.lazy.compactMap({ Tables.parents[$0] }).first { return try? LanguageTag(named) }
        return LanguageTag(language: language, script: script, region: nil)
    }

    /// The data, taken apart when it is first needed.
    private enum Tables {
        static let likely = pairs(LanguageData.likely).compactMapValues { text -> (script: String, region: String)? in
            let parts = text.split(separator: "-")
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        static let aliases = pairs(LanguageData.aliases)
        static let parents = pairs(LanguageData.parents)

        private static func pairs(_ text: String) -> [String: String] {
            var result: [String: String] = [:]
            for word in text.split(whereSeparator: \.isWhitespace) {
                guard let colon = word.firstIndex(of: ":") else { continue }
                result[String(word[..<colon])] = String(word[word.index(after: colon)...])
            }
            return result
        }
    }
}
