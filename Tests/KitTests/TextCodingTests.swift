// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@Suite struct TextCodingTests {
    /// RFC 4648, 10, in the alphabet for URLs and without padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64IsTheStandards(text: String, code: String) {
        #expect(Base64URL.encode(text.utf8) == code)
        #expect(Base64URL.decode(code) == Array(text.utf8))
    }

    @Test(arguments: ["A", "Zh", "Zm9=", "Zg==", "Z g", "Zm+v", "Zm/v", "Zm9vA", "Zé"])
    func anythingElseIsNoBase64(code: String) {
        #expect(Base64URL.decode(code) == nil)
    }

    @Test func whatWasEncodedComesBack() {
        var generator = SeededGenerator.forTest()
        for count in 0..<200 {
            let bytes = generator.bytes(count)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(Hexadecimal.decode(Hexadecimal.encode(bytes).uppercased()) == bytes)
        }
    }

    @Test(arguments: ["0", "0g", "0x", "é", "00 "])
    func anythingElseIsNoHexadecimal(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
