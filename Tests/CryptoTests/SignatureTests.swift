// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import Testing

@Suite struct SignatureTests {
    @Test func whatOneKeySignsNoOtherVerifies() throws {
        let key = try SigningKey(pem: SigningKey().pem())
        let mine = try VerifyingKey(pem: key.publicPEM())
        let other = try VerifyingKey(pem: SigningKey().publicPEM())
        let message = Array("a message".utf8)
        let signature = try key.sign(message)
        #expect(signature.count == VerifyingKey.signatureSize)
        #expect(mine.verifies(signature, of: message))
        #expect(!other.verifies(signature, of: message))
        #expect(!mine.verifies(signature, of: message + [0]))
        for index in signature.indices {
            var wrong = signature
            wrong[index] ^= 1
            #expect(!mine.verifies(wrong, of: message))
        }
        #expect(!mine.verifies([], of: message))
        #expect(!mine.verifies(Array(repeating: 0, count: 64), of: message))
        #expect(!mine.verifies(Array(repeating: 0xFF, count: 64), of: message))
    }

    /// The example of RFC 7515, appendix A.3: a signature that others made.
    @Test func verifiesTheStandardsExample() throws {
        let pem = """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
            6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
            -----END PUBLIC KEY-----

            """
        let text =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let signature = try #require(
            Base64URL.decode("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"))
        #expect(try VerifyingKey(pem: Array(pem.utf8)).verifies(signature, of: text.utf8))
    }

    @Test func refusesKeysOfOtherKinds() {
        // An RSA key would be verified with other rules than the token's sender meant.
        let p384 = """
            -----BEGIN PUBLIC KEY-----
            MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE0iEdxs+khdHoC7oGd/o63zBF0QZx82wN
            JtJwHUqTWA0oApvhime9cV9MVSxpgVGNpNapKSA6hDv605MiQ5zvo9sDSxgSTpGM
            UrAgXuvVuonfFxGR8RKKD+AfAyyIwOSM
            -----END PUBLIC KEY-----

            """
        #expect(throws: CryptoError.self) { try VerifyingKey(pem: Array(p384.utf8)) }
        #expect(throws: CryptoError.self) { try VerifyingKey(pem: Array("nonsense".utf8)) }
        #expect(throws: CryptoError.self) { try SigningKey(pem: Array("nonsense".utf8)) }
    }

    /// RFC 4231, cases 1, 2 and 6.
    @Test(arguments: [
        (
            Array(repeating: 0x0B, count: 20) as [UInt8], "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            Array(repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func authenticatesMessages(key: [UInt8], message: String, code: String) {
        #expect(MessageAuthentication.hmacSHA256(message.utf8, key: key).hex == code)
    }

    @Test func comparesSecrets() {
        #expect(MessageAuthentication.areEqual([1, 2], [1, 2]))
        #expect(!MessageAuthentication.areEqual([1, 2], [1, 3]))
        #expect(!MessageAuthentication.areEqual([1, 2], [1]))
        #expect(MessageAuthentication.areEqual([], []))
    }

    /// RFC 1321, A.5.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ])
    func takesMD5(text: String, digest: String) {
        #expect(Hexadecimal.encode(MD5.hash(Array(text.utf8))) == digest)
    }
}

@Suite struct Ed25519Tests {
    /// RFC 8032, 7.1, tests 1 to 3: signatures that others made.
    @Test(arguments: [
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ])
    func verifiesTheStandardsExamples(_ key: String, _ message: String, _ signature: String) throws {
        let text = "ed25519:" + Base64URL.encode(try #require(Hexadecimal.decode(key)))
        let key = try #require(Ed25519PublicKey(text: text))
        let message = try #require(Hexadecimal.decode(message))
        var signature = try #require(Hexadecimal.decode(signature))
        #expect(key.verifies(signature, of: message))
        #expect(!key.verifies(signature, of: message + [0]))
        signature[40] ^= 1
        #expect(!key.verifies(signature, of: message))
        #expect(!key.verifies([], of: message))
    }

    @Test func keysSurviveTheirFiles() throws {
        let key = try Ed25519PrivateKey()
        let again = try Ed25519PrivateKey(pem: key.pem())
        #expect(again.publicKey == key.publicKey)
        #expect(Ed25519PublicKey(text: key.publicKey.text) == key.publicKey)
        #expect(key.publicKey.verifies(try again.sign([1, 2]), of: [1, 2]))
        #expect(try !Ed25519PrivateKey().publicKey.verifies(again.sign([1, 2]), of: [1, 2]))
        // Keys of other kinds, and text that is no key.
        #expect(throws: CryptoError.self) { try Ed25519PrivateKey(pem: SigningKey().pem()) }
        #expect(throws: CryptoError.self) { try Ed25519PublicKey(pem: SigningKey().publicPEM()) }
        #expect(throws: CryptoError.self) { try SigningKey(pem: key.pem()) }
        for text in [
            "", "ed25519:", "ed25519:AAAA", key.publicKey.text + "A", key.publicKey.text + "=",
            "x" + key.publicKey.text,
        ] {
            #expect(Ed25519PublicKey(text: text) == nil)
        }
    }
}
