// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// The standard library's searches bring a megabyte of regular expressions into a program that is linked as one file. What the
// services search for is a few bytes long.

extension Collection where Element: Equatable {
    /// Where `other` first stands in this collection; the empty one stands at the start. Texts are searched by their bytes:
    /// `text.utf8.firstOccurrence(of: "://".utf8)`.
    package func firstOccurrence(of other: some Collection<Element>) -> Range<Index>? {
        guard let first = other.first else { return startIndex..<startIndex }
        var rest = self[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            var end = start
            var wanted = other.startIndex
            while wanted < other.endIndex, end < endIndex, self[end] == other[wanted] {
                formIndex(after: &end)
                other.formIndex(after: &wanted)
            }
            if wanted == other.endIndex { return start..<end }
            rest.removeFirst()
        }
        return nil
    }
}

extension String {
    /// Whether the text's bytes stand in this one's.
    package func mentions(_ text: String) -> Bool { utf8.firstOccurrence(of: text.utf8) != nil }

    /// What lies between the places where `separator` stands; the whole text when that is empty.
    package func parts(separatedBy separator: String) -> [Substring] {
        guard !separator.isEmpty else { return [self[...]] }
        var parts: [Substring] = []
        var rest = self[...]
        while let found = rest.utf8.firstOccurrence(of: separator.utf8) {
            parts.append(rest[..<found.lowerBound])
            rest = rest[found.upperBound...]
        }
        return parts + [rest]
    }

    /// With `replacement` wherever `text` stands; as it is when `text` is empty.
    package func replacingEach(_ text: String, with replacement: String) -> String {
        parts(separatedBy: text).joined(separator: replacement)
    }
}
