// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
internal import System

/// What the reader of a download and the thread that fetches it share.
///
/// The head comes once, then bytes, then the end; each may be waited for. The engine writes, the caller reads.
final class Transfer: Sendable {
    enum Sink {
        /// Bytes wait here for a reader; when it is full the connection pauses.
        case ring(ByteRing)
        /// All bytes are kept, up to a limit.
        case memory(limit: Int)
    }

    struct State {
        var head: Result<HTTPResponse, HTTPClientError>?
        var end: Result<Void, HTTPClientError>?
        var headWaiters: [CheckedContinuation<Result<HTTPResponse, HTTPClientError>, Never>] = []
        var endWaiters: [CheckedContinuation<Result<Void, HTTPClientError>, Never>] = []
        /// Bytes in the ring.
        var waiting = 0
        var collected: [UInt8] = []
        var isReading = false
        var isPausedForSpace = false
        var isPausedByCaller = false
        var rateLimit: Int64?
        /// Where the engine puts the body by itself; nil while it is read.
        var file: BodyFile?
        var isWriting = false
        /// Why the file took no more.
        var fileProblem: (any Error)?
        var isPaused: Bool { isPausedForSpace || isPausedByCaller }
    }

    enum Acceptance { case taken, pause, tooLarge, abandoned }

    /// A file that the body goes to.
    struct BodyFile {
        let descriptor: FileDescriptor
        /// Where the next byte goes.
        var offset: Int64
        /// How long the file may become, in bytes.
        let limit: Int64?

        /// Whether it may have that many bytes more.
        func holds(_ count: Int) -> Bool {
            let (end, overflow) = offset.addingReportingOverflow(Int64(count))
            return !overflow && end <= limit ?? .max
        }
    }

    var tooLarge: HTTPClientError {
        HTTPClientError(.tooLarge, "\(DisplayURL.text(request.url)) is longer than is taken from there.")
    }

    let request: HTTPRequest
    let sink: Sink
    let state = Monitor(State())

    init(_ request: HTTPRequest, sink: Sink) {
        self.request = request
        self.sink = sink
    }

    // MARK: The engine's side

    var isPaused: Bool { state.peek(\.isPaused) }
    var rateLimit: Int64? { state.peek(\.rateLimit) }
    var hasEnded: Bool { state.peek { $0.end != nil } }

    /// The final answer's head is there.
    func deliver(_ head: HTTPResponse) {
        let waiters = state.withLock { state in
            guard state.head == nil else {
                return [CheckedContinuation<Result<HTTPResponse, HTTPClientError>, Never>]()
            }
            state.head = .success(head)
            defer { state.headWaiters = [] }
            return state.headWaiters
        }
        for waiter in waiters { waiter.resume(returning: .success(head)) }
    }

    /// More of the body. With `.pause` nothing was taken, and the same bytes come again when the engine goes on.
    /// - Parameter unpublished: bytes taken before that the reader has not been told of. The engine tells it of many
    ///   pieces at once: waking the reader costs more than copying a piece.
    func accept(_ bytes: UnsafeRawBufferPointer, unpublished: inout Int) -> Acceptance {
        switch sink {
        case .ring(let ring):
            if let acceptance = gather(bytes, behind: &unpublished, in: ring) { return acceptance }
            let taken = unpublished
            var acceptance = state.peek { state -> Acceptance in
                if state.end != nil { return .abandoned }
                return state.isPausedByCaller || ring.capacity - state.waiting - taken < bytes.count ? .pause : .taken
            }
            if acceptance == .pause {
                publish(&unpublished)
                acceptance = pauseOrTake(bytes.count, ring)
            }
            if acceptance == .taken {
                ring.put(bytes)
                unpublished += bytes.count
                if unpublished >= Self.writeSize { publish(&unpublished) }
            }
            return acceptance
        case .memory(let limit):
            return state.withLock { state in
                if state.end != nil { return .abandoned }
                if state.isPausedByCaller { return .pause }
                guard limit - state.collected.count >= bytes.count else { return .tooLarge }
                state.collected.append(contentsOf: bytes)
                return .taken
            }
        }
    }

