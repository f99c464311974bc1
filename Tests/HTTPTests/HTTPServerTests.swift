// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import HTTP
import HTTPSupport
import Kit
import System
import Testing

/// The house's client and server against each other, over TLS.
@Suite(.timeLimit(.minutes(5))) struct HTTPServerTests {
    @Test func answersAndLogs() async throws {
        let secure = try SecureServer { request in
            .text(
                200,
                "\(request.method) \(request.path) \(request.query.map { "\($0.name)=\($0.value)" }) \(request.client)")
        }
        let client = secure.client()
        let (head, bytes) = try await client.data(
            for: HTTPRequest(url: secure.url + "/a%20b?platform=Linux&x"), limit: 1000)
        #expect(head.status == 200)
        #expect(String(decoding: bytes, as: UTF8.self) == "GET /a b [\"platform=Linux\", \"x=\"] 127.0.0.1\n")
        secure.server.stop()
        let records = secure.records.withLock { $0 }
        #expect(records.count == 1)
        #expect(records.first?.status == 200)
        #expect(records.first?.bytes == Int64(bytes.count))
    }

    @Test func servesFilesInPartsAndWhole() async throws {
        let content = pattern(3 << 20)
        let file = Locked<ServedFile?>(nil)
        let secure = try SecureServer { request in
            guard let file = file.withLock({ $0 }) else { return .text(500, "no file") }
            return FileAnswer(
                file: file, size: Int64(content.count), etag: "\"v1\"", contentType: "application/octet-stream"
            )
            .response(to: request)
        }
        let served = try ServedFile(secure.file(content))
        file.withLock { $0 = served }
        let client = secure.client()

        let whole = client.start(HTTPRequest(url: secure.url + "/f", expectedLength: Int64(content.count)))
        #expect(try await whole.head().resumeValidator == "\"v1\"")
        #expect(try await whole.readAll().elementsEqual(content))

        let rest = client.start(HTTPRequest(url: secure.url + "/f", rangeStart: 1_000_001, ifRange: "\"v1\""))
        #expect(try await rest.head().startOffset == 1_000_001)
        #expect(try await rest.readAll().elementsEqual(content[1_000_001...]))

        let changed = client.start(HTTPRequest(url: secure.url + "/f", rangeStart: 1_000_001, ifRange: "\"v0\""))
        #expect(try await changed.head().startOffset == 0)
        changed.cancel()

        let head = client.start(HTTPRequest(url: secure.url + "/f", method: .head))
        #expect(try await head.head().contentLength == Int64(content.count))
        #expect(try await head.readAll().isEmpty)

        let behind = client.start(HTTPRequest(url: secure.url + "/f", rangeStart: Int64(content.count)))
        let error = await #expect(throws: HTTPClientError.self) { try await behind.head() }
        #expect(error?.status == 416)
    }

    @Test func twoHundredAtOnce() async throws {
        let content = pattern(200_000)
        let secure = try SecureServer { _ in HTTPServerResponse(status: 200, body: [.bytes(content)]) }
        let client = secure.client()
        let url = secure.url
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await client.data(for: HTTPRequest(url: "\(url)/\(number)"), limit: 1 << 20).1 == content
                }
            }
            var good = 0
            for try await isGood in group where isGood { good += 1 }
            return good
        }
        #expect(good == 200)
    }

    @Test func anUnknownAuthorityIsRefused() async throws {
        let secure = try SecureServer { _ in .text(200, "secret") }
        let error = await #expect(throws: HTTPClientError.self) {
            try await HTTPClient.forTests().data(for: HTTPRequest(url: secure.url), limit: 100)
        }
        #expect(error?.code == .untrustedCertificate)
        #expect(error?.isTransient == false)
    }

    @Test func anotherNameAndAnExpiredCertificateAreRefused() async throws {
        let now = Timestamp.now.seconds
        let authority = try CertificateAuthority(name: "test", now: now)
        let identities = [
            try authority.issue(hosts: [HostName("other.example.com")], from: now - 60),
            try authority.issue(hosts: [HostName("localhost")], from: now - 86_400 * 3, days: 2),
        ]
        for identity in identities {
            let secure = try SecureServer(identity: identity) { _ in .text(200, "secret") }
            let trusted = try secure.file(authority.pem(), name: "authority.pem")
            let client = HTTPClient.forTests { $0.trustedCertificates = [trusted] }
            let error = await #expect(throws: HTTPClientError.self) {
                try await client.data(for: HTTPRequest(url: secure.url), limit: 100)
            }
            #expect(error?.code == .untrustedCertificate)
        }
    }

    @Test func onlyPermittedHostsAreAsked() async throws {
        let asked = Locked(0)
        let secure = try SecureServer { request in
            asked.withLock { $0 += 1 }
            var response = HTTPServerResponse.text(302, "")
            response.headers["Location"] = "https://127.0.0.1:\(request.headers["X-Port"] ?? "")/there"
            return request.path == "/there" ? .text(200, "ok") : response
        }
        func fetch(_ hosts: Set<String>) async -> HTTPClientError.Code? {
            var request = HTTPRequest(url: secure.url, headers: [("X-Port", "\(secure.server.port)")])
            request.permitsHost = { hosts.contains($0) }
            do {
                _ = try await secure.client().data(for: request, limit: 100)
                return nil
            } catch {
                return (error as? HTTPClientError)?.code
            }
        }
        #expect(await fetch(["localhost", "127.0.0.1"]) == nil)
        #expect(asked.withLock { $0 } == 2)
        #expect(await fetch(["localhost"]) == .forbiddenHost)
        #expect(asked.withLock { $0 } == 3)
        #expect(await fetch([]) == .forbiddenHost)
        #expect(asked.withLock { $0 } == 3)
    }

    @Test(arguments: ["https://nowhere.invalid/there", "//nowhere.invalid/there"])
    func aForbiddenHostIsNotLookedUp(location: String) async throws {
        let secure = try SecureServer { _ in
            var response = HTTPServerResponse.text(302, "")
            response.headers["Location"] = location
            return response
        }
        var request = HTTPRequest(url: secure.url)
        request.permitsHost = { $0 == "localhost" }
        let refused = request
        // Looking it up would end as a name without an address.
        let error = await #expect(throws: HTTPClientError.self) {
            try await secure.client().data(for: refused, limit: 100)
        }
        #expect(error?.code == .forbiddenHost)
    }

    @Test func aRelativeRedirectStaysAtItsHost() async throws {
        let secure = try SecureServer { request in
            var response = HTTPServerResponse.text(302, "")
            response.headers["Location"] = "there"
            return request.path == "/there" ? .text(200, "ok") : response
        }
        var request = HTTPRequest(url: secure.url)
        request.permitsHost = { $0 == "localhost" }
        let (_, body) = try await secure.client().data(for: request, limit: 100)
        #expect(body == Array("ok\n".utf8))
    }

    @Test func trustIsReadAgainForEachRequest() async throws {
        let secure = try SecureServer { _ in .text(200, "ok") }
        let folder = try TemporaryDirectory()
        let client = HTTPClient.forTests {
            $0.trustedCertificates = [folder.path]
            $0.linger = .seconds(5)
        }
        func code() async -> HTTPClientError.Code? {
            do {
                _ = try await client.data(for: HTTPRequest(url: secure.url), limit: 100)
                return nil
            } catch {
                return (error as? HTTPClientError)?.code
            }
        }
        #expect(await code() == .untrustedCertificate)
        let trusted = folder.path.appending("development.pem")
        try File.copy(from: secure.authorityFile, to: trusted)
        #expect(await code() == nil)
        // Not even a connection from before may be used again.
        try FileDescriptor.currentDirectory.remove(at: trusted)
        #expect(await code() == .untrustedCertificate)
        try AtomicFile.write(Array("garbage".utf8), to: trusted, durable: false)
        #expect(await code() == .badTrust)
    }

    @Test func aCertificateThatFitsNoKeyIsRefusedAtTheStart() throws {
        let authority = try CertificateAuthority(name: "test", now: 1_800_000_000)
        let one = try authority.issue(hosts: [HostName("localhost")], from: 1_800_000_000)
        let two = try authority.issue(hosts: [HostName("localhost")], from: 1_800_000_000)
        #expect(throws: CryptoError.self) { try TLSIdentity(certificates: one.certificates, key: two.key) }
    }

    @Test func aPortIsListenedOnOnce() throws {
        let first = try HTTPServer(HTTPServerConfiguration(host: "127.0.0.1")) { _ in .text(200, "") }
        let error = #expect(throws: HTTPServerError.self) {
            try HTTPServer(HTTPServerConfiguration(host: "127.0.0.1", port: first.port)) { _ in .text(200, "") }
        }
        #expect(error?.code == .listen)
        #expect(error?.message.contains("\(first.port)") == true)
        first.stop()
        first.stop()
    }

    @Test func stoppingAnswersWhoWaits() async throws {
        let arrived = Monitor(false)
        let secure = try SecureServer { request in
            arrived.withLock { $0 = true }
            try? await Task.sleep(for: .seconds(1000))
            return .text(200, "too late")
        }
        let client = secure.client()
        let url = secure.url
        let waiting = Task { try await client.data(for: HTTPRequest(url: url), limit: 1000) }
        try await onOwnThread { arrived.wait { $0 ? () : nil } }
        try await onOwnThread { secure.server.stop() }
        await #expect(throws: HTTPClientError.self) { try await waiting.value }
    }
}
