// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// The part of a connection that whoever reads shares: what is due for which id.
///
/// Callers that block for an answer read it themselves, and hand out what else comes until then: no other thread has to wake up
/// first. The connection has a thread that reads once something was asked for that nobody waits for in this way.
final class ConnectionCore: Sendable {
    /// Who waits for messages with an id. Called on the thread that reads, never under the lock.
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

    /// Who takes messages from the channel; the thread does to the end, once it does.
    private enum Reader { case nobody, caller, thread }

    private let channel: any MessageChannel
    /// Takes what the other side asks; nil where it never does.
    private let onRequest: (@Sendable (_ message: [UInt8]) -> Void)?
    /// Called once when nothing more will come, with what was wrong with the last message.
    private let onEnd: (@Sendable ((any Error)?) -> Void)?
    private let outbox: MessageOutbox
    private let state = Locked(State())
    private let reader = Monitor(Reader.nobody)
    private let hasThread = Locked(false)

    init(
        _ channel: any MessageChannel, onRequest: (@Sendable (_ message: [UInt8]) -> Void)? = nil,
        onEnd: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        self.channel = channel
        self.onRequest = onRequest
        self.onEnd = onEnd
        outbox = MessageOutbox(channel)
    }

    var isOpen: Bool {
        guard state.withLock(\.isOpen) else { return false }
        // Whoever reads notices the end.
        return reader.peek { $0 != .nobody } || !channel.hasEnded
    }

    /// Has a thread read from now on, whether or not somebody waits.
    func startThread() throws {
        try hasThread.withLock { hasThread in
            guard !hasThread else { return }
            try WorkerThread.start(name: "larder-replies") {
                self.reader.wait { reader -> Void? in
                    guard reader == .nobody else { return nil }
                    reader = .thread
                    return ()
                }
                while self.takeMessage() {}
            }
            hasThread = true
        }
    }

    func close() {
        outbox.close()
        channel.close()
    }

    func send<Request: DeviceRequest>(_ request: Request) async throws -> Request.Reply {
        try startThread()
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
        let answer = Locked<Result<[UInt8], any Error>?>(nil)
        add(
            .reply { result in
                answer.withLock { $0 = result }
                // Who waits for its answer while another reads looks again.
                self.reader.withLock { _ in }
            }, id)
        if !outbox.post(bytes, here: true) { fail(id, Self.disconnected) }
        return try WireCodec.result(Request.Reply.self, wait(for: answer).get())
    }

    /// Blocks for an answer, and reads when nobody else does.
    private func wait(for answer: Locked<Result<[UInt8], any Error>?>) -> Result<[UInt8], any Error> {
        while true {
            let isReader = reader.wait { reader -> Bool? in
                if answer.withLock({ $0 != nil }) { return false }
                guard reader == .nobody else { return nil }
                reader = .caller
                return true
            }
            if isReader {
                while answer.withLock({ $0 == nil }), takeMessage() {}
                reader.withLock { $0 = .nobody }
            }
            if let result = answer.withLock({ $0 }) { return result }
        }
    }

    /// Opens a stream and blocks for its first event; whoever lets go of it says so with `letGo`.
    func openAndWait<Request: DeviceStreamRequest>(_ request: Request) throws -> Int64 {
        try startThread()
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
                try startThread()
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

    /// Reads one message and hands it out; false when there are no more.
    private func takeMessage() -> Bool {
        do {
            if let message = try channel.receive() {
                try deliver(message)
                return true
            }
            finish(Self.disconnected, nil)
        } catch {
            finish(error as? DeviceError ?? Self.disconnected, error)
        }
        return false
    }

    /// Fails what is in flight. Nothing happens the second time.
    private func finish(_ ending: any Error, _ fault: (any Error)?) {
        let (waiters, wasOpen) = state.withLock { state in
            defer {
                state.isOpen = false
                state.waiters = [:]
            }
            return (state.waiters, state.isOpen)
        }
        close()
        for waiter in waiters.values {
            switch waiter {
            case .reply(let resume): resume(.failure(ending))
            case .stream(let receive): receive(.failure(ending))
            }
        }
        if wasOpen { onEnd?(fault) }
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
