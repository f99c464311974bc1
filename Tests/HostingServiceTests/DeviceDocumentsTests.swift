// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import HTTP
import Kit
import Testing

@testable import HostingService

/// When an answer is at hand, and when it has to be made anew.
@Suite(.timeLimit(.minutes(5))) struct DeviceDocumentsTests {
    private final class Changes: DatabaseChanges {
        static let delay = Duration.zero
        let number = Locked<Int64?>(1)
        var version: Int64? { number.withLock { $0 } }
        func close() {}
    }

    /// A server that answers as a host does: first with what is at hand.
    private final class Desk: Sendable {
        let changes = Changes()
        let now = Locked<Int64>(1000)
        let goodUntil = Locked<Int64?>(nil)
        private let server: HTTPServer

        init() throws {
            let documents = DeviceDocuments(changes) { [now] in now.withLock { $0 } }
            let made = Locked(0)
            var configuration = HTTPServerConfiguration(host: "127.0.0.1")
            configuration.immediate = { documents.answer(to: $0) }
            server = try HTTPServer(configuration) { [goodUntil] request in
                let answer = try? await documents.answer(to: request) {
                    let count = made.withLock { made in
                        made += 1
                        return made
                    }
                    var response = HTTPServerResponse.text(200, "\(count)")
                    response.headers["ETag"] = "\"\(count)\""
                    return DeviceDocuments.Document(response: response, goodUntil: goodUntil.withLock { $0 })
                }
                return answer ?? .text(500, "")
            }
        }

        deinit { server.stop() }

        /// Asks for a document; the number of the one that it is.
        func ask(_ path: String = "/devices/a/appStore/manifest", goodUntil: Int64? = nil) async throws -> Int? {
            self.goodUntil.withLock { $0 = goodUntil }
            let answer = try await RawExchange.send("GET", path, to: "http://127.0.0.1:\(server.port)")
            return Int((answer.headers["etag"] ?? "").filter { $0 != "\"" })
        }
    }

    @Test func anAnswerIsAtHandUntilSomethingChanges() async throws {
        let desk = try Desk()
        #expect(try await desk.ask() == 1)
        #expect(try await desk.ask() == 1)
        #expect(try await desk.ask("/devices/b/appStore/manifest") == 2)
        desk.changes.number.withLock { $0 = 2 }
        #expect(try await desk.ask() == 3)
        #expect(try await desk.ask() == 3)
    }

    @Test func nothingIsAtHandWhileNobodyKnowsWhetherItChanged() async throws {
        let desk = try Desk()
        #expect(try await desk.ask() == 1)
        desk.changes.number.withLock { $0 = nil }
        #expect(try await desk.ask() == 2)
        #expect(try await desk.ask() == 3)
        // What was made meanwhile may be from before or after.
        desk.changes.number.withLock { $0 = 1 }
        #expect(try await desk.ask() == 1)
    }

    @Test func anAnswerWithAnEndIsAtHandUntilThen() async throws {
        let desk = try Desk()
        #expect(try await desk.ask(goodUntil: 1005) == 1)
        desk.now.withLock { $0 = 1004 }
        #expect(try await desk.ask(goodUntil: 1005) == 1)
        desk.now.withLock { $0 = 1005 }
        #expect(try await desk.ask(goodUntil: 1010) == 2)
        #expect(try await desk.ask(goodUntil: 1010) == 2)
    }
}
