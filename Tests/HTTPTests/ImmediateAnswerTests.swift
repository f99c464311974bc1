// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import HTTPSupport
import Kit
import System
import Testing

/// Answers that are at hand, and bodies that libmicrohttpd sends by itself.
@Suite(.timeLimit(.minutes(5))) struct ImmediateAnswerTests {
    @Test func whatIsAtHandIsAnsweredAtOnceAndTheRestByTheHandler() async throws {
        let counts = Locked<[HTTPExchangeCount]>([])
        let secure = try SecureServer(change: { configuration in
            configuration.immediate = { head in
                guard head.path == "/known" else { return nil }
                let query = head.query.map { "\($0.name)=\($0.value)" }
                return .text(200, "\(head.method) \(query) \(head.field("x-some") ?? "none")")
            }
            configuration.count = { count in counts.withLock { $0.append(count) } }
        }) { .text(200, "handler \($0.method)") }
        func text(_ path: String, _ headers: [(String, String)] = [], _ method: HTTPRequest.Method = .get) async throws
            -> String
        {
            let request = HTTPRequest(url: secure.url + path, method: method, headers: headers)
            return String(decoding: try await secure.client().data(for: request, limit: 1000).1, as: UTF8.self)
        }
        #expect(try await text("/known?a=b%20c&d", [("X-Some", "thing")]) == "GET [\"a=b c\", \"d=\"] thing\n")
        #expect(try await text("/known") == "GET [] none\n")
        #expect(try await text("/other") == "handler GET\n")
        // What may change something is never answered from memory.
        #expect(try await text("/known", [], .delete) == "handler DELETE\n")
        secure.server.stop()
        #expect(counts.withLock { $0.map(\.path) } == ["/known", "/known", "/other", "/known"])
        #expect(counts.withLock { $0.map(\.bytes) } == [26, 12, 12, 15])
        #expect(counts.withLock { $0.allSatisfy { $0.isComplete && $0.status == 200 } })
    }

    /// Short and long stretches, over TLS and without, are the same bytes and counted alike.
    @Test(arguments: [false, true])
    func stretchesOfFiles(isSecure: Bool) async throws {
        let content = pattern(3 << 20)
        let folder = try TemporaryDirectory(prefix: "larder-http")
        let path = folder.path.appending("file")
        try AtomicFile.write(content, to: path, durable: false)
        let answer = FileAnswer(
            file: try ServedFile(path), size: Int64(content.count), etag: "\"v1\"", contentType: "text/plain",
            cacheControl: "immutable")
        let records = Locked<[HTTPExchangeRecord]>([])
        let secure = try SecureServer(change: { configuration in
            if !isSecure { configuration.identity = nil }
            configuration.immediate = { answer.response(to: $0) }
            configuration.log = { record in records.withLock { $0.append(record) } }
        }) { _ in .text(500, "the handler was asked") }
        let url = isSecure ? secure.url : "http://127.0.0.1:\(secure.server.port)"
        let client = secure.client()
        let stretches = [
            (0, 1), (100, 1024), (0, 64 << 10), (5, (64 << 10) + 1), (1 << 20, 1 << 20), (0, content.count),
        ]
        for (start, length) in stretches {
            var request = HTTPRequest(url: url, headers: [("Range", "bytes=\(start)-\(start + length - 1)")])
            request.takesEveryStatus = true
            let (head, bytes) = try await client.data(for: request, limit: 4 << 20)
            #expect(head.status == 206)
            #expect(head.headers["Content-Range"] == "bytes \(start)-\(start + length - 1)/\(content.count)")
            #expect(head.headers["Cache-Control"] == "immutable")
            #expect(bytes.elementsEqual(content[start..<start + length]))
        }
        let (head, whole) = try await client.data(
            for: HTTPRequest(url: url, headers: [("Range", "bytes=0-9"), ("If-Range", "\"v0\"")]), limit: 4 << 20)
        #expect(head.status == 200)
        #expect(whole == content)
        secure.server.stop()
        #expect(records.withLock { $0.map(\.bytes) } == stretches.map { Int64($0.1) } + [Int64(content.count)])
    }

    /// A file that became shorter cannot keep what its length has promised: the connection ends.
    @Test(arguments: [1000, 1 << 20])
    func aFileThatBecameShorterIsNotAnsweredWhole(length: Int64) async throws {
        let folder = try TemporaryDirectory(prefix: "larder-http")
        let path = folder.path.appending("file")
        try AtomicFile.write(pattern(500), to: path, durable: false)
        let file = try ServedFile(path)
        var configuration = HTTPServerConfiguration(host: "127.0.0.1")
        configuration.immediate = { _ in
            HTTPServerResponse(status: 200, body: [.file(file, offset: 0, count: length)])
        }
        let server = try HTTPServer(configuration) { _ in .text(500, "the handler was asked") }
        defer { server.stop() }
        await #expect(throws: HTTPClientError.self) {
            try await HTTPClient.forTests().data(
                for: HTTPRequest(url: "http://127.0.0.1:\(server.port)/"), limit: 4 << 20)
        }
    }
}
