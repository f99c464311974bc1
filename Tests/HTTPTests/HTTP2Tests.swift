// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import HTTP
import HTTPSupport
import Kit
import Testing

/// Against a server that is not ours and speaks HTTP/2.
@Suite(.timeLimit(.minutes(5))) struct HTTP2Tests {
    @Test func smallFilesShareAConnection() async throws {
        let body = pattern(300_000)
        let server = try IndependentServer(files: ["file": body])
        let client = server.client()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<20 {
                group.addTask {
                    let request = HTTPRequest(url: server.url + "/file?\(index)", expectedLength: Int64(body.count))
                    return try await client.start(request).readAll() == body
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        let answers = try server.answers()
        #expect(answers.count == 20)
        #expect(answers.allSatisfy { $0.version == "HTTP/2.0" && $0.status == "200" })
        #expect(Set(answers.map(\.connection)).count == 1)
    }

    @Test func goesOnInTheMiddle() async throws {
        let body = pattern(300_000)
        let server = try IndependentServer(files: ["file": body])
        let client = server.client()
        let first = try await client.start(
            HTTPRequest(url: server.url + "/file", expectedLength: Int64(body.count))
        ).head()
        let validator = try #require(first.resumeValidator)
        let rest = client.start(
            HTTPRequest(
                url: server.url + "/file", rangeStart: 100_000, ifRange: validator, expectedLength: Int64(body.count)))
        #expect(try await rest.head().startOffset == 100_000)
        #expect(try await rest.readAll().elementsEqual(body[100_000...]))
        let changed = client.start(
            HTTPRequest(
                url: server.url + "/file", rangeStart: 100_000, ifRange: "\"other\"", expectedLength: Int64(body.count))
        )
        #expect(try await changed.head().startOffset == 0)
        #expect(try await changed.readAll() == body)
        #expect(try server.answers().map(\.version).allSatisfy { $0 == "HTTP/2.0" })
    }

    @Test func aLargeFileHasAConnectionOfItsOwn() async throws {
        let body = pattern(5 << 20)
        let server = try IndependentServer(files: ["file": body])
        let client = server.client()
        #expect(
            try await client.start(HTTPRequest(url: server.url + "/file", expectedLength: 5 << 20)).readAll() == body)
        #expect(try await client.start(HTTPRequest(url: server.url + "/file")).readAll() == body)
        #expect(try server.answers().map(\.version) == ["HTTP/1.1", "HTTP/1.1"])
    }

    @Test func redirectsDoNotLeaveHTTPS() async throws {
        let server = try IndependentServer(
            files: ["file": pattern(10)],
            locations: """
                location = /away { return 302 http://127.0.0.1:1/file; }
                location = /round { return 302 /round; }
                location = /there { return 302 /file; }
                """)
        let client = server.client()
        await #expect(throws: HTTPClientError.self) {
            do {
                _ = try await client.data(for: HTTPRequest(url: server.url + "/away"), limit: 100)
            } catch let error as HTTPClientError {
                #expect(error.code == .insecureRedirect)
                throw error
            }
        }
        await #expect(throws: HTTPClientError.self) {
            do {
                _ = try await client.data(for: HTTPRequest(url: server.url + "/round"), limit: 100)
            } catch let error as HTTPClientError {
                #expect(error.code == .tooManyRedirects)
                throw error
            }
        }
        #expect(try await client.data(for: HTTPRequest(url: server.url + "/there"), limit: 100).1 == pattern(10))
    }
}
