// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import HTTP
import Kit
import System
import Testing

/// Clients that are never silent for long, and never done.
@Suite(.timeLimit(.minutes(5))) struct SlowClientTests {
    /// What a client saw that sends a piece ten times a second, until the server has closed or there are no more.
    private struct Seen {
        var sent = 0
        var answer = ""
        var isClosed = false
    }

    private static func drip(_ first: String, _ pieces: [String], to port: Int) async throws -> Seen {
        try await onOwnThread {
            let client = OwnedDescriptor(try loopbackConnection(to: port))
            try client.borrowed.writeAll(first.utf8)
            var seen = Seen()
            for piece in pieces {
                if listen(client.borrowed, &seen, for: 100) { break }
                // The server may close just now.
                guard (try? client.borrowed.writeAll(piece.utf8)) != nil else {
                    seen.isClosed = true
                    break
                }
                seen.sent += 1
            }
            while !seen.isClosed, seen.answer.isEmpty, !listen(client.borrowed, &seen, for: 20_000) {}
            return seen
        }
    }

    /// Takes what the server says within that many milliseconds; whether there will be no more.
    private static func listen(_ client: FileDescriptor, _ seen: inout Seen, for milliseconds: CInt) -> Bool {
        var polled = pollfd(fd: client.rawValue, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, milliseconds) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 4096)
        guard let count = try? bytes.withUnsafeMutableBytes({ try client.read(into: $0) }), count > 0 else {
            seen.isClosed = true
            return true
        }
        seen.answer += String(decoding: bytes[..<count], as: UTF8.self)
        return false
    }

    private static func server(_ change: (inout HTTPServerConfiguration) -> Void) throws -> HTTPServer {
        var configuration = HTTPServerConfiguration(host: "127.0.0.1")
        change(&configuration)
        return try HTTPServer(configuration) { request in .text(200, "\(request.body.count) bytes") }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
    ])
    func whoSendsAByteNowAndThenIsLeft(beginning: String) async throws {
        let server = try Self.server { $0.idleSeconds = 1 }
        defer { server.stop() }
        let seen = try await Self.drip(beginning, [String](repeating: "a", count: 300), to: server.port)
        #expect(seen.isClosed)
        #expect(seen.sent < 300)
        #expect(seen.answer.isEmpty)
    }

    /// The next request on a connection has no more time than the first.
    @Test func aSecondHeadIsNotWaitedForEither() async throws {
        let server = try Self.server { $0.idleSeconds = 1 }
        defer { server.stop() }
        let whole = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        let seen = try await Self.drip(
            whole + "GET / HTTP/1.1\r\nX: ", [String](repeating: "a", count: 300), to: server.port)
        #expect(seen.isClosed)
        #expect(seen.sent < 300)
        #expect(seen.answer.hasSuffix("0 bytes\n"))
    }

    /// Who is slow, but gets on, is answered, longer as it may take than anybody may be silent.
    @Test func whoGetsOnIsWaitedFor() async throws {
        let server = try Self.server {
            $0.idleSeconds = 2
            $0.leastBodyRate = 50
        }
        defer { server.stop() }
        let piece = String(repeating: "a", count: 100)
        let seen = try await Self.drip(
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000\r\n\r\n", [String](repeating: piece, count: 30),
            to: server.port)
        #expect(seen.answer.hasPrefix("HTTP/1.1 200"))
        #expect(seen.answer.hasSuffix("3000 bytes\n"))
    }

    /// What was promised cannot come any more, and the client is told so by the connection's end.
    @Test func aFileThatBecomesShorterOnItsWayEndsTheConnection() async throws {
        let folder = try TemporaryDirectory(prefix: "larder-http")
        let file = try OwnedDescriptor(
            folder.path.appending("file"), .readWrite, options: [.create], permissions: .fileDefault)
        let size: Int64 = 256 << 20
        try systemCall { ftruncate(file.borrowed.rawValue, Int(size)) }
        let served = try ServedFile(folder.path.appending("file"))
        let server = try HTTPServer(HTTPServerConfiguration(host: "127.0.0.1")) { _ in
            HTTPServerResponse(status: 200, body: [.file(served, offset: 0, count: size)])
        }
        defer { server.stop() }
        let port = server.port
        let (received, isClosed) = try await offload { () -> (Int64, Bool) in
            let client = OwnedDescriptor(try loopbackConnection(to: port))
            try client.borrowed.writeAll("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
            var seen = Seen()
            while seen.answer.isEmpty, !Self.listen(client.borrowed, &seen, for: 20_000) {}
            try systemCall { ftruncate(file.borrowed.rawValue, 1 << 20) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            var received: Int64 = 0
            while true {
                var polled = pollfd(fd: client.borrowed.rawValue, events: Int16(POLLIN), revents: 0)
                guard poll(&polled, 1, 20_000) > 0 else { return (received, false) }
                let count = (try? bytes.withUnsafeMutableBytes { try client.borrowed.read(into: $0) }) ?? 0
                guard count > 0 else { return (received, true) }
                received += Int64(count)
            }
        }
        #expect(isClosed)
        #expect(received < size)
    }
}
