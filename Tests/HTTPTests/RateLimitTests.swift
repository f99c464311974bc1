// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import HTTPSupport
import Kit
import Testing

/// Nothing here expects anything to be quick: a limit is a least time.
@Suite(.timeLimit(.minutes(5))) struct RateLimitTests {
    /// - Parameter mayAnswer: waited for before the answer begins.
    private func server(_ body: [UInt8], once mayAnswer: Monitor<Bool> = Monitor(true)) throws -> ScriptedServer {
        try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            mayAnswer.wait { $0 ? () : nil }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(body)
        }
    }

    /// How long an answer of so many bytes takes with a limit that is there before it begins.
    private func duration(of count: Int, limit: Int64, stallTimeout: Duration) async throws -> Duration {
        let body = pattern(count)
        let isLimited = Monitor(false)
        let server = try server(body, once: isLimited)
        let download = HTTPClient.forTests { $0.stallTimeout = stallTimeout }.start(HTTPRequest(url: server.url))
        // What comes before the limit is not held to it.
        download.setRateLimit(limit)
        let start = ContinuousClock.now
        isLimited.withLock { $0 = true }
        #expect(try await download.readAll() == body)
        return ContinuousClock.now - start
    }

    @Test func aLimitIsKept() async throws {
        #expect(try await duration(of: 1 << 20, limit: 512 << 10, stallTimeout: .seconds(120)) > .seconds(1))
    }

    /// A piece of 16 KiB is a pause of eight seconds here, in which the server may well be silent.
    @Test func aPauseForALimitIsNoSilence() async throws {
        #expect(try await duration(of: 20 << 10, limit: 2 << 10, stallTimeout: .seconds(6)) > .seconds(7))
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
