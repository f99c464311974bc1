// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// A client's connection to the device service: typed requests out, typed replies and streams back.
///
/// One owned thread reads. When the connection ends every request in flight fails with `device.disconnected`; whoever
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
            try core.start()
            service = try await core.send(HelloRequest(client: client, version: version))
        } catch {
            core.close()
            throw error
        }
    }

    deinit { core.close() }

    /// Whether the service's end is open, as far as is known.
    package var isConnected: Bool { core.isOpen }

    /// Sends a request and waits for its answer. Cancelling the task tells the service to let go of it.
    /// - Throws: `DeviceError`, `CancellationError`
    package func send<Request: DeviceRequest>(_ request: Request) async throws -> Request.Reply {
        try await core.send(request)
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
