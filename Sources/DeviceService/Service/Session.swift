// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// One client's connection: reads on a thread of its own, runs each request as a task, and lets go of everything that the
/// client held when it leaves. The thread is lent to requests that prefer an executor with one.
final class Session: Sendable {
    private struct State {
        var client: String?
        var tasks: [Int64: Task<Void, Never>] = [:]
        var isOpen = true
    }

    /// Requests in flight on one connection; more are refused.
    static let taskLimit = 256

    private let channel: any MessageChannel
    private let outbox: MessageOutbox
    private let router: RequestRouter
    private let processID: Int32
    private let extensionOf: String?
    private let version: String
    private let log: Logger
    private let state = Locked(State())

    init(_ channel: any MessageChannel, processID: Int32, version: String, router: RequestRouter, log: Logger) {
        extensionOf = nil
        self.channel = channel
        self.processID = processID
        self.version = version
        self.router = router
        self.log = log
        outbox = MessageOutbox(channel)
    }

    /// The part of a conversation with an app's extension in which the extension asks. Its messages come through `take`; it
    /// needs no greeting.
    init(with channel: any MessageChannel, extensionOf app: String, router: RequestRouter, log: Logger) {
        extensionOf = app
        self.channel = channel
        processID = 0
        version = ""
        self.router = router
        self.log = log
        outbox = MessageOutbox(channel)
        state.withLock { $0.client = app }
    }

    /// Takes a message that somebody else read from the channel.
    func take(_ message: [UInt8]) { _ = handle(message) }

    /// Cancels what is in flight and waits for it, so that nothing is held any more. The channel stays as it is.
    func release() async {
        let tasks = state.withLock { state in
            state.isOpen = false
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Reads until the client leaves or breaks the protocol. For an owned thread.
    func run() {
        do {
            while let message = try channel.receive() {
                guard handle(message) else { break }
            }
        } catch {
            log.info("A connection broke.", ["error": "\(error)"])
        }
        let tasks = state.withLock { state in
            state.isOpen = false
            let tasks = state.tasks
            state.tasks = [:]
            return tasks
        }
        if let client = state.withLock({ $0.client }) { router.presence(client, false) }
        for task in tasks.values { task.cancel() }
        // A refusal may still be on its way; what is left is sent before the channel closes.
        outbox.finish()
    }

    /// Cancels what is in flight, waits for it, and sends all answers before the channel closes.
    func end() async {
        let tasks = state.withLock { state in
            state.isOpen = false
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        outbox.finish()
    }

    /// False when the connection is of no more use.
    private func handle(_ message: [UInt8]) -> Bool {
        let header: WireHeader
        do {
            header = try WireCodec.header(message)
        } catch {
            fail(0, DeviceError(wrapping: error))
            return false
        }
        if let id = header.cancel {
            state.withLock { $0.tasks[id] }?.cancel()
            return true
        }
        guard let id = header.id, let method = header.method else {
            fail(header.id ?? 0, DeviceError(.badMessage, "A message has neither `id` and `method` nor `cancel`."))
            return false
        }
        if method == HelloRequest.method { return greet(message, id) }
        guard let client = state.withLock({ $0.client }) else {
            fail(id, DeviceError(.refused, "The first message must be `hello`."))
            return false
        }
        guard let handler = router[method] else {
            fail(
                id,
                DeviceError(.unknownMethod, "This service does not know `\(method)`; it may be older than its client."))
            return true
        }
        start(
            handler, message, id, RequestRouter.Caller(client: client, processID: processID, extensionOf: extensionOf))
        return true
    }

    private func greet(_ message: [UInt8], _ id: Int64) -> Bool {
        do {
            let hello = try WireCodec.parameters(HelloRequest.self, message)
            guard hello.protocol == WireProtocol.version else {
                fail(
                    id,
                    DeviceError(
                        .incompatible,
                        "The client speaks protocol \(hello.protocol), the service \(WireProtocol.version). "
                            + "Bring both to the same release.",
                        details: ["client": "\(hello.protocol)", "service": "\(WireProtocol.version)"]))
                return false
            }
            let former = state.withLock { state -> String? in
                defer { state.client = hello.client }
                return state.client
            }
            if let former { router.presence(former, false) }
            router.presence(hello.client, true)
            outbox.post(
                try WireCodec.result(id, HelloRequest.Reply(version: version, processID: CurrentProcess.identifier)))
            return true
        } catch {
            fail(id, DeviceError(wrapping: error))
            return false
        }
    }

    private func start(
        _ handler: RequestRouter.Handler, _ message: [UInt8], _ id: Int64, _ caller: RequestRouter.Caller
    ) {
        guard let executor = handler.executor else { return begin(handler, message, id, caller) }
        // Most requests of this kind are done with before another thread would be awake.
        executor.lendThread { begin(handler, message, id, caller) }
    }

    private func begin(
        _ handler: RequestRouter.Handler, _ message: [UInt8], _ id: Int64, _ caller: RequestRouter.Caller
    ) {
        // The task is put down before it can end: it takes itself out under the same lock.
        let refusal = state.withLock { state -> DeviceError? in
            guard state.isOpen else { return nil }
            guard state.tasks.count < Self.taskLimit else {
                return DeviceError(
                    .refused, "More than \(Self.taskLimit) requests are in flight. Wait for some to end.")
            }
            guard state.tasks[id] == nil else {
                return DeviceError(.badMessage, "The id \(id) is in use by a request in flight.")
            }
            state.tasks[id] = Task(executorPreference: handler.executor) {
                await self.perform(handler, message, id, caller)
                self.state.withLock { $0.tasks[id] = nil }
            }
            return nil
        }
        if let refusal { fail(id, refusal) }
    }

    private func perform(
        _ handler: RequestRouter.Handler, _ message: [UInt8], _ id: Int64, _ caller: RequestRouter.Caller
    ) async {
        switch handler {
        case .reply(let body, let then, _):
            do {
                outbox.post(try await body(message, id, caller))
                then?()
            } catch {
                fail(id, DeviceError(wrapping: error))
            }
        case .stream(let body, _):
            do {
                try await body(message, id, caller) { [outbox] in outbox.post($0) }
                // A body that is cancelled may return as if it had come to its end; the client must know better.
                guard state.withLock({ $0.isOpen }) else {
                    throw DeviceError(
                        .unavailable,
                        "The device service is stopping. What was going on goes on at its next start; ask again then.")
                }
                outbox.post(try WireCodec.end(id))
            } catch {
                let error = DeviceError(wrapping: error)
                if let bytes = try? WireCodec.streamFailure(id, error) { outbox.post(bytes) }
            }
        }
    }

    private func fail(_ id: Int64, _ error: DeviceError) {
        if let bytes = try? WireCodec.failure(id, error) { outbox.post(bytes) }
    }
}
