// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import HTTPSupport
import Kit
import Testing

/// Nothing here expects anything to be quick: a limit is a least time.
@Suite(.timeLimit(.minutes(5))) struct RateLimitTests {
    private func server(_ body: [UInt8]) throws -> ScriptedServer {
        try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(body)
        }
    }

    @Test func aLimitIsKept() async throws {
        let body = pattern(1 << 20)
        let server = try server(body)
        let start = ContinuousClock.now
        let download = HTTPClient.forTests { $0.stallTimeout = .milliseconds(200) }.start(HTTPRequest(url: server.url))
        download.setRateLimit(512 << 10)
        #expect(try await download.readAll() == body)
        #expect(ContinuousClock.now - start > .seconds(1))
    }

    @Test func aLimitMayComeAndGoWhileBytesFlow() async throws {
        let body = pattern(24 << 20)
        let server = try server(body)
        let download = HTTPClient.forTests { $0.stallTimeout = .seconds(20) }.start(HTTPRequest(url: server.url))
        _ = try await download.head()
        var bytes = try await onOwnThread { try read(download, 16 << 20) }
        // What came before does not count: 16 MiB would be a pause of more than four minutes.
        download.setRateLimit(64 << 10)
        bytes += try await onOwnThread { try read(download, 5 << 18) }
        download.setRateLimit(nil)
        bytes += try await download.readAll()
        #expect(bytes == body)
    }

    private func read(_ download: HTTPDownload, _ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while bytes.count < count {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, count - bytes.count)])
            let got = try download.read(into: room)
            if got == 0 { break }
            bytes.append(contentsOf: buffer[..<got])
        }
        return bytes
    }
}
