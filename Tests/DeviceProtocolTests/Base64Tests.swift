// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@testable import DeviceProtocol

@Suite struct Base64Tests {
    // RFC 4648, 10
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func isTheStandards(plain: String, text: String) {
        #expect(Base64(Array(plain.utf8)).text == text)
        #expect(Base64(text: text)?.bytes == Array(plain.utf8))
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zm9", "====", "=m9v", "Zm9v=", "Zm 9", "Zm9\u{e9}", "Zm-_", "Z==="])
    func isNothingElse(text: String) {
        #expect(Base64(text: text) == nil)
        let json = Array(#"{"format":"pem","certificate":"\#(text)"}"#.utf8)
        #expect(throws: (any Error).self) { try JSONCoder.decode(ChallengeCredential.Identity.self, from: json) }
    }

    @Test func anyBytesComeBack() throws {
        var random = SeededGenerator.forTest()
        for count in 0..<200 {
            let bytes = random.bytes(count)
            let coded = try JSONCoder.encode(["bytes": Base64(bytes)])
            #expect(try JSONCoder.decode([String: Base64].self, from: coded)["bytes"]?.bytes == bytes)
        }
    }
}
