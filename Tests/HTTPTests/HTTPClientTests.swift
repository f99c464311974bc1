// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import HTTPSupport
import Kit
import Testing

/// Downloads that go well, and the control a caller has over them.
@Suite(.timeLimit(.minutes(5))) struct HTTPClientTests {
    @Test func bringsHeadAndBody() async throws {
        let body = pattern(3 << 20)
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil {
                connection.send(
                    "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nX-Twice: 1\r\nx-twice: 2\r\nContent-Length: \(body.count)\r\n\r\n"
                )
                connection.send(body)
            }
        }
        let download = HTTPClient.forTests().start(HTTPRequest(url: server.url + "/asset"))
        let head = try await download.head()
        #expect(head.status == 200)
        #expect(head.contentLength == Int64(body.count))
        #expect(head.totalLength == Int64(body.count))
        #expect(head.startOffset == 0)
        #expect(head.etag == "\"a\"" && head.resumeValidator == "\"a\"")
        #expect(head.headers.values("X-TWICE") == ["1", "2"])
        #expect(try await download.readAll().elementsEqual(body))
    }

    @Test func goesOnWhereItWasBrokenOff() async throws {
        let seen = Locked<String>("")
        let server = try ScriptedServer { connection in
            guard let request = connection.readRequest() else { return }
            seen.withLock { $0 = request }
            connection.send("HTTP/1.1 206 Partial\r\nContent-Range: bytes 6-10/11\r\nContent-Length: 5\r\n\r\nworld")
        }
        let download = HTTPClient.forTests().start(
            HTTPRequest(url: server.url, rangeStart: 6, ifRange: "\"a\"", expectedLength: 11))
        let head = try await download.head()
        #expect(head.startOffset == 6)
        #expect(head.totalLength == 11)
        #expect(try await download.readAll() == Array("world".utf8))
        let request = seen.withLock { $0 }
        #expect(request.contains("\r\nRange: bytes=6-\r\n"))
        #expect(request.contains("\r\nIf-Range: \"a\"\r\n"))
    }

    @Test func saysWhenItStartsOver() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world")
        }
        let download = HTTPClient.forTests().start(
            HTTPRequest(url: server.url, rangeStart: 6, ifRange: "\"old\"", expectedLength: 11))
        #expect(try await download.head().startOffset == 0)
        #expect(try await download.readAll().count == 11)
    }

    @Test func aSlowReaderStopsTheServer() async throws {
        let capacity = 256 << 10
        let progress = Monitor((sent: 0, isBlocked: false))
        let size = 64 << 20
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            let piece = [UInt8](repeating: 7, count: 64 << 10)
            while connection.send(piece) == piece.count { progress.withLock { $0.sent += piece.count } }
        }
        let client = HTTPClient.forTests { $0.bufferSize = capacity }
        let download = client.start(HTTPRequest(url: server.url))
        _ = try await download.head()
        // What the kernel holds between the two sockets, and the client's own bound: the server stands still there.
        let held = try await onOwnThread { () -> Int in
            var last = -1
            while true {
                let now: Int? = progress.wait(atMost: .milliseconds(300)) { $0.sent > max(last, 0) ? $0.sent : nil }
                guard let now, now < size else { return max(last, 0) }
                last = now
            }
        }
        #expect(held < 24 << 20, "\(held) bytes were taken although nobody read")
        let (bytes, _) = await readSome(download, 32 << 20)
        #expect(bytes == 32 << 20)
        download.cancel()
    }

    private func readSome(_ download: HTTPDownload, _ count: Int) async -> (Int, HTTPClientError?) {
        let read = try? await onOwnThread {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
            defer { buffer.deallocate() }
            var total = 0
            while total < count {
                let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, count - total)])
                total += try download.read(into: piece)
            }
            return total
        }
        return (read ?? 0, nil)
    }

    @Test func pausesAndGoesOn() async throws {
        let body = pattern(4 << 20)
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(body)
        }
        // Paused longer than the stall time-out: silence that was asked for is none.
        let client = HTTPClient.forTests { $0.stallTimeout = .milliseconds(500) }
        let download = client.start(HTTPRequest(url: server.url))
        _ = try await download.head()
        download.setPaused(true)
        let idle = Monitor(())
        _ = try await onOwnThread { idle.wait(atMost: .milliseconds(800)) { _ in Bool?.none } }
        download.setPaused(false)
        #expect(try await download.readAll().elementsEqual(body))
    }

    @Test func cancelEndsBothWaits() async throws {
        let arrived = Monitor(false)
        let left = Monitor(false)
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            arrived.withLock { $0 = true }
            connection.waitForClose()
            left.withLock { $0 = true }
        }
        let download = HTTPClient.forTests().start(HTTPRequest(url: server.url))
        let head = Task { try await download.head() }
        async let body = download.readUntilEnd()
        try await onOwnThread { arrived.wait { $0 ? () : nil } }
        download.cancel()
        download.cancel()
        #expect(await body.1?.code == .cancelled)
        await #expect(throws: HTTPClientError.self) { try await head.value }
        try await onOwnThread { left.wait { $0 ? () : nil } }
    }

    @Test func cancellingTheTaskClosesTheConnection() async throws {
        let arrived = Monitor(false)
        let left = Monitor(false)
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            arrived.withLock { $0 = true }
            connection.waitForClose()
            left.withLock { $0 = true }
        }
        let client = HTTPClient.forTests()
        let task = Task { try await client.data(for: HTTPRequest(url: server.url), limit: 10) }
        try await onOwnThread { arrived.wait { $0 ? () : nil } }
        task.cancel()
        let error = await #expect(throws: HTTPClientError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        try await onOwnThread { left.wait { $0 ? () : nil } }
    }

    @Test func dataIsLimited() async throws {
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            }
        }
        let client = HTTPClient.forTests()
        let (head, bytes) = try await client.data(for: HTTPRequest(url: server.url), limit: 5)
        #expect(head.status == 200)
        #expect(bytes == Array("hello".utf8))
        let error = await #expect(throws: HTTPClientError.self) {
            try await client.data(for: HTTPRequest(url: server.url), limit: 4)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func anUnchangedResourceNeedsNoBody() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n")
        }
        let (head, bytes) = try await HTTPClient.forTests().data(
            for: HTTPRequest(url: server.url, headers: [("If-None-Match", "\"a\"")]), limit: 100)
        #expect(head.status == 304)
        #expect(bytes.isEmpty)
    }

    @Test func twoHundredAtOnce() async throws {
        let body = pattern(100_000)
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
                connection.send(body)
            }
        }
        let client = HTTPClient.forTests()
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await client.data(for: HTTPRequest(url: server.url), limit: 1 << 20).1 == body
                }
            }
            var good = 0
            for try await isGood in group where isGood { good += 1 }
            return good
        }
        #expect(good == 200)
    }

    @Test func theThreadEndsWhenIdleAndComesBack() async throws {
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let client = HTTPClient.forTests { $0.linger = .zero }
        for _ in 0..<50 {
            let (_, bytes) = try await client.data(for: HTTPRequest(url: server.url), limit: 10)
            #expect(bytes == Array("ok".utf8))
        }
    }
}
