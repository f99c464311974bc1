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
