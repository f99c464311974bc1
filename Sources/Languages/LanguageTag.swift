// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A BCP-47 tag of a language, perhaps with script and region, and nothing else (BA 3.2, `language`).
///
/// The subtags' form is checked (RFC 5646, section 2.1) and written in its usual case; whether anyone registered them is not.
package struct LanguageTag: Hashable, Sendable, CustomStringConvertible {
    /// Two or three letters, lower case.
    package let language: String
    /// Four letters, capitalised.
    package let script: String?
    /// Two letters in upper case, or three digits.
    package let region: String?

    package var description: String { [language, script, region].compactMap { $0 }.joined(separator: "-") }

    init(language: String, script: String?, region: String?) {
        self.language = language
        self.script = script
        self.region = region
    }

    /// - Throws: `Problem`
    package init(_ text: String) throws(Problem) {
        if text.utf8.isEmpty { throw Problem("is empty") }
        if text.utf8.contains(UInt8(ascii: "_")) {
            throw Problem("has an underscore where BCP-47 has a hyphen", suggestion: Self.rewritten(text))
        }
        var subtags = text.split(separator: "-", omittingEmptySubsequences: false)[...]
        let first = subtags.removeFirst()
        guard Self.isLetters(first), (2...3).contains(first.utf8.count) else {
            throw Problem("must start with a language of two or three letters")
        }
        language = first.lowercased()
        if let next = subtags.first, Self.isLetters(next), next.utf8.count == 4 {
            script = next.prefix(1).uppercased() + next.dropFirst().lowercased()
            subtags.removeFirst()
        } else {
            script = nil
        }
        if let next = subtags.first, Self.isRegion(next) {
            region = next.uppercased()
            subtags.removeFirst()
        } else {
            region = nil
        }
        if let rest = subtags.first {
            throw Problem(
                "has \"\(rest)\", which is no script (four letters) or region (two letters or three digits) in its place"
            )
        }
    }

    /// Why a text is no tag, as the end of a sentence that starts with the text.
    package struct Problem: Error {
        package let reason: String
        package let suggestion: String?

        init(_ reason: String, suggestion: String? = nil) {
            self.reason = reason
            self.suggestion = suggestion
        }
    }

    private static func rewritten(_ text: String) -> String? {
        let hyphenated = String(text.map { $0 == "_" ? "-" : $0 })
        return (try? LanguageTag(hyphenated))?.description
    }

    private static func isLetters(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") }
    }

    private static func isRegion(_ text: Substring) -> Bool {
        if text.utf8.count == 2 { return isLetters(text) }
        return text.utf8.count == 3 && text.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
}
