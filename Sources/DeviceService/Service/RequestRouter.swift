// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// What answers each method: decodes the parameters, calls, encodes the answer. No decisions are made here.
struct RequestRouter: Sendable {
    /// Who asks.
    struct Caller: Hashable, Sendable {
        var client: String
        var processID: Int32
        /// The app whose extension asks, over its own conversation; nil for everyone on the socket.
        var extensionOf: String?
    }

    enum Handler: Sendable {
        /// `then` runs once the answer is on its way; `executor` is where the request rather runs than elsewhere, on the thread that
        /// reads requests if nothing is under way there.
        case reply(
            @Sendable (_ message: [UInt8], _ id: Int64, Caller) async throws -> [UInt8], then: (@Sendable () -> Void)?,
            executor: BlockingExecutor?)
        case stream(
            @Sendable (_ message: [UInt8], _ id: Int64, Caller, _ post: @escaping @Sendable ([UInt8]) -> Bool)
                async throws -> Void, executor: BlockingExecutor?)
    }

    /// Called when a client has said who it is, and when it has left.
    var presence: @Sendable (_ client: String, _ isHere: Bool) -> Void = { _, _ in }
    private var handlers: [String: Handler] = [:]

    subscript(method: String) -> Handler? { handlers[method] }

    /// The methods that are answered, in order.
    var methods: [String] { handlers.keys.sorted() }

    mutating func on<Request: DeviceRequest>(
        _: Request.Type, executor: BlockingExecutor? = nil, then: (@Sendable () -> Void)? = nil,
        _ body: @escaping @Sendable (Request, Caller) async throws -> Request.Reply
    ) {
        let reply: @Sendable ([UInt8], Int64, Caller) async throws -> [UInt8] = { message, id, caller in
            let request = try WireCodec.parameters(Request.self, message)
            return try WireCodec.result(id, try await body(request, caller))
        }
        handlers[Request.method] = .reply(reply, then: then, executor: executor)
    }

    /// The stream ends when `body` returns; its task is cancelled when the client leaves.
    mutating func onStream<Request: DeviceStreamRequest>(
        _: Request.Type, executor: BlockingExecutor? = nil,
        _ body:
            @escaping @Sendable (Request, Caller, _ emit: @escaping @Sendable (Request.Event) -> Void) async throws ->
            Void
    ) {
        let stream: @Sendable ([UInt8], Int64, Caller, @escaping @Sendable ([UInt8]) -> Bool) async throws -> Void = {
            message, id, caller, post in
            let request = try WireCodec.parameters(Request.self, message)
            try await body(request, caller) { event in
                if let bytes = try? WireCodec.event(id, event) { _ = post(bytes) }
            }
        }
        handlers[Request.method] = .stream(stream, executor: executor)
    }
}

extension RequestRouter.Handler {
    var executor: BlockingExecutor? {
        switch self {
        case .reply(_, _, let executor), .stream(_, let executor): executor
        }
    }
}
