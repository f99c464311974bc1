// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTPSupport
import Kit
import Testing

@testable import HTTP

/// When an answer is too slow to wait for.
@Suite(.timeLimit(.minutes(5))) struct PaceTests {
    @Test func enoughBytesInEveryWindow() {
        let start = SuspendingClock().now
        var pace = Pace(rate: 100, window: .seconds(10), now: start)
        #expect(pace.least == 1000 && pace.deadline == start.advanced(by: .seconds(10)))
        pace.note(999, at: start.advanced(by: .seconds(9)))
        #expect(pace.deadline == start.advanced(by: .seconds(10)))
        // Enough of them: the next window begins, and what was too much does not count for it.
        pace.note(5000, at: start.advanced(by: .seconds(9)))
        #expect(pace.deadline == start.advanced(by: .seconds(19)))
        pace.note(999, at: start.advanced(by: .seconds(12)))
        #expect(pace.deadline == start.advanced(by: .seconds(19)))
        pace.begin(at: start.advanced(by: .seconds(15)))
        pace.note(999, at: start.advanced(by: .seconds(16)))
        #expect(pace.deadline == start.advanced(by: .seconds(25)))
    }

    @Test(arguments: [0, 1, Int64.max]) func anyRateAndWindow(_ rate: Int64) {
        #expect(Pace(rate: rate, window: .nanoseconds(1), now: SuspendingClock().now).least >= 1)
        #expect(Pace(rate: rate, window: .seconds(1 << 40), now: SuspendingClock().now).least >= 1)
    }

    private func drip(_ head: String, _ drop: String) throws -> ScriptedServer {
        let tick = Monitor(())
        return try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send(head)
            while connection.send(drop) == drop.utf8.count {
                _ = tick.wait(atMost: .milliseconds(20)) { _ in Bool?.none }
            }
        }
    }

    /// In the body as in the head.
    @Test(arguments: [("Content-Length: 100000\r\n\r\n", "x"), ("", "X: y\r\n")])
    func aDripIsGivenUp(_ fields: String, _ drop: String) async throws {
        let server = try drip("HTTP/1.1 200 OK\r\n" + fields, drop)
        let client = HTTPClient.forTests {
            $0.stallTimeout = .seconds(60)
            $0.slowTimeout = .milliseconds(300)
            $0.leastRate = 10_000
        }
        let (_, error) = await client.start(HTTPRequest(url: server.url)).readUntilEnd()
        #expect(error?.code == .slow && error?.isTransient == true, "\(String(describing: error))")
        #expect(error?.message.contains("fewer than 3000 bytes") == true)
    }

    /// Pauses that the reader makes are not the server's.
    @Test func whoReadsSlowlyIsNotPutOff() async throws {
        let body = pattern(1 << 20)
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(body)
        }
        // What comes before the pause and behind it is enough in no window.
        let client = HTTPClient.forTests {
            $0.slowTimeout = .seconds(2)
            $0.leastRate = 1 << 20
        }
        let download = client.start(HTTPRequest(url: server.url))
        _ = try await download.head()
        download.setPaused(true)
        let idle = Monitor(())
        _ = try await onOwnThread { idle.wait(atMost: .milliseconds(2500)) { _ in Bool?.none } }
        download.setPaused(false)
        #expect(try await download.readAll() == body)
    }
}
