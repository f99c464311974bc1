// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceSupport
import HTTP
import Kit
import System
import Testing

/// What a server asks for before it gives anything, and what a request may prove and accept.
@Suite(.timeLimit(.minutes(5))) struct AuthenticationTests {
    private func request(
        _ url: String, _ change: (inout HTTPAuthentication) -> Void = { _ in }
    ) -> HTTPRequest {
        var request = HTTPRequest(url: url)
        var authentication = HTTPAuthentication()
        change(&authentication)
        request.authentication = authentication
        return request
    }

    private func text(_ client: HTTPClient, _ request: HTTPRequest) async throws -> String {
        String(decoding: try await client.data(for: request, limit: 1000).1, as: UTF8.self)
    }

    private func failure(_ client: HTTPClient, _ request: HTTPRequest) async -> HTTPClientError? {
        await #expect(throws: HTTPClientError.self) { _ = try await client.data(for: request, limit: 1000) }
    }

    // MARK: - Name and password

    @Test func basic() async throws {
        let secure = try SecureServer { request in
            // "Aladdin:open sesame", as in RFC 7617.
            request.headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
                ? .text(200, "in")
                : HTTPServerResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"cave\""])
        }
        let client = secure.client()
        let error = await failure(client, request(secure.url + "/f"))
        let origin = HTTPOrigin(scheme: "https", host: "localhost", port: secure.server.port)
        #expect(error?.status == 401)
        #expect(error?.challenge == HTTPChallenge(origin: origin, demands: [.basic(realm: "cave")]))
        #expect(
            try await text(
                client,
                request(secure.url + "/f") {
                    $0.login = .init(user: "Aladdin", password: "open sesame", isDigest: false)
                }) == "in\n")
        let wrong = await failure(
            client,
            request(secure.url + "/f") { $0.login = .init(user: "Aladdin", password: "sesame", isDigest: false) })
        #expect(wrong?.challenge?.origin == origin)
        #expect(!"\(String(describing: wrong))".contains("sesame"))
        let broken = await failure(
            client, request(secure.url + "/f") { $0.login = .init(user: "A\r\nX: y", password: "", isDigest: false) })
        #expect(broken?.code == .badCredential)
    }

    @Test func digest() async throws {
        @Sendable func hash(_ text: String) -> String { "\(SHA256.hash(Array(text.utf8)))" }
        let asked = Locked(0)
        let secure = try SecureServer { request in
            let refusal = HTTPServerResponse(
                status: 401,
                headers: ["WWW-Authenticate": "Digest realm=\"cave\", nonce=\"n1\", qop=\"auth\", algorithm=SHA-256"],
                body: [.bytes(Array("Who are you?".utf8))])
            asked.withLock { $0 += 1 }
            guard let field = request.headers["Authorization"], field.hasPrefix("Digest ") else { return refusal }
            var given: [String: String] = [:]
            for part in field.dropFirst(7).split(separator: ",") {
                let pair = part.split(separator: "=", maxSplits: 1).map {
                    $0.trimmingQuotes
                }
                if pair.count == 2 { given[pair[0]] = pair[1] }
            }
            let one = hash("Aladdin:cave:open sesame")
            let two = hash("GET:\(given["uri"] ?? "")")
            let right = hash(
                "\(one):n1:\(given["nc"] ?? ""):\(given["cnonce"] ?? ""):auth:\(two)")
            return given["response"] == right && given["username"] == "Aladdin" ? .text(200, "in") : refusal
        }
        let client = secure.client()
        let error = await failure(client, request(secure.url + "/f"))
        #expect(error?.challenge?.demands == [.digest(realm: "cave")])
        #expect(
            try await text(
                client,
                request(secure.url + "/f") {
                    $0.login = .init(user: "Aladdin", password: "open sesame", isDigest: true)
                }
            ) == "in\n")
        #expect(asked.withLock { $0 } == 3)
        let wrong = await failure(
            client, request(secure.url + "/f") { $0.login = .init(user: "Aladdin", password: "", isDigest: true) })
        #expect(wrong?.status == 401 && wrong?.challenge?.demands == [.digest(realm: "cave")])
    }

    @Test func aRedirectIsReportedAndTakesNothingAlong() async throws {
        let seen = Locked<[String]>([])
        let secure = try SecureServer { request in
            seen.withLock { $0.append("\(request.path) \(request.headers["Authorization"] ?? "-")") }
            return request.path == "/a"
                ? HTTPServerResponse(
                    status: 302, headers: ["Location": "/b?x=1"], body: [.bytes(Array("elsewhere".utf8))])
                : .text(200, "there")
        }
        let client = secure.client()
        let login = HTTPAuthentication.Login(user: "Aladdin", password: "open sesame", isDigest: false)
        let error = await failure(client, request(secure.url + "/a") { $0.login = login })
        #expect(error?.code == .redirect && error?.location == secure.url + "/b?x=1")
        #expect(try await text(client, request(secure.url + "/b?x=1")) == "there\n")
        secure.server.stop()
        #expect(seen.withLock { $0 } == ["/a Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "/b -"])
    }

    // MARK: - The server's certificate

    /// SHA-256 of the certificate that the error shows.
    private func shown(_ error: HTTPClientError?) throws -> Digest {
        guard case .serverTrust(let certificates, _) = error?.challenge?.demands.first, let own = certificates.first
        else {
            throw HTTPClientError(.failed, "no certificate was shown: \(String(describing: error))")
        }
        return SHA256.hash(own)
    }

    @Test func aServerThatNobodyKnowsIsAcceptedByItsCertificateAlone() async throws {
        let secure = try SecureServer { _ in .text(200, "in") }
        let other = try SecureServer { _ in .text(200, "other") }
        let stranger = HTTPClient.forTests()
        let error = await failure(stranger, request(secure.url + "/f"))
        #expect(error?.code == .untrustedCertificate)
        let digest = try shown(error)
        if case .serverTrust(let certificates, false) = error?.challenge?.demands.first {
            #expect(certificates.count == 2)
        }
        let accepting = request(secure.url + "/f") { $0.acceptedCertificate = digest }
        #expect(try await text(stranger, accepting) == "in\n")
        // What one request accepts is accepted for no other.
        #expect(await failure(stranger, request(secure.url + "/f"))?.code == .untrustedCertificate)
        #expect(try await text(stranger, accepting) == "in\n")
        #expect(await failure(stranger, HTTPRequest(url: secure.url + "/f"))?.code == .untrustedCertificate)
        // Another server is not let through with it, not even one that the system trusts.
        let elsewhere = request(other.url + "/f") { $0.acceptedCertificate = digest }
        #expect(await failure(stranger, elsewhere)?.code == .untrustedCertificate)
        let refused = await failure(other.client(), elsewhere)
        #expect(refused?.code == .untrustedCertificate)
        #expect(try shown(refused) != digest)
        #expect(try await text(other.client(), request(other.url + "/f")) == "other\n")
    }

    @Test func acceptanceCoversNameAndTime() async throws {
        let folder = FolderOwner(try TemporaryDirectory(prefix: "larder-trust"))
        let authority = try DevelopmentAuthority(folder: folder.path)
        let old = Timestamp.now.seconds - 20 * 86_400
        for identity in [
            try authority.temporaryIdentity(hosts: [HostName("other.example")], from: old, days: 300),
            try authority.temporaryIdentity(hosts: [HostName("localhost")], from: old, days: 10),
        ] {
            let secure = try SecureServer(identity: identity) { _ in .text(200, "in") }
            let client = HTTPClient.forTests { $0.trustedCertificates = [authority.certificateFile] }
            let error = await failure(client, request(secure.url + "/f"))
            #expect(error?.code == .untrustedCertificate)
            let digest = try shown(error)
            #expect(
                try await text(client, request(secure.url + "/f") { $0.acceptedCertificate = digest }) == "in\n")
        }
    }

    @Test func aServerThatTheSystemTrustsIsShownBeforeAnythingIsSent() async throws {
        let asked = Locked<[String]>([])
        let secure = try SecureServer { request in
            asked.withLock { $0.append(request.path) }
            return .text(200, "in")
        }
        let client = secure.client()
        // A connection that stands is of no use to whoever wants to judge.
        #expect(try await text(client, HTTPRequest(url: secure.url + "/before")) == "in\n")
        let error = await failure(client, request(secure.url + "/f") { $0.asksForTrust = true })
        #expect(error?.code == .trustAsked && error?.isTransient == false)
        guard case .serverTrust(let certificates, true) = error?.challenge?.demands.first else {
            Issue.record("no certificate was shown: \(String(describing: error))")
            return
        }
        #expect(certificates.count == 2)
        let digest = try shown(error)
        #expect(try await text(client, request(secure.url + "/f") { $0.acceptedCertificate = digest }) == "in\n")
        // Who does not trust it himself is told so.
        let stranger = await failure(HTTPClient.forTests(), request(secure.url + "/f") { $0.asksForTrust = true })
        #expect(stranger?.code == .untrustedCertificate)
        guard case .serverTrust(_, false) = stranger?.challenge?.demands.first else {
            Issue.record("the certificate is said to be trusted: \(String(describing: stranger))")
            return
        }
        secure.server.stop()
        #expect(asked.withLock { $0 } == ["/before", "/f"])
    }

    @Test func aTrustedCertificateOfAnotherNameIsNotTrusted() async throws {
        let folder = FolderOwner(try TemporaryDirectory(prefix: "larder-trust"))
        let authority = try DevelopmentAuthority(folder: folder.path)
        let identity = try authority.temporaryIdentity(
            hosts: [HostName("other.example")], from: Timestamp.now.seconds - 86_400, days: 300)
        let secure = try SecureServer(identity: identity) { _ in .text(200, "in") }
        let client = HTTPClient.forTests { $0.trustedCertificates = [authority.certificateFile] }
        let error = await failure(client, request(secure.url + "/f") { $0.asksForTrust = true })
        #expect(error?.code == .untrustedCertificate)
    }

    @Test(arguments: ["TLSv1.2", "TLSv1.3"]) func nothingIsShownToAServerThatIsStillToBeJudged(
        version: String
    ) async throws {
        let clients = try Clients()
        let server = try IndependentServer(
            files: ["file": Array("in".utf8)],
            locations: """
                ssl_client_certificate \(clients.file); ssl_verify_client optional; ssl_protocols \(version);
                """)
        let error = await failure(server.client(), request(server.url + "/file") { $0.asksForTrust = true })
        #expect(error?.code == .trustAsked)
    }

    // MARK: - The client's certificate

    private struct Clients {
        let folder: FolderOwner
        let authority: CertificateAuthority
        let file: FilePath

        init() throws {
            folder = FolderOwner(try TemporaryDirectory(prefix: "larder-clients"))
            authority = try CertificateAuthority(name: "Clients", now: Timestamp.now.seconds)
            file = folder.path.appending("clients.pem")
            try AtomicFile.write(try authority.pem(), to: file, durable: false)
        }

        func identity() throws -> HTTPAuthentication.Identity {
            let identity = try authority.issue(
                hosts: [HostName("player")], from: Timestamp.now.seconds - 60, for: .client)
            return .init(format: .pem, certificate: identity.certificates, key: identity.key, passphrase: "")
        }
    }

    @Test(arguments: ["TLSv1.2", "TLSv1.3"]) func aServerAsksForACertificate(version: String) async throws {
        let clients = try Clients()
        let server = try IndependentServer(
            files: ["file": Array("in".utf8)],
            locations: """
                ssl_client_certificate \(clients.file); ssl_verify_client on; ssl_protocols \(version);
                """)
        let client = server.client()
        let error = await failure(client, request(server.url + "/file"))
        #expect(error?.code == .clientCertificate)
        guard case .clientCertificate(let authorities) = error?.challenge?.demands.first else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(authorities.count == 1 && authorities[0].contains(subsequence: Array("Clients".utf8)))
        let identity = try clients.identity()
        let showing = request(server.url + "/file") { $0.identity = identity }
        #expect(try await text(client, showing) == "in")
        // Nobody else's request goes over that connection, nor without the certificate.
        #expect(await failure(client, request(server.url + "/file"))?.code == .clientCertificate)
        let without = await failure(client, request(server.url + "/file") { $0.goesWithoutIdentity = true })
        #expect(without?.status == 400, "nginx says so in HTTP")
        // What went without does not keep the next one from being asked.
        #expect(await failure(client, request(server.url + "/file"))?.code == .clientCertificate)
        var broken = identity
        broken.key = Array("no key".utf8)
        let unusable = broken
        #expect(
            await failure(client, request(server.url + "/file") { $0.identity = unusable })?.code == .badCredential)
        #expect(try server.answers().map(\.status) == ["200", "400"])
    }
}

extension Substring {
    fileprivate var trimmingQuotes: String { String(drop { $0 == " " }.filter { $0 != "\"" }) }
}

extension [UInt8] {
    fileprivate func contains(subsequence other: [UInt8]) -> Bool { firstRange(of: other) != nil }
}
