// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import Kit
import Testing

@Suite struct BearerTokenTests {
    private static let now: Int64 = 1_700_000_000

    private func token(_ claims: [String: JSONValue], header: JSONValue? = nil) throws -> BearerToken {
        let plain = BearerToken.text(keyID: "KEY", claims: .object(claims))
        guard let header else { return try BearerToken(plain + ".AAAA") }
        let body = plain.split(separator: ".")[1]
        return try BearerToken("\(Base64URL.encode(header.serialized().utf8)).\(body).AAAA")
    }

    private func claims(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [
            "iss": "issuer", "aud": "appstoreconnect-v1", "iat": .integer(Self.now), "exp": .integer(Self.now + 600),
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    @Test func takesARightOne() throws {
        let token = try token(claims())
        #expect(token.keyID == "KEY")
        try token.check(issuer: "issuer", now: Self.now)
        try self.token(claims(["aud": ["other", "appstoreconnect-v1"]])).check(issuer: "issuer", now: Self.now)
        try self.token(claims(["iat": .none])).check(issuer: "issuer", now: Self.now)
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let changes: [String: JSONValue?]
    }

    @Test(arguments: [
        Wrong(testDescription: "another issuer", changes: ["iss": "other"]),
        Wrong(testDescription: "no issuer", changes: ["iss": .none]),
        Wrong(testDescription: "another audience", changes: ["aud": "somebody"]),
        Wrong(testDescription: "no audience", changes: ["aud": .none]),
        Wrong(testDescription: "no end", changes: ["exp": .none]),
        Wrong(testDescription: "an end that is no time", changes: ["exp": "tomorrow"]),
        Wrong(testDescription: "an end beyond all bounds", changes: ["exp": .integer(.max)]),
        Wrong(testDescription: "expired", changes: ["exp": .integer(1_700_000_000 - 61)]),
        Wrong(testDescription: "ends too late", changes: ["exp": .integer(1_700_000_000 + 1261), "iat": .none]),
        Wrong(testDescription: "lasts too long", changes: ["exp": .integer(1_700_000_000 + 1201)]),
        Wrong(testDescription: "issued in the future", changes: ["iat": .integer(1_700_000_000 + 61)]),
        Wrong(testDescription: "not valid yet", changes: ["nbf": .integer(1_700_000_000 + 61)]),
    ])
    func refusesWrongClaims(wrong: Wrong) throws {
        let token = try token(claims(wrong.changes))
        #expect(throws: BearerToken.Refusal.self) { try token.check(issuer: "issuer", now: Self.now) }
    }

    @Test(arguments: ["none", "None", "HS256", "RS256", "es256", ""])
    func refusesOtherAlgorithms(name: String) {
        #expect(throws: BearerToken.Refusal.self) {
            try token(claims(), header: ["alg": .string(name), "kid": "KEY"])
        }
    }

    @Test func refusesHeadersItCannotHonour() {
        #expect(throws: BearerToken.Refusal.self) { try token(claims(), header: ["alg": "ES256"]) }
        #expect(throws: BearerToken.Refusal.self) {
            try token(claims(), header: ["alg": "ES256", "kid": "KEY", "crit": ["b64"]])
        }
    }

    @Test(arguments: ["", ".", "..", "a.b", "a.b.c.d", "e30.e30.e30=", "e30.WzFd.AAAA", "\u{0}.\u{0}.\u{0}"])
    func refusesWhatIsNoToken(text: String) {
        #expect(throws: BearerToken.Refusal.self) { try BearerToken(text) }
        #expect(throws: BearerToken.Refusal.self) { try BearerToken(String(repeating: text + "A", count: 10_000)) }
    }

    @Test func scopesBind() throws {
        let token = try token(claims(["scope": ["GET /v1/apps?filter[platform]=IOS"]]))
        #expect(token.covers(method: "GET", path: "/v1/apps"))
        #expect(!token.covers(method: "POST", path: "/v1/apps"))
        #expect(!token.covers(method: "GET", path: "/v1/apps/1"))
        #expect(try self.token(claims()).covers(method: "POST", path: "/v1/apps"))
        #expect(try !self.token(claims(["scope": "GET /v1/apps"])).covers(method: "GET", path: "/v1/apps"))
    }

    @Test func rolesPermitWhatTheyShould() {
        for role in Role.allCases { #expect(role.permits(.read)) }
        for permission in Role.Permission.allCases { #expect(Role.admin.permits(permission)) }
        #expect(Role.developer.permits(.upload) && !Role.developer.permits(.manage) && !Role.developer.permits(.review))
        #expect(Role.appManager.permits(.manage) && !Role.appManager.permits(.review))
        #expect(Role.reviewer.permits(.review) && !Role.reviewer.permits(.upload) && !Role.reviewer.permits(.manage))
    }
}
