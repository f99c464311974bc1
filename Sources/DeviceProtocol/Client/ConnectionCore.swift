// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// The part of a connection that its reading thread shares: what is due for which id.
final class ConnectionCore: Sendable {
    /// Who waits for messages with an id. Called on the reading thread, never under the lock.
    enum Waiter: Sendable {
        case reply(@Sendable (Result<[UInt8], any Error>) -> Void)
        /// nil is the end.
        case stream(@Sendable (Result<[UInt8], any Error>?) -> Void)
    }

    private struct State {
        var nextID: Int64 = 1
        var waiters: [Int64: Waiter] = [:]
        var isOpen = true
    }

    private let channel: any MessageChannel
    /// Takes what the other side asks; nil where it never does.
    private let onRequest: (@Sendable (_ message: [UInt8]) -> Void)?
    /// Called once when nothing more will come, with what was wrong with the last message.
    private let onEnd: (@Sendable ((any Error)?) -> Void)?
    private let outbox: MessageOutbox
    private let state = Locked(State())

    init(
        _ channel: any MessageChannel, onRequest: (@Sendable (_ message: [UInt8]) -> Void)? = nil,
        onEnd: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        self.channel = channel
        self.onRequest = onRequest
        self.onEnd = onEnd
        outbox = MessageOutbox(channel)
    }

    var isOpen: Bool { state.withLock { $0.isOpen } }

    func start() throws {
        try WorkerThread.start(name: "larder-replies") { self.readUntilEnd() }
    }

    func close() {
        outbox.close()
        channel.close()
    }

    func send<Request: DeviceRequest>(_ request: Request) async throws -> Request.Reply {
        let id = takeID()
        let bytes = try WireCodec.request(id, request)
        let reply = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[UInt8], any Error>) in
                add(.reply { continuation.resume(with: $0) }, id)
                if Task.isCancelled { return cancel(id) }
                if !outbox.post(bytes) { fail(id, Self.disconnected) }
            }
        } onCancel: {
            cancel(id)
        }
        return try WireCodec.result(Request.Reply.self, reply)
    }

    /// Sends a request and blocks for its answer.
    func sendAndWait<Request: DeviceRequest>(_ request: Request) throws -> Request.Reply {
        let id = takeID()
        let bytes = try WireCodec.request(id, request)
        let answer = Monitor<Result<[UInt8], any Error>?>(nil)
        add(.reply { result in answer.withLock { $0 = result } }, id)
        if !outbox.post(bytes, here: true) { fail(id, Self.disconnected) }
        return try WireCodec.result(Request.Reply.self, answer.wait { $0 }.get())
    }

    /// Opens a stream and blocks for its first event; whoever lets go of it says so with `letGo`.
    func openAndWait<Request: DeviceStreamRequest>(_ request: Request) throws -> Int64 {
        let id = takeID()
        let bytes = try WireCodec.request(id, request)
        let first = Monitor<Result<Void, any Error>?>(nil)
        add(
            .stream { message in
                first.withLock { first in
                    guard first == nil else { return }
                    switch message {
                    case .success: first = .success(())
                    case .failure(let error): first = .failure(error)
                    case nil: first = .failure(Self.disconnected)
                    }
                }
            }, id)
        if !outbox.post(bytes, here: true) { fail(id, Self.disconnected) }
        try first.wait { $0 }.get()
        return id
    }

    /// Ends a stream on the calling thread.
    func letGo(_ id: Int64) {
        guard take(id) != nil, let bytes = try? WireCodec.cancel(id) else { return }
        outbox.post(bytes, here: true)
    }

    /// Sends a message as it is: an answer to what the other side asked.
    func post(_ message: [UInt8]) { outbox.post(message, here: true) }

    func stream<Request: DeviceStreamRequest>(
        _ request: Request, keeping connection: DeviceConnection
    ) -> AsyncThrowingStream<Request.Event, any Error> {
        let id = takeID()
        return AsyncThrowingStream { continuation in
            let receive: @Sendable (Result<[UInt8], any Error>?) -> Void = { message in
                switch message {
                case .success(let bytes):
                    do {
                        continuation.yield(try WireCodec.event(Request.Event.self, bytes))
                    } catch {
                        continuation.finish(throwing: error)
                    }
                case .failure(let error): continuation.finish(throwing: error)
                case nil: continuation.finish()
                }
            }
            continuation.onTermination = { _ in
                // The stream keeps its connection alive until its consumer is done with it.
                withExtendedLifetime(connection) { self.cancel(id) }
            }
            add(.stream(receive), id)
            do {
                if !outbox.post(try WireCodec.request(id, request)) { fail(id, Self.disconnected) }
            } catch {
                fail(id, error)
            }
        }
    }

    static let disconnected = DeviceError(
        .disconnected, "The device service closed the connection. Try again; the service starts anew by itself.")

    private func takeID() -> Int64 {
        state.withLock { state in
            defer { state.nextID &+= 1 }
            return state.nextID
        }
    }

    private func add(_ waiter: Waiter, _ id: Int64) {
        let wasOpen = state.withLock { state -> Bool in
            state.waiters[id] = waiter
            return state.isOpen
        }
        if !wasOpen { fail(id, Self.disconnected) }
    }

    private func take(_ id: Int64) -> Waiter? { state.withLock { $0.waiters.removeValue(forKey: id) } }

    private func fail(_ id: Int64, _ error: any Error) {
        switch take(id) {
        case .reply(let resume): resume(.failure(error))
        case .stream(let receive): receive(.failure(error))
        case nil: break
        }
    }

    /// Nothing happens for an id that is done with.
    private func cancel(_ id: Int64) {
        guard let waiter = take(id) else { return }
        if let bytes = try? WireCodec.cancel(id) { outbox.post(bytes) }
        if case .reply(let resume) = waiter { resume(.failure(CancellationError())) }
    }

    private func readUntilEnd() {
        var ending: any Error = Self.disconnected
        var fault: (any Error)?
        do {
            while let message = try channel.receive() { try deliver(message) }
        } catch {
            fault = error
            if let error = error as? DeviceError { ending = error }
        }
        let waiters = state.withLock { state in
            state.isOpen = false
            let waiters = state.waiters
            state.waiters = [:]
            return waiters
        }
        close()
        for waiter in waiters.values {
            switch waiter {
            case .reply(let resume): resume(.failure(ending))
            case .stream(let receive): receive(.failure(ending))
            }
        }
        onEnd?(fault)
    }

    /// - Throws: `DeviceError` when the message is not of the protocol.
    private func deliver(_ message: [UInt8]) throws {
        let header = try WireCodec.header(message)
        if let onRequest, header.method != nil {
            onRequest(message)
        } else if let id = header.id {
            if let error = header.error { return fail(id, error) }
            if case .reply(let resume) = take(id) { resume(.success(message)) }
        } else if let id = header.stream {
            if let error = header.error { return fail(id, error) }
            if header.hasEvent {
                if case .stream(let receive) = state.withLock({ $0.waiters[id] }) { receive(.success(message)) }
            } else if case .stream(let receive) = take(id) {
                receive(nil)
            }
        }
        // Messages of kinds that a newer service may send are passed over.
    }
}
