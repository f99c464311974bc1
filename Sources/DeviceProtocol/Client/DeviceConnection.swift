// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// A client's connection to the device service: typed requests out, typed replies and streams back.
///
/// An owned thread reads, as soon as more is to come than answers to callers that block. When the connection ends every request in flight fails with `device.disconnected`; whoever
/// wants to go on connects anew. Letting go of the last reference closes it, and the service releases what it held.
package final class DeviceConnection: Sendable {
    private let core: ConnectionCore

    /// What the service said of itself.
    package let service: HelloRequest.Reply

    /// Takes over `channel` and greets the service.
    /// - Parameters:
    ///   - client: what the client is, for the service's log.
    ///   - version: the client's own version.
    /// - Throws: `DeviceError` when the peer does not answer or speaks another protocol.
    package init(channel: any MessageChannel, client: String, version: String) async throws {
        let core = ConnectionCore(channel)
        self.core = core
        do {
            service = try await core.send(HelloRequest(client: client, version: version))
        } catch {
            core.close()
            throw error
        }
    }

    /// As above, blocking.
    package init(waitingOn channel: any MessageChannel, client: String, version: String) throws {
        let core = ConnectionCore(channel)
        self.core = core
        do {
            service = try core.sendAndWait(HelloRequest(client: client, version: version))
        } catch {
            core.close()
            throw error
        }
    }

    /// One end of a conversation in which both sides ask, without a greeting.
    /// - Parameters:
    ///   - onRequest: takes what the other side asks; `answer` sends what it says to it.
    ///   - onEnd: called once when the other side has gone, with what was wrong with its last message.
    /// - Throws: `KitError` when there is no thread to be had.
    package init(
        conversationOver channel: any MessageChannel, onRequest: @escaping @Sendable (_ message: [UInt8]) -> Void,
        onEnd: @escaping @Sendable ((any Error)?) -> Void
    ) throws {
        core = ConnectionCore(channel, onRequest: onRequest, onEnd: onEnd)
        service = HelloRequest.Reply(version: "", processID: 0)
        try core.startThread()
    }

    /// Sends the answer to what the other side asked, as it is.
    package func answer(_ message: [UInt8]) { core.post(message) }

    deinit { core.close() }

    /// Whether the service's end is open, as far as is known.
    package var isConnected: Bool { core.isOpen }

    /// Sends a request and waits for its answer. Cancelling the task tells the service to let go of it.
    /// - Throws: `DeviceError`, `CancellationError`
    package func send<Request: DeviceRequest>(_ request: Request) async throws -> Request.Reply {
        try await core.send(request)
    }

    /// As `send`, blocking the thread; no task needs to run meanwhile.
    /// - Throws: `DeviceError`
    package func sendAndWait<Request: DeviceRequest>(_ request: Request) throws -> Request.Reply {
        try core.sendAndWait(request)
    }

    /// Opens a stream that stands for something held, and blocks until it is had. Letting go of the last reference gives it
    /// back.
    /// - Throws: `DeviceError` when it is not to be had.
    package func holdAndWait<Request: DeviceStreamRequest>(_ request: Request) throws -> Hold {
        Hold(core: core, id: try core.openAndWait(request))
    }

    /// Something that the service keeps for this connection.
    package final class Hold: Sendable {
        private let core: ConnectionCore
        private let id: Int64

        init(core: ConnectionCore, id: Int64) {
            self.core = core
            self.id = id
        }

        deinit { core.letGo(id) }
    }

    /// Opens a stream. It is asked for when this returns; ending the iteration tells the service to let go of it.
    package func stream<Request: DeviceStreamRequest>(
        _ request: Request
    ) -> AsyncThrowingStream<Request.Event, any Error> {
        core.stream(request, keeping: self)
    }

    /// Ends the connection; requests in flight fail.
    package func close() { core.close() }
}
