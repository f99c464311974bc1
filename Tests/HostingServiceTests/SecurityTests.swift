// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import HostingModel
import HostingService
import Kit
import System
import TestSupport
import Testing

/// What must not work.
@Suite(.timeLimit(.minutes(5))) struct SecurityTests {
    @Test func withoutATokenThereIsNothing() async throws {
        try await HostFixture.with { fixture in
            for (method, path) in [
                ("GET", "/v1/apps"), ("GET", "/v1/nothing"), ("POST", "/v1/backgroundAssets"),
                ("PATCH", "/v1/webhooks/1"),
                ("GET", "/v1/backgroundAssets/1"),
            ] {
                let answer = try await fixture.publisher.send(
                    method, path, method == "GET" ? nil : [], token: .some(nil))
                #expect(answer.status == 401)
                #expect(answer.code == "NOT_AUTHORIZED")
                #expect(answer.headers["www-authenticate"] == "Bearer")
            }
        }
    }

    struct Forged: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let token: @Sendable (HostFixture) throws -> String
    }

    private static func unsigned(_ fixture: HostFixture, _ header: JSONValue, _ signature: [UInt8] = []) throws
        -> String
    {
        let body = try fixture.publisher.signer.token().split(separator: ".")[1]
        return "\(Base64URL.encode(header.serialized().utf8)).\(body).\(Base64URL.encode(signature))"
    }

    @Test(arguments: [
        Forged(testDescription: "another key's signature") {
            var signer = $0.publisher.signer
            signer.key = try SigningKey()
            return try signer.token()
        },
        Forged(testDescription: "an unknown key") {
            var signer = $0.publisher.signer
            signer.keyID = "AAAAAAAAAA"
            return try signer.token()
        },
        Forged(testDescription: "expired") {
            try $0.publisher.signer.token(["exp": 1_700_000_000, "iat": 1_699_999_000])
        },
        Forged(testDescription: "too long") {
            try $0.publisher.signer.token(["exp": .integer(Timestamp.now.seconds + 3600)])
        },
        Forged(testDescription: "another audience") { try $0.publisher.signer.token(["aud": "somebody-else"]) },
        Forged(testDescription: "another issuer") { try $0.publisher.signer.token(["iss": "somebody-else"]) },
        Forged(testDescription: "alg none") {
            try unsigned($0, ["alg": "none", "kid": .string($0.publisher.signer.keyID)])
        },
        Forged(testDescription: "HS256 with the public key as its secret") { fixture in
            let text = try unsigned(fixture, ["alg": "HS256", "kid": .string(fixture.publisher.signer.keyID)])
            let signed = text.split(separator: ".").prefix(2).joined(separator: ".")
            let code = MessageAuthentication.hmacSHA256(signed.utf8, key: try fixture.publisher.signer.key.publicPEM())
            return signed + "." + Base64URL.encode(code.bytes)
        },
        Forged(testDescription: "a changed body") { fixture in
            let parts = try fixture.publisher.signer.token().split(separator: ".")
            let claims: JSONValue = ["iss": .string(fixture.issuer), "aud": "appstoreconnect-v1", "exp": 1_900_000_000]
            return "\(parts[0]).\(Base64URL.encode(claims.serialized().utf8)).\(parts[2])"
        },
        Forged(testDescription: "no token") { _ in "" },
        Forged(testDescription: "a scope for something else") {
            try $0.publisher.signer.token(["scope": ["GET /v1/backgroundAssets/1"]])
        },
    ])
    func forgedTokensAreRefused(forged: Forged) async throws {
        try await HostFixture.with { fixture in
            let answer = try await fixture.publisher.send("GET", "/v1/apps", token: .some(try forged.token(fixture)))
            #expect(answer.status == 401)
        }
    }

    @Test func aRevokedKeyIsWorthNothingAtOnce() async throws {
        try await HostFixture.with { fixture in
            let publisher = try await fixture.publisher(.developer)
            #expect(try await publisher.send("GET", "/v1/apps").status == 200)
            let administration = try await HostAdministration(fixture.configuration)
            try await administration.revokeKey(publisher.signer.keyID)
            await administration.close()
            #expect(try await publisher.send("GET", "/v1/apps").status == 401)
        }
    }

    @Test func rolesBind() async throws {
        try await HostFixture.with { fixture in
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let requests: [(Role.Permission, String, String, JSONValue)] = [
                (
                    .upload, "POST", "/v1/backgroundAssetVersions",
                    Publisher.document(.backgroundAssetVersions, [:], ["backgroundAsset": (.backgroundAssets, pack)])
                ),
                (
                    .manage, "PATCH", "/v1/backgroundAssets/\(pack)",
                    Publisher.document(.backgroundAssets, id: pack, ["archived": false])
                ),
                (.review, "POST", "/v1/reviewDecisions", Publisher.document(.reviewDecisions)),
            ]
            for role in Role.allCases {
                let publisher = try await fixture.publisher(role)
                #expect(try await publisher.send("GET", "/v1/apps").status == 200)
                for (permission, method, path, body) in requests {
                    let answer = try await publisher.send(method, path, body)
                    #expect((answer.status != 403) == role.permits(permission), "\(role) \(method) \(path)")
                }
            }
        }
    }

    @Test func otherAppsDoNotExistForAKeyOfOneApp() async throws {
        try await HostFixture.with { fixture in
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let version = try await fixture.publisher.version(of: pack)
            let file = try #require(try await fixture.publisher.reserve(version, size: 3)["id"]?.stringValue)
            _ = try await fixture.app("org.example.other")
            let stranger = try await fixture.publisher(.admin, apps: ["org.example.other"])
            let apps = try await stranger.send("GET", "/v1/apps").json
            #expect(apps["data"]?.arrayValue?.map { $0["attributes"]?["bundleId"] } == ["org.example.other"])
            for path in [
                "apps/\(fixture.appID)", "apps/\(fixture.appID)/backgroundAssets",
                "apps/\(fixture.appID)/relationships/backgroundAssets", "backgroundAssets/\(pack)",
                "backgroundAssets/\(pack)/versions", "backgroundAssetVersions/\(version)",
                "backgroundAssetVersions/\(version)/backgroundAssetUploadFiles", "backgroundAssetUploadFiles/\(file)",
            ] {
                #expect(try await stranger.send("GET", "/v1/\(path)").status == 404, "\(path)")
                #expect(try await fixture.publisher.send("GET", "/v1/\(path)").status == 200, "\(path)")
            }
            let document = Publisher.document(.backgroundAssets, id: pack, ["archived": true])
            #expect(try await stranger.send("PATCH", "/v1/backgroundAssets/\(pack)", document).status == 404)
            #expect(try await stranger.commit(file).status == 404)
            let made = try await stranger.send(
                "POST", "/v1/backgroundAssets",
                Publisher.document(.backgroundAssets, ["assetPackIdentifier": "X"], ["app": (.apps, fixture.appID)]))
            #expect(made.code == "ENTITY_ERROR.RELATIONSHIP.INVALID")
            let list = try await stranger.send("GET", "/v1/reviewSubmissions?filter[app]=\(fixture.appID)")
            #expect(try list.json["data"] == [])
        }
    }

    @Test(arguments: [
        "/v1/backgroundAssets/1%27%20OR%20%271%27=%271", "/v1/backgroundAssets/..%2F..%2Fkeys", "/v1/keys/1",
        "/v1/settings",
        "/archives/..%2Fhost.sqlite", "/archives/../../host.sqlite", "/archives/%2e%2e", "/uploads/..%2F..%2Fx/1",
        "/devices/..%2F..%2Fetc/appStore/manifest", "/devices/org.example.coast/../manifest", "//v1/apps",
        "/v1//apps",
        "/v1/apps/", "/V1/apps", "/v1/apps/%00",
    ])
    func pathsLeadNowhereElse(path: String) async throws {
        try await HostFixture.with { fixture in
            let answer = try await fixture.publisher.send("GET", path)
            #expect(answer.status == 404 || answer.status == 405, "\(answer.status)")
        }
    }

    @Test(arguments: ["../evil.aar", "a/b", "..", ".", "", "a\u{0}b", String(repeating: "n", count: 300)])
    func fileNamesArePlainNames(name: String) async throws {
        try await HostFixture.with { fixture in
            let version = try await fixture.publisher.version(
                of: fixture.publisher.pack("Coast", app: fixture.appID))
            let answer = try await fixture.publisher.send(
                "POST", "/v1/backgroundAssetUploadFiles",
                Publisher.document(
                    .backgroundAssetUploadFiles,
                    ["assetType": "ASSET", "fileName": .string(name), "fileSize": 1],
                    ["backgroundAssetVersion": (.backgroundAssetVersions, version)]))
            #expect(answer.code == "ENTITY_ERROR.ATTRIBUTE.INVALID")
        }
    }

    @Test func oversizeRequestsAreRefused() async throws {
        try await HostFixture.with({ $0.limits.documentSize = 10_000 }) { fixture in
            let body = [UInt8](repeating: 0x20, count: 10_001)
            let tooLong = try await fixture.publisher.send("POST", "/v1/backgroundAssets", body)
            #expect(tooLong.status == 413)
            #expect(tooLong.code == "ENTITY_ERROR.TOO_LONG", "refused as every other request is")
            let long = try await fixture.publisher.send(
                "GET", "/v1/apps", headers: ["X-Long": String(repeating: "x", count: 1 << 20)])
            #expect((400..<500).contains(long.status))
            #expect(try await fixture.publisher.send("GET", "/healthz").status == 200)
        }
    }

    @Test func bodiesOfTheWrongShapeAreRefused() async throws {
        try await HostFixture.with { fixture in
            for (text, status) in [
                ("", 400), ("[]", 400), ("{}", 400), ("{\"data\":[]}", 400), ("{\"data\":{}}", 409),
                (String(repeating: "[", count: 5000), 400), ("{\"data\":{\"type\":\"apps\"}}", 409),
                ("{\"data\":{\"type\":\"backgroundAssets\"}}", 409),
                ("{\"data\":{\"type\":\"backgroundAssets\",\"attributes\":{\"assetPackIdentifier\":7}}}", 409),
                ("{\"data\":{\"type\":\"backgroundAssets\",\"attributes\":{\"usedBytes\":7}}}", 409),
                ("{\"data\":{\"type\":\"backgroundAssets\",\"attributes\":{\"assetPackIdentifier\":\"../x\"}}}", 409),
            ] {
                let answer = try await fixture.publisher.send("POST", "/v1/backgroundAssets", Array(text.utf8))
                #expect(answer.status == status, "\(text.prefix(60))")
                #expect(answer.code != nil)
            }
        }
    }

    // MARK: Parts

    @Test func partsAreTakenOnlyUnderTheirOwnAddress() async throws {
        try await HostFixture.with { fixture in
            let publisher = fixture.publisher
            let version = try await publisher.version(of: publisher.pack("Coast", app: fixture.appID))
            let file = try await publisher.reserve(version, size: 1000)
            let operation = try #require(file["attributes"]?["uploadOperations"]?.arrayValue?.first)
            let url = try #require(operation["url"]?.stringValue)
            let bytes = [UInt8](repeating: 1, count: 1000)
            func put(_ url: String, _ bytes: [UInt8]) async throws -> Int {
                try await publisher.send("PUT", url, bytes, token: .some(nil)).status
            }
            for wrong in [
                url.replacing("length=1000", with: "length=2000"), url.replacing("offset=0", with: "offset=1"),
                url.replacing("/1?", with: "/2?"), url.replacing("expires=", with: "expires=9"),
                url.replacing("signature=", with: "signature=A"), String(url.prefix { $0 != "?" }),
                url.replacing(try #require(file["id"]?.stringValue), with: "00000000-0000-4000-8000-000000000000"),
            ] {
                #expect(try await put(wrong, bytes) == 403, "\(wrong)")
            }
            #expect(try await put(url, Array(bytes.prefix(999))) == 400)
            #expect(try await put(url, bytes + [1]) == 400)
            let id = try #require(file["id"]?.stringValue)
            #expect(try await publisher.commit(id).code == "STATE_ERROR.UPLOAD_INCOMPLETE")
            #expect(try await put(url, bytes) == 200)
        }
    }

    @Test func partsMayBeRepeatedUntilTheUploadIsFinished() async throws {
        try await HostFixture.with { fixture in
            let publisher = fixture.publisher
            let archive = try fixture.archive(content: [1, 2, 3])
            let version = try await publisher.version(of: publisher.pack("Coast", app: fixture.appID))
            let file = try await publisher.reserve(version, size: archive.count)
            // The first try was wrong; what came last counts.
            try await publisher.put([UInt8](repeating: 0, count: archive.count), to: file)
            try await publisher.put(archive, to: file)
            try await publisher.put(archive, to: file)
            #expect(try await publisher.commit(try #require(file["id"]?.stringValue)).status == 200)
            #expect(try await publisher.processed(version)["attributes"]?["state"] == "COMPLETE")

            let operation = try #require(file["attributes"]?["uploadOperations"]?.arrayValue?.first)
            let late = try await publisher.put(archive, operation)
            #expect(late.status == 409)
            #expect(late.code == "STATE_ERROR.UPLOAD_FINISHED")
            #expect(try await publisher.commit(try #require(file["id"]?.stringValue)).status == 409)
            // Nothing is left of it, and nothing came back.
            #expect(try fixture.scratch.tree("data/uploads").isEmpty)
            let second = try await publisher.send(
                "POST", "/v1/backgroundAssetUploadFiles",
                Publisher.document(
                    .backgroundAssetUploadFiles, ["assetType": "ASSET", "fileName": "x", "fileSize": 1],
                    ["backgroundAssetVersion": (.backgroundAssetVersions, version)]))
            #expect(second.status == 409)
        }
    }

    @Test func anExpiredAddressIsWorthNothing() async throws {
        let now = Locked(Timestamp.now)
        try await HostFixture.with({ $0.clock = { now.withLock { $0 } } }) { fixture in
            let publisher = fixture.publisher
            let version = try await publisher.version(of: publisher.pack("Coast", app: fixture.appID))
            let file = try await publisher.reserve(version, size: 10)
            let operation = try #require(file["attributes"]?["uploadOperations"]?.arrayValue?.first)
            now.withLock { $0.seconds += 24 * 3600 }
            #expect(try await publisher.put([UInt8](repeating: 1, count: 10), operation).status == 403)
        }
    }

    @Test func aBrokenOffPartLeavesNothing() async throws {
        try await HostFixture.with({ $0.idleSeconds = 1 }) { fixture in
            let publisher = fixture.publisher
            let version = try await publisher.version(of: publisher.pack("Coast", app: fixture.appID))
            let file = try await publisher.reserve(version, size: 100_000)
            let url = try #require(
                file["attributes"]?["uploadOperations"]?.arrayValue?.first?["url"]?.stringValue)
            let target = String(url.dropFirst(publisher.url.count))
            let head = "PUT \(target) HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"
            _ = try? await RawExchange.send(Array(head.utf8) + [1, 2, 3], to: publisher.url, thenClose: true)
            let shown = try await publisher.send(
                "GET", "/v1/backgroundAssetUploadFiles/\(try #require(file["id"]?.stringValue))")
            #expect(
                try shown.json["data"]?["attributes"]?["uploadOperations"]?.arrayValue?.first?["entityTag"] == nil)
            #expect(try fixture.scratch.tree("data/uploads").isEmpty)
        }
    }

    @Test(arguments: [
        "GET /v1/apps HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/apps HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "POST /v1/apps HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "GET /v1/apps HTTP/1.1\r\nHost : x\r\n\r\n", "GET /v1/apps\r\n\r\n", "\u{0}\u{1}\r\n\r\n",
        "POST /v1/apps HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ])
    func requestsThatAreNoneAreNotAnswered(text: String) async throws {
        try await HostFixture.with({ $0.idleSeconds = 1 }) { fixture in
            let status = await status(of: text, from: fixture)
            #expect(status >= 400)
            let after = try await fixture.publisher.send("GET", "/healthz")
            #expect(after.status == 200)
        }
    }

    /// Heads that somebody in between may read otherwise than the host does. What follows must not be taken for a request.
    @Test(arguments: ["POST", "GET"])
    func nothingIsSmuggledBehindARequest(method: String) async throws {
        let heads = [
            "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding : chunked\r\nContent-Length: 5",
            "Transfer-Encoding:\r\n chunked\r\nContent-Length: 5", "Transfer-Encoding:\tchunked\r\nContent-Length: 5",
            "X: y\nTransfer-Encoding: chunked\nContent-Length: 5", "TRANSFER-encoding: CHUNKED\r\ncontent-LENGTH: 5",
            "Transfer-Encoding: identity\r\nContent-Length: 5", "Transfer-Encoding: xchunked\r\nContent-Length: 5",
            "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: \u{B}chunked",
            "Content-Length: 5\r\nContent-Length: 0", "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5, 5",
            "Content-Length: +5", "Content-Length: 0x5", "Content-Length: 5a", "Content-Length:",
        ]
        try await HostFixture.with({ $0.idleSeconds = 1 }) { fixture in
            for head in heads {
                let text =
                    "\(method) /v1/apps HTTP/1.1\r\nHost: x\r\n\(head)\r\n\r\n0\r\n\r\n"
                    + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
                // To the end of the connection, which is the host's word.
                let answer = try await RawExchange.send(Array(text.utf8), to: fixture.host.url)
                #expect(answer.status == 400, "\(head.debugDescription)")
                let rest = String(decoding: answer.body, as: UTF8.self)
                #expect(!rest.contains("HTTP/1.1 200") && !rest.contains("ok\n"), "\(head.debugDescription)")
            }
        }
    }

    /// The status that a text is answered with; 499 when the connection just ends.
    private func status(of text: String, from fixture: HostFixture) async -> Int {
        do {
            return try await RawExchange.send(Array(text.utf8), to: fixture.host.url, thenClose: true).status
        } catch {
            return 499
        }
    }

    @Test func aClientThatSaysNothingIsLeft() async throws {
        try await HostFixture.with({ $0.idleSeconds = 1 }) { fixture in
            for text in ["", "GET /v1/apps HT", "POST /v1/apps HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"] {
                // Ends only when the host closes the connection.
                let answer = await status(of: text, from: fixture)
                #expect(answer >= 400)
            }
        }
    }
}
