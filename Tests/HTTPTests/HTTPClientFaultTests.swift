// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import HTTPSupport
import Kit
import Testing

/// What a client does with servers that err or lie, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct HTTPClientFaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let answer: String
        let code: HTTPClientError.Code
        var isTransient = false
        var request = HTTPRequest(url: "")
        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "404", answer: "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", code: .status),
        Case(
            name: "503", answer: "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n", code: .status,
            isTransient: true),
        Case(name: "no answer at all", answer: "", code: .cut, isTransient: true),
        Case(
            name: "a body shorter than its length", answer: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
            code: .cut, isTransient: true),
        Case(
            name: "a broken-off chunked body",
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello",
            code: .cut, isTransient: true),
        Case(
            name: "another length than announced", answer: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            code: .wrongLength, request: HTTPRequest(url: "", expectedLength: 6)),
        Case(
            name: "more bytes than announced, without a length",
            answer: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello world", code: .wrongLength,
            request: HTTPRequest(url: "", expectedLength: 6)),
        Case(
            name: "fewer bytes than announced, without a length",
            answer: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhell",
            code: .cut, isTransient: true, request: HTTPRequest(url: "", expectedLength: 6)),
        Case(
            name: "a part nobody asked for",
            answer: "HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-4/5\r\nContent-Length: 5\r\n\r\nhello",
            code: .badResponse),
        Case(
            name: "another part than asked for",
            answer: "HTTP/1.1 206 Partial\r\nContent-Range: bytes 2-4/5\r\nContent-Length: 3\r\n\r\nllo",
            code: .badResponse, request: HTTPRequest(url: "", rangeStart: 3)),
        Case(
            name: "a part without its place", answer: "HTTP/1.1 206 Partial\r\nContent-Length: 2\r\n\r\nlo",
            code: .badResponse, request: HTTPRequest(url: "", rangeStart: 3)),
        Case(
            name: "a part whose length contradicts its place",
            answer: "HTTP/1.1 206 Partial\r\nContent-Range: bytes 3-4/5\r\nContent-Length: 9\r\n\r\nlolololol",
            code: .badResponse, request: HTTPRequest(url: "", rangeStart: 3)),
        Case(
            name: "a part that stops before the end",
            answer: "HTTP/1.1 206 Partial\r\nContent-Range: bytes 3-4/9\r\nContent-Length: 2\r\n\r\nlo",
            code: .badResponse, request: HTTPRequest(url: "", rangeStart: 3)),
        Case(
            name: "a part of another file than before",
            answer:
                "HTTP/1.1 206 Partial\r\nETag: \"new\"\r\nContent-Range: bytes 3-4/5\r\nContent-Length: 2\r\n\r\nlo",
            code: .badResponse, request: HTTPRequest(url: "", rangeStart: 3, ifRange: "\"old\"")),
        Case(
            name: "a part beyond all numbers",
            answer: "HTTP/1.1 206 Partial\r\nContent-Range: bytes 3-9223372036854775807/*\r\n\r\nlo",
            code: .badResponse, request: HTTPRequest(url: "", rangeStart: 3)),
        Case(
            name: "endless header fields",
            answer: "HTTP/1.1 200 OK\r\n"
                + String(repeating: "X-Filler: 0123456789012345678901234567890123\r\n", count: 8000),
            code: .badResponse),
        Case(
            name: "a range beyond the end",
            answer: "HTTP/1.1 416 No\r\nContent-Range: bytes */2\r\nContent-Length: 0\r\n\r\n",
            code: .status, request: HTTPRequest(url: "", rangeStart: 3)),
        Case(
            name: "an encoded body", answer: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx",
            code: .badResponse),
        Case(name: "something else than HTTP", answer: "SSH-2.0-OpenSSH_9.2\r\n\r\n", code: .badResponse),
        Case(
            name: "a redirect to http",
            answer: "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/x\r\nContent-Length: 0\r\n\r\n",
            code: .insecureRedirect),
        Case(
            name: "a redirect to a file",
            answer: "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
            code: .insecureRedirect),
    ]

    @Test(arguments: cases) func isReportedByItsName(_ fault: Case) async throws {
        let answer = fault.answer
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send(answer)
        }
        var request = fault.request
        request.url = server.url + "/asset?secret=1"
        let download = HTTPClient.forTests().start(request)
        let (_, error) = await download.readUntilEnd()
        #expect(error?.code == fault.code, "\(String(describing: error))")
        #expect(error?.isTransient == fault.isTransient)
        #expect(error?.message.contains("secret") == false)
        #expect(error?.message.contains("127.0.0.1") == true)
    }

    @Test func aStatusCarriesItsNumberAndDelay() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
        }
        let error = await #expect(throws: HTTPClientError.self) {
            try await HTTPClient.forTests().start(HTTPRequest(url: server.url)).head()
        }
        #expect(error?.status == 503)
        #expect(error?.retryAfter == .seconds(7))
    }

    @Test func aResetIsAReset() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nsome")
            connection.reset()
        }
        let (_, error) = await HTTPClient.forTests().start(HTTPRequest(url: server.url)).readUntilEnd()
        #expect(error?.code == .reset, "\(String(describing: error))")
    }

    @Test func whatCameBeforeACutIsHandedOut() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst part")
        }
        let (bytes, error) = await HTTPClient.forTests().start(HTTPRequest(url: server.url)).readUntilEnd(piece: 3)
        #expect(String(decoding: bytes, as: UTF8.self) == "first part")
        #expect(error?.code == .cut)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
    func silenceIsAStall(before: String) async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send(before)
            connection.waitForClose()
        }
        let client = HTTPClient.forTests { $0.stallTimeout = .milliseconds(60) }
        let (_, error) = await client.start(HTTPRequest(url: server.url)).readUntilEnd()
        #expect(error?.code == .stalled)
        #expect(error?.isTransient == true)
    }

    /// Two requests that are answered alike: with nothing, until one of them has been given up.
    @Test func aRequestMayWaitLongerThanOthers() async throws {
        let isGivenUp = Monitor(false)
        let server = try ScriptedServer { connection in
            guard let request = connection.readRequest() else { return }
            guard request.hasPrefix("GET /patient") else { return connection.waitForClose() }
            _ = isGivenUp.wait { $0 ? true : nil }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let client = HTTPClient.forTests { $0.stallTimeout = .milliseconds(60) }
        var patient = HTTPRequest(url: server.url + "/patient")
        patient.stallTimeout = .seconds(60)
        async let answer = client.data(for: patient, limit: 100)
        let (_, error) = await client.start(HTTPRequest(url: server.url + "/hasty")).readUntilEnd()
        #expect(error?.code == .stalled)
        isGivenUp.withLock { $0 = true }
        #expect(try await answer.1 == Array("ok".utf8))
    }

    @Test func theTimeLimitHoldsAgainstATrickle() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            while connection.send("x") == 1 {}
        }
        let client = HTTPClient.forTests()
        await #expect(throws: HTTPClientError.self) {
            try await client.data(
                for: HTTPRequest(url: server.url, timeLimit: .milliseconds(80)), limit: .max)
        }
    }

    @Test func nobodyThere() async throws {
        let port: Int
        do { port = try ScriptedServer { _ in }.port }
        let error = await #expect(throws: HTTPClientError.self) {
            try await HTTPClient.forTests().start(HTTPRequest(url: "http://127.0.0.1:\(port)/")).head()
        }
        #expect(error?.code == .connect)
    }

    @Test(arguments: ["", "coast", "ftp://127.0.0.1/", "http://example.invalid/", "http://127.0.0.1.example.invalid/"])
    func onlySecureAddressesAreOpened(url: String) async throws {
        let error = await #expect(throws: HTTPClientError.self) {
            try await HTTPClient.forTests().start(HTTPRequest(url: url)).head()
        }
        #expect(error?.code == .badURL)
    }

    @Test func plainLoopbackNeedsTheOption() async throws {
        let client = HTTPClient.forTests { $0.allowsPlainLoopback = false }
        let error = await #expect(throws: HTTPClientError.self) {
            try await client.start(HTTPRequest(url: "http://127.0.0.1:1/")).head()
        }
        #expect(error?.code == .badURL)
    }
}