    /// Decides about a pause for good: the reader might have made room since, and then nobody would end the pause.
    private func pauseOrTake(_ count: Int, _ ring: ByteRing) -> Acceptance {
        state.withLock { state in
            if state.isPausedByCaller { return .pause }
            guard ring.capacity - state.waiting < count else { return .taken }
            state.isPausedForSpace = true
            return .pause
        }
    }

    /// The transfer is over; only the first end counts.
    func end(_ result: Result<Void, HTTPClientError>) {
        let (headWaiters, endWaiters, head) = state.withLock { state in
            guard state.end == nil else {
                return (
                    [CheckedContinuation<Result<HTTPResponse, HTTPClientError>, Never>](),
                    [CheckedContinuation<Result<Void, HTTPClientError>, Never>](), state.head
                )
            }
            state.end = result
            if state.head == nil, case .failure(let error) = result { state.head = .failure(error) }
            defer {
                state.headWaiters = []
                state.endWaiters = []
            }
            return (state.headWaiters, state.endWaiters, state.head)
        }
        if let head {
            for waiter in headWaiters { waiter.resume(returning: head) }
        }
        for waiter in endWaiters { waiter.resume(returning: result) }
    }

    // MARK: The caller's side

    func head() async throws(HTTPClientError) -> HTTPResponse {
        let result = await withCheckedContinuation { continuation in
            let known = state.withLock { state -> Result<HTTPResponse, HTTPClientError>? in
                if state.head == nil { state.headWaiters.append(continuation) }
                return state.head
            }
            if let known { continuation.resume(returning: known) }
        }
        return try result.get()
    }

    /// Waits for the end and gives the bytes that were kept.
    func collect() async throws(HTTPClientError) -> [UInt8] {
        let result = await withCheckedContinuation { continuation in
            let known = state.withLock { state -> Result<Void, HTTPClientError>? in
                if state.end == nil { state.endWaiters.append(continuation) }
                return state.end
            }
            if let known { continuation.resume(returning: known) }
        }
        try result.get()
        return state.withLock(\.collected)
    }

    /// Blocks until there are bytes and gives them to `body`, as they lie; 0 at the end, nil when none came within `patience`.
    /// `roomMade` is called when the paused engine may go on. What `body` throws leaves the bytes for the next call.
    func read(
        atMost limit: Int, patience: Duration?, roomMade: () -> Void, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int? {
        guard case .ring(let ring) = sink, limit > 0 else { return 0 }
        guard let available = available(atMost: limit, patience) else { return nil }
        let count = try available.get()
        guard count > 0 else { return 0 }
        let bytes = ring.oldest(atMost: count)
        do {
            try body(bytes)
        } catch {
            state.withLock { $0.isReading = false }
            throw error
        }
        ring.drop(bytes.count)
        let resume = state.withLock { state in
            state.waiting -= bytes.count
            state.isReading = false
            guard state.isPausedForSpace, state.waiting <= ring.capacity / 2 else { return false }
            state.isPausedForSpace = false
            return true
        }
        if resume { roomMade() }
        return bytes.count
    }

    /// What was received before a failure is handed out before the failure, so that it need not be fetched again.
    private func available(atMost limit: Int, _ patience: Duration?) -> Result<Int, HTTPClientError>? {
        let look = { (state: inout State) -> Result<Int, HTTPClientError>? in
            if case .failure(let error) = state.end, error.code == .cancelled { return .failure(error) }
            if state.isReading { return nil }
            if state.waiting > 0 {
                state.isReading = true
                return .success(min(state.waiting, limit))
            }
            return state.end.map { $0.map { 0 } }
        }
        guard let patience else { return state.wait(look) }
        return state.wait(atMost: patience, look)
    }

    /// Returns whether that changes anything.
    func setRateLimit(_ limit: Int64?) -> Bool {
        state.withLock { state in
            defer { state.rateLimit = limit }
            return state.rateLimit != limit
        }
    }

    /// Returns whether that changes anything.
    func setPausedByCaller(_ paused: Bool) -> Bool {
        state.withLock { state in
            defer { state.isPausedByCaller = paused }
            return state.isPausedByCaller != paused
        }
    }
}
