// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import HTTPSupport
import Kit
import System
import Testing

/// Bodies that go wrong on purpose, seen from the client.
@Suite(.timeLimit(.minutes(5))) struct BodyBehaviourTests {
    private func download(
        _ content: [UInt8], _ change: (inout BodyBehaviour) -> Void,
        client changeClient: (inout HTTPClientConfiguration) -> Void = { _ in }
    ) async throws -> ([UInt8], HTTPClientError?) {
        var behaviour = BodyBehaviour()
        change(&behaviour)
        let answer = HTTPServerResponse(status: 200, body: [.bytes(content)], behaviour: behaviour)
        let secure = try SecureServer { _ in answer }
        let result = await secure.client(changeClient).start(HTTPRequest(url: secure.url)).readUntilEnd()
        secure.server.stop()
        return result
    }

    @Test func cutsAreCuts() async throws {
        let content = pattern(300_000)
        let (bytes, error) = try await download(content) {
            $0.breaks = .cut
            $0.breakOffset = 200_001
        }
        #expect(bytes.count == 200_001 && bytes.elementsEqual(content[..<200_001]))
        #expect(error?.code == .cut)
    }

    @Test func resetsAreResets() async throws {
        let content = pattern(300_000)
        let (bytes, error) = try await download(content) {
            $0.breaks = .reset
            $0.breakOffset = 200_001
        }
        #expect(bytes.count <= 200_001)
        #expect(error?.code == .reset, "\(String(describing: error))")
    }

    @Test func stallsComeAfterTheBytesBeforeThem() async throws {
        let content = pattern(300_000)
        var behaviour = BodyBehaviour()
        behaviour.breaks = .stall
        behaviour.breakOffset = 1000
        let answer = HTTPServerResponse(status: 200, body: [.bytes(content)], behaviour: behaviour)
        let finished = Monitor<HTTPExchangeRecord?>(nil)
        let secure = try SecureServer(change: { $0.log = { record in finished.withLock { $0 = record } } }) { _ in
            answer
        }
        let download = secure.client().start(HTTPRequest(url: secure.url))
        let bytes = try await onOwnThread {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2000, alignment: 16)
            defer { buffer.deallocate() }
            var bytes: [UInt8] = []
            while bytes.count < 1000 { bytes.append(contentsOf: buffer[..<(try download.read(into: buffer))]) }
            #expect(try download.read(into: buffer, atMost: .milliseconds(1)) == nil)
            return bytes
        }
        #expect(bytes.elementsEqual(content[..<1000]))
        download.cancel()
        let record = try await onOwnThread { finished.wait { $0 } }
        #expect(record.bytes == 1000)
        #expect(!record.isComplete)
    }

    @Test func stallsAreNoticed() async throws {
        let (_, error) = try await download(pattern(1000)) {
            $0.breaks = .stall
        } client: {
            $0.stallTimeout = .milliseconds(80)
        }
        #expect(error?.code == .stalled)
    }

    @Test func oneByteIsWrong() async throws {
        let content = pattern(300_000)
        let (bytes, error) = try await download(content) { $0.wrongByte = 123_456 }
        #expect(error == nil)
        var expected = content
        expected[123_456] ^= 0xFF
        #expect(bytes.elementsEqual(expected))
    }

    @Test func aRateIsKept() async throws {
        let content = pattern(100_000)
        let start = SuspendingClock().now
        let (bytes, error) = try await download(content) { $0.bytesPerSecond = 200_000 }
        let elapsed = start.duration(to: SuspendingClock().now)
        #expect(bytes.elementsEqual(content))
        #expect(error == nil)
        // 100,000 bytes less the first eighth of a second's 25,000.
        #expect(elapsed > .milliseconds(370))
    }

    @Test func aClientThatLeavesAStallIsNoticed() async throws {
        var behaviour = BodyBehaviour()
        behaviour.breaks = .stall
        let answer = HTTPServerResponse(status: 200, body: [.bytes(pattern(1000))], behaviour: behaviour)
        let finished = Monitor(0)
        let secure = try SecureServer(change: { $0.log = { _ in finished.withLock { $0 += 1 } } }) { _ in answer }
        for number in 1...3 {
            let download = secure.client().start(HTTPRequest(url: secure.url))
            _ = try await download.head()
            download.cancel()
            let count: Int? = try await onOwnThread {
                finished.wait(atMost: .seconds(30)) { $0 >= number ? $0 : nil }
            }
            #expect(count == number)
        }
    }

    @Test func stoppingEndsStalls() async throws {
        var behaviour = BodyBehaviour()
        behaviour.breaks = .stall
        let answer = HTTPServerResponse(status: 200, body: [.bytes(pattern(1000))], behaviour: behaviour)
        let secure = try SecureServer { _ in answer }
        let client = secure.client()
        let downloads = (0..<20).map { _ in client.start(HTTPRequest(url: secure.url)) }
        for download in downloads { _ = try await download.head() }
        try await onOwnThread { secure.server.stop() }
        for download in downloads { #expect(await download.readUntilEnd().1?.isTransient == true) }
    }
}
