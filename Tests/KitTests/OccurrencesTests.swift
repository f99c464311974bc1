// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

struct OccurrencesTests {
    @Test func whatIsSearchedIsFoundOrNot() {
        let text = "https://packs.example.com/a://b"
        let found = text.utf8.firstOccurrence(of: "://".utf8)
        #expect(found.map { text[..<$0.lowerBound] } == "https")
        #expect(text.mentions("a://b") && !text.mentions("a://bc") && !"".mentions("a"))
        #expect([1, 1, 2, 1, 1, 2, 3].firstOccurrence(of: [1, 1, 2, 3]) == 3..<7)
        #expect([1, 2].firstOccurrence(of: [Int]()) == 0..<0)
        #expect([1, 2, 3, 4][2...].firstOccurrence(of: [2, 3]) == nil)
    }

    @Test(arguments: [
        ("", ["", ""]), ("a", ["a"]), ("a--b", ["a", "b"]), ("--a----", ["", "a", "", ""]), ("-", ["-"]),
        ("---", ["", "-"]),
    ])
    func partsLieBetween(_ text: String, _ parts: [String]) {
        #expect((text.isEmpty ? "--" : text).parts(separatedBy: "--") == parts.map { $0[...] })
    }

    @Test func nothingIsReplacedByNothing() {
        #expect("a.b.".replacingEach(".", with: "://") == "a://b://")
        #expect("a\u{301}b".replacingEach("b", with: "") == "a\u{301}")
        #expect("ab".replacingEach("", with: "x") == "ab")
        #expect("\r\n\r\n".parts(separatedBy: "\r\n").count == 3)
    }

    /// Against a search that tries every place.
    @Test func randomSearchesAgree() {
        var generator = SeededGenerator.forTest()
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                UInt8.random(in: 0...1, using: &generator)
            }
            let wanted = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                UInt8.random(in: 0...1, using: &generator)
            }
            let place = text.indices.first { text[$0...].starts(with: wanted) } ?? (wanted.isEmpty ? 0 : nil)
            #expect(text.firstOccurrence(of: wanted) == place.map { $0..<($0 + wanted.count) })
        }
    }
}
