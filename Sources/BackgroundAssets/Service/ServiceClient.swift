// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import DeviceProtocol
internal import Kit

/// The app's way to the device service: connected when it is first needed, and anew when the service went away.
package actor ServiceClient {
    /// Opens a connection, starting the service if need be.
    package typealias Connect = @Sendable () async throws -> DeviceConnection

    private let connect: Connect
    private var connection: DeviceConnection?
    private var attempt: Task<DeviceConnection, any Error>?

    package init(connect: @escaping Connect) { self.connect = connect }

    /// Asks once.
    /// - Throws: `DeviceError`, `CancellationError`
    package func send<Request: DeviceRequest>(_ request: Request) async throws -> Request.Reply {
        try await connected().send(request)
    }

    /// Asks, and asks again when the service goes away before it answers. For requests that may be repeated, because the
    /// service carries work on where it stopped.
    /// - Throws: `DeviceError` when the service does not come back, `CancellationError`
    package func sendRepeatedly<Request: DeviceRequest>(_ request: Request) async throws -> Request.Reply {
        try await RetryPolicy.service.repeating { try await send(request) }
    }

    /// Opens a stream.
    /// - Throws: `DeviceError`, `CancellationError`
    package func stream<Request: DeviceStreamRequest>(
        _ request: Request
    ) async throws -> AsyncThrowingStream<Request.Event, any Error> {
        try await connected().stream(request)
    }

    private func connected() async throws -> DeviceConnection {
        if let connection, connection.isConnected { return connection }
        connection = nil
        // Callers that come while a connection is being made wait for that one.
        let attempt = self.attempt ?? Task { [connect] in try await connect() }
        self.attempt = attempt
        defer { if self.attempt == attempt { self.attempt = nil } }
        let made = try await attempt.value
        connection = made
        return made
    }
}
