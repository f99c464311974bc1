// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport
import Testing

@testable import HTTP

/// What a server says of the ways to log in (RFC 9110, 11.6.1).
@Suite struct AuthenticateFieldTests {
    private typealias Scheme = AuthenticateField.Scheme

    private func schemes(_ values: String...) -> [Scheme] { AuthenticateField(values).schemes }

    @Test func oneScheme() {
        #expect(schemes("Basic realm=\"films\"") == [Scheme(name: "basic", parameters: ["realm": "films"])])
        #expect(schemes("BASIC   Realm = films") == [Scheme(name: "basic", parameters: ["realm": "films"])])
        #expect(schemes("Basic realm=\"a \\\"b\\\", c=d\"")[0].parameters["realm"] == "a \"b\", c=d")
        #expect(schemes("Basic") == [Scheme(name: "basic")])
        #expect(schemes("Basic realm=one, realm=two")[0].parameters["realm"] == "one")
    }

    @Test func manySchemesInOneFieldOrMany() {
        let digest = Scheme(name: "digest", parameters: ["realm": "r", "nonce": "n", "qop": "auth, auth-int"])
        let basic = Scheme(name: "basic", parameters: ["realm": "r"])
        let one = "Digest realm=\"r\", nonce=n ,qop=\"auth, auth-int\", Basic realm=r"
        #expect(schemes(one) == [digest, basic])
        #expect(schemes("Basic realm=r", "Digest realm=\"r\",nonce=\"n\",qop=\"auth, auth-int\"") == [basic, digest])
        #expect(
            schemes("Negotiate YII=, Basic realm=r, Bearer") == [
                Scheme(name: "negotiate"), basic, Scheme(name: "bearer"),
            ]
        )
    }

    @Test func whatDoesNotFitIsPassedOver() {
        #expect(schemes("", "   ", ",,,", "=", "\"").isEmpty)
        #expect(schemes("Basic realm=\"without end").map(\.name) == ["basic"])
        #expect(schemes("Basic realm=\"without end")[0].parameters.isEmpty)
        #expect(AuthenticateField([String(repeating: "a,", count: 10_000)]).schemes.count <= 16)
        var random = SeededGenerator.forTest()
        let alphabet = Array("Basic=\"\\, r\t\u{e9}")
        for _ in 0..<2000 {
            let text = String(
                (0..<Int.random(in: 0..<60, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? " " })
            _ = AuthenticateField([text])
        }
    }

    @Test func whatThisClientCanDo() {
        let origin = HTTPOrigin(scheme: "https", host: "example.org", port: 443)
        func demands(_ values: String...) -> [HTTPChallenge.Demand]? {
            HTTPChallenge(origin: origin, HTTPHeaders(values.map { ("WWW-Authenticate", $0) }))?.demands
        }
        #expect(demands("Basic realm=a", "Digest realm=b, nonce=n") == [.digest(realm: "b"), .basic(realm: "a")])
        #expect(demands("Digest realm=b, nonce=n, qop=auth-int", "Basic") == [.basic(realm: nil)])
        #expect(demands("Digest realm=b, nonce=n, algorithm=SHA3-256") == nil)
        #expect(demands("Digest realm=b, nonce=n, algorithm=SHA-256, qop=\"auth-int,auth\"") == [.digest(realm: "b")])
        #expect(demands("Negotiate", "Bearer realm=x") == nil)
        #expect(demands() == nil)
    }
}
