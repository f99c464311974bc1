// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import FoundationEssentials
import Testing

@testable import Crypto

@Suite struct SHA256Tests {
    @Test func agreesWithPublishedVectors() {
        #expect(
            SHA256.hash([]).hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            SHA256.hash(Array("abc".utf8)).hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)).hex
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func piecesMakeTheSameDigestAsTheWhole() {
        let data = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var hasher = SHA256()
        for start in stride(from: 0, to: data.count, by: 777) {
            hasher.update(Array(data[start..<min(start + 777, data.count)]))
        }
        #expect(hasher.finish() == SHA256.hash(data))
    }

    @Test func aCopyGoesItsOwnWay() {
        var first = SHA256()
        first.update(Array("ab".utf8))
        var second = first
        second.update(Array("x".utf8))
        first.update(Array("c".utf8))
        #expect(first.finish() == SHA256.hash(Array("abc".utf8)))
        #expect(second.finish() == SHA256.hash(Array("abx".utf8)))
        #expect(first.finish() == SHA256.hash(Array("abc".utf8)))
    }

    @Test func hexIsReadInBothCasesAndNothingElse() throws {
        let digest = SHA256.hash([1])
        #expect(Digest(hex: digest.hex) == digest)
        #expect(Digest(hex: digest.hex.uppercased()) == digest)
        #expect(Digest(hex: String(digest.hex.dropLast())) == nil)
        #expect(Digest(hex: String(digest.hex.dropLast()) + "g") == nil)
        #expect(Digest(hex: "é" + digest.hex.dropLast(2)) == nil)
        #expect(Digest(bytes: [1, 2, 3]) == nil)
    }

    @Test func isCodedAsHex() throws {
        let digest = SHA256.hash([2])
        let json = try JSONEncoder().encode([digest])
        #expect(String(decoding: json, as: UTF8.self) == "[\"\(digest.hex)\"]")
        #expect(try JSONDecoder().decode([Digest].self, from: json) == [digest])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Digest].self, from: Data(#"["abc"]"#.utf8))
        }
    }
}
