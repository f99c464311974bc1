// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

@testable import DeviceProtocol

/// Both ends of a channel in memory.
struct MemoryChannel: MessageChannel {
    let incoming: BoundedQueue<[UInt8]>
    let outgoing: BoundedQueue<[UInt8]>

    static func pair() -> (MemoryChannel, MemoryChannel) {
        let there = BoundedQueue<[UInt8]>(capacity: 1000)
        let back = BoundedQueue<[UInt8]>(capacity: 1000)
        return (MemoryChannel(incoming: back, outgoing: there), MemoryChannel(incoming: there, outgoing: back))
    }

    func send(_ message: [UInt8]) throws {
        guard outgoing.push(message) else { throw DeviceError(.disconnected, "closed") }
    }

    func offer(_ message: [UInt8]) throws -> Bool {
        try send(message)
        return true
    }

    func flush() {}

    func receive() throws -> [UInt8]? { incoming.pop() }

    /// Not asked: a thread reads all the time.
    var hasEnded: Bool { false }

    func close() {
        incoming.close()
        outgoing.close()
    }
}

/// A service's end that a test drives by hand, on its own thread.
final class ScriptedService: Sendable {
    private let end: MemoryChannel
    private let seen = BoundedQueue<[UInt8]>(capacity: 1000)

    /// - Parameter answer: the messages that answer one message of the client.
    init(_ end: MemoryChannel, answer: @escaping @Sendable (WireHeader, [UInt8]) -> [[UInt8]]) throws {
        self.end = end
        let seen = self.seen
        try WorkerThread.start(name: "scripted-service") {
            while let message = try? end.receive() {
                seen.push(message)
                guard let header = try? WireCodec.header(message) else { continue }
                for reply in answer(header, message) { try? end.send(reply) }
            }
            seen.close()
        }
    }

    /// The next message that the client sent; nil once it has gone.
    func next() async throws -> WireHeader? {
        let seen = self.seen
        return try await onOwnThread { try seen.pop().map { try WireCodec.header($0) } }
    }

    func send(_ message: [UInt8]) throws { try end.send(message) }
    func close() { end.close() }

    static func hello(_ id: Int64) -> [UInt8] {
        (try? WireCodec.result(id, HelloRequest.Reply(version: "test", processID: 1))) ?? []
    }
}
