// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import HostingModel
import HostingService
import Kit
import Testing

/// What clients of App Store Connect that others wrote count on.
@Suite(.timeLimit(.minutes(5))) struct ClientInterfaceTests {
    @Test func anAppHasWhatClientsReadAndIsChanged() async throws {
        try await HostFixture.with { fixture in
            let path = "/v1/apps/\(fixture.appID)"
            let app = try #require(try await fixture.publisher.send("GET", path).json["data"])
            #expect(app["attributes"]?["primaryLocale"] == "en-US")
            #expect(app["attributes"]?["contentRightsDeclaration"] == "DOES_NOT_USE_THIRD_PARTY_CONTENT")
            #expect(app["attributes"]?["isOrEverWasMadeForKids"] == false)
            for name in ["builds", "preReleaseVersions", "appStoreVersions"] {
                let related = try #require(app["relationships"]?[name]?["links"]?["related"]?.stringValue)
                #expect(try await fixture.publisher.send("GET", related).status == 200, "\(name)")
            }
            #expect(app["relationships"]?["betaGroups"] == ["links": [:]])

            func change(_ attributes: [String: JSONValue]) async throws -> Publisher.Answer {
                try await fixture.publisher.send(
                    "PATCH", path, Publisher.document(.apps, id: fixture.appID, attributes))
            }
            let changed = try await change([
                "primaryLocale": "de-DE", "contentRightsDeclaration": "USES_THIRD_PARTY_CONTENT",
                "bundleId": "org.example.other",
            ])
            #expect(changed.status == 200)
            #expect(try changed.json["data"]?["attributes"]?["primaryLocale"] == "de-DE")
            #expect(try await change(["contentRightsDeclaration": "PERHAPS"]).status == 409)
            #expect(try await change(["name": "Other"]).code == "ENTITY_ERROR.ATTRIBUTE.UNKNOWN")
            #expect(try await change(["bundleId": "../x"]).code == "ENTITY_ERROR.ATTRIBUTE.INVALID")
            _ = try await fixture.app("org.example.taken")
            #expect(try await change(["bundleId": "org.example.taken"]).status == 409)
            // From the first upload on devices know it by that name.
            _ = try await fixture.publisher.pack("Coast", app: fixture.appID)
            #expect(try await change(["bundleId": "org.example.third"]).code == "STATE_ERROR")
        }
    }

    @Test func aBuildHasWhatClientsReadAndExpires() async throws {
        try await HostFixture.with { fixture in
            for version in ["1.9", "1.10"] {
                _ = try await BuildTests.upload(
                    BuildTests.archive(fixture.scratch, version: version), version: version, fixture)
            }
            for sort in ["version", "preReleaseVersion"] {
                let list = try await fixture.publisher.send("GET", "/v1/builds?sort=-\(sort)&limit=1").json
                let second = try await fixture.publisher.send("GET", try #require(list["links"]?["next"]?.stringValue))
                let found = [list, try second.json].map { $0["data"]?.arrayValue?.first?["attributes"]?["version"] }
                #expect(found == ["1.10", "1.9"])
            }
            let build = try #require(
                try await fixture.publisher.send("GET", "/v1/builds?sort=-version").json["data"]?.arrayValue?.first)
            #expect(build["attributes"]?["usesNonExemptEncryption"] == false)
            #expect(build["attributes"]?["minOsVersion"] == "0.0")
            let id = try #require(build["id"]?.stringValue)
            for (name, field) in [("app", "bundleId"), ("preReleaseVersion", "version")] {
                let related = try #require(build["relationships"]?[name]?["links"]?["related"]?.stringValue)
                let answer = try await fixture.publisher.send("GET", related).json
                #expect(answer["data"]?["attributes"]?[field] != nil, "\(name)")
                let itself = try #require(build["relationships"]?[name]?["links"]?["self"]?.stringValue)
                let linkage = try await fixture.publisher.send("GET", itself).json
                #expect(linkage["data"] == build["relationships"]?[name]?["data"])
            }
            func change(_ attributes: [String: JSONValue]) async throws -> Publisher.Answer {
                try await fixture.publisher.send(
                    "PATCH", "/v1/builds/\(id)", Publisher.document(.builds, id: id, attributes))
            }
            #expect(try await change(["usesNonExemptEncryption": true]).status == 200)
            #expect(try await change(["expired": true]).status == 200)
            #expect(try await change(["expired": false]).status == 409)
            // Testers install the one before again.
            let offered = try await fixture.ask(.internalBeta, "build").json
            #expect(offered["version"] == "1.9")
            for (filter, versions) in [
                ("filter[expired]=true", ["1.10"]), ("filter[usesNonExemptEncryption]=false", ["1.9"]),
                ("exists[usesNonExemptEncryption]=false", []), ("filter[betaGroups]=x", []),
                ("include=betaGroups,app&limit[betaGroups]=1", ["1.9", "1.10"]),
            ] {
                let list = try await fixture.publisher.send("GET", "/v1/builds?\(filter)").json
                let found = list["data"]?.arrayValue?.compactMap { $0["attributes"]?["version"]?.stringValue }
                #expect(found == versions, "\(filter)")
            }
        }
    }

    @Test func aBuildGoesToExternalTestersAfterReview() async throws {
        try await HostFixture.with { fixture in
            _ = try await BuildTests.upload(
                BuildTests.archive(fixture.scratch, version: "1.0"), version: "1.0", fixture)
            let publisher = fixture.publisher
            let build = try #require(
                try await publisher.send("GET", "/v1/builds").json["data"]?.arrayValue?.first?["id"]?.stringValue)
            let reviewer = try await fixture.publisher(.reviewer)
            func submit() async throws -> Publisher.Answer {
                try await publisher.send(
                    "POST", "/v1/betaAppReviewSubmissions",
                    Publisher.document(.buildBetaReviews, [:], ["build": (.builds, build)]))
            }
            let first = try await submit()
            #expect(try first.json["data"]?["attributes"]?["betaReviewState"] == "WAITING_FOR_REVIEW")
            #expect(try await submit().code == "STATE_ERROR.SUBMISSION_IN_PROGRESS")
            #expect(try await fixture.ask(.externalBeta, "build").status == 404)
            let id = try #require(try first.json["data"]?["id"]?.stringValue)
            let list = try await fixture.run(["review", "list"], by: reviewer)
            #expect(list.output.contains("build 1.0"), "\(list.output) \(list.errors)")
            let no = try await fixture.run(["review", "reject", id, "--message", "It sinks."], by: reviewer)
            #expect(no.code == .success, "\(no.errors)")
            #expect(try await fixture.ask(.externalBeta, "build").status == 404)

            let second = try #require(try await submit().json["data"]?["id"]?.stringValue)
            let yes = try await fixture.run(["review", "approve", second], by: reviewer)
            #expect(yes.code == .success, "\(yes.errors)")
            #expect(try await fixture.ask(.externalBeta, "build").json["version"] == "1.0")
            #expect(try await fixture.ask(.appStore, "build").status == 404)
            let named = try await publisher.send("GET", "/v1/builds/\(build)/betaAppReviewSubmission").json
            #expect(named["data"]?["attributes"]?["betaReviewState"] == "APPROVED")
            #expect(try await publisher.send("GET", "/v1/betaAppReviewSubmissions").code == "PARAMETER_ERROR.REQUIRED")
            let filtered = try await publisher.send("GET", "/v1/betaAppReviewSubmissions?filter[build]=\(build)").json
            #expect(filtered["data"]?.arrayValue?.count == 2)
        }
    }

    /// Others' clients leave out what need not be there, or add what means nothing.
    @Test func tokensInOtherClientsFormsAreTaken() async throws {
        try await HostFixture.with { fixture in
            let now = Timestamp.now.seconds
            let forms: [[String: JSONValue]] = [
                ["iss": .string(fixture.issuer), "exp": .integer(now + 1200), "aud": "appstoreconnect-v1"],
                [
                    "iss": .string(fixture.issuer), "exp": .number(Double(now) + 600.5), "iat": .number(Double(now)),
                    "aud": ["appstoreconnect-v1"],
                ],
                [
                    "iss": .string(fixture.issuer), "exp": .integer(now + 600), "aud": "appstoreconnect-v1",
                    "scope": ["GET /v1/apps?filter[bundleId]=x", "GET /v1/apps"], "sub": "user", "bid": "org.example",
                ],
            ]
            let signer = fixture.publisher.signer
            for claims in forms {
                let text = BearerToken.text(keyID: signer.keyID, claims: .object(claims))
                let token = text + "." + Base64URL.encode(try signer.key.sign(text.utf8))
                #expect(try await fixture.publisher.send("GET", "/v1/apps", token: .some(token)).status == 200)
                let lower = try await fixture.publisher.send(
                    "GET", "/v1/apps", headers: ["Authorization": "bearer \(token)"], token: .some(nil))
                #expect(lower.status == 200)
            }
        }
    }
}
