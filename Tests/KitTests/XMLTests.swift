// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

struct XMLTests {
    @Test func tagsAndTextsComeInOrder() throws {
        var scanner = XMLScanner(
            Array("\u{FEFF}<?xml?><!DOCTYPE a>\n<a b='>'>x&lt;<!-- no --><![CDATA[<&]]>&#x263A;<c/></a>\n".utf8))
        #expect(try scanner.tag() == .open("a"))
        #expect(try scanner.text() == "x<<&\u{263A}")
        #expect(try scanner.tag() == .empty("c"))
        #expect(try scanner.text() == "")
        #expect(try scanner.tag() == .close("a"))
        try scanner.skipMarkup()
        #expect(scanner.isAtEnd)
    }

    @Test(arguments: [
        ("<a", "A tag is not closed", 1), ("\n<a b='>", "A tag is not closed", 2),
        ("", "The document ends too early", 1),
        ("x", "There is text where an element should be", 1), ("<>", "There is a tag without a name", 1),
        ("<!-- ", "\"-->\" is missing", 1), ("<!DOCTYPE a [", "\">\" is missing", 1),
        ("<!DOCTYPE a [>", "The document type declares something of its own", 1),
    ])
    func whatIsNoTagSaysWhereAndWhy(_ text: String, message: String, line: Int) {
        var scanner = XMLScanner(Array(text.utf8))
        let error = #expect(throws: XMLSyntaxError.self) { try scanner.tag() }
        #expect(error?.description == "\(message) (line \(line)).")
    }

    @Test(arguments: ["&", "&;", "&x;", "&#x110000;", "&#xD800;", "&averylongname;", "<![CDATA[", "<![CDATA[]", "<!--"])
    func whatIsNoTextIsRefused(_ text: String) {
        var scanner = XMLScanner(Array(text.utf8))
        #expect(throws: XMLSyntaxError.self) { try scanner.text() }
    }

    /// Mutations of a document: each piece is read or refused, and the scanner always moves on.
    @Test func mutatedDocumentsNeverTrap() throws {
        let document = Array("<?xml?><a b=\"c\">x&amp;y<!-- z --><![CDATA[<]]><d/>&#10;</a>".utf8)
        var generator = SeededGenerator.forTest()
        for _ in 0..<5000 {
            var bytes = document
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            var scanner = XMLScanner(bytes)
            var pieces = 0
            while (try? scanner.text()) != nil, (try? scanner.tag()) != nil { pieces += 1 }
            try #require(pieces <= bytes.count)
        }
    }
}
