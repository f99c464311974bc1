// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import DeviceProtocol
package import Kit

/// The connection over which the system asks an extension; it stands where `NSXPCConnection` stands on Apple's platforms.
@MainActor
public final class AppExtensionConnection {
    private var handlers: [String: (_ id: Int64, _ message: [UInt8]) throws -> [UInt8]] = [:]
    private var suspendingHandlers: [String: (_ id: Int64, _ message: [UInt8]) async throws -> [UInt8]] = [:]

    /// Called when the system is about to end the extension, on another thread: the main one may be busy.
    package nonisolated let termination = Locked<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Answers every request of one kind with what `body` returns or throws.
    package func handle<Request: DeviceRequest>(
        _: Request.Type, _ body: @escaping @MainActor (Request) throws -> Request.Reply
    ) {
        handlers[Request.method] = { id, message in
            try WireCodec.result(id, body(WireCodec.parameters(Request.self, message)))
        }
    }

    /// As above, for a body that may suspend.
    package func handle<Request: DeviceRequest>(
        _: Request.Type, _ body: @escaping @MainActor (Request) async throws -> Request.Reply
    ) {
        suspendingHandlers[Request.method] = { id, message in
            try WireCodec.result(id, await body(WireCodec.parameters(Request.self, message)))
        }
    }

    /// Whether the answer to a message takes a task; `answer` does not know it.
    package func suspends(for message: [UInt8]) -> Bool {
        guard let method = (try? WireCodec.header(message))?.method else { return false }
        return suspendingHandlers[method] != nil
    }

    /// The answer to a message that `suspends`. Errors are answered as such.
    /// - Throws: `DeviceError` when the message has no id that an answer could bear.
    package func answerInTask(_ message: [UInt8]) async throws -> [UInt8] {
        let header = try WireCodec.header(message)
        guard let id = header.id, let handler = header.method.flatMap({ suspendingHandlers[$0] }) else {
            throw DeviceError(.badMessage, "A message to the extension has no id or no method.")
        }
        do {
            return try await handler(id, message)
        } catch {
            return try WireCodec.failure(id, DeviceError(wrapping: error))
        }
    }

    /// The answer to one message. Whatever comes in is answered, or ends the connection by the error.
    /// - Throws: `DeviceError` when the message has no id that an answer could bear.
    package func answer(_ message: [UInt8]) throws -> [UInt8] {
        let header = try WireCodec.header(message)
        guard let id = header.id, let method = header.method else {
            throw DeviceError(.badMessage, "A message to the extension has no id or no method.")
        }
        guard let handler = handlers[method] else {
            return try WireCodec.failure(
                id, DeviceError(.unknownMethod, "The extension does not know the request “\(method)”."))
        }
        do {
            return try handler(id, message)
        } catch {
            return try WireCodec.failure(id, DeviceError(wrapping: error))
        }
    }
}
