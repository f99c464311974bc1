// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
internal import Synchronization

/// One request and its answer, from head to completion.
final class Exchange: Sendable {
    private struct State {
        var body: [UInt8] = []
        var bodyIsTooLarge = false
        var bodyLimit = 0
        var receiver: (any HTTPBodyReceiver)?
        var answer: HTTPServerResponse?
        var status = 0
        var answerHeaders = HTTPHeaders()
        var bytesSent: Int64 = 0
        var wholeBody: Int64?
    }

    let connection: ClientConnection
    let method: String
    let path: String
    let started = SuspendingClock().now
    /// When the client must have sent more; nil where nobody keeps count.
    let deadline: ReadingDeadline?
    private let state = Mutex(State())

    init(_ connection: ClientConnection, method: String, path: String) {
        self.connection = connection
        self.method = method
        self.path = path
        deadline = connection.deadline
    }

    /// Whether a body may follow that somebody is to decide about.
    var hasNoBody: Bool { method == "GET" || method == "HEAD" }

    /// Keeps the body in memory up to that many bytes.
    func keepBody(limit: Int) { state.withLock { $0.bodyLimit = limit } }

    /// Gives the body away.
    func passBody(to receiver: any HTTPBodyReceiver) { state.withLock { $0.receiver = receiver } }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        deadline?.received(bytes.count)
        // Outside the lock: a receiver may take its time with the disk.
        if let receiver = state.withLock({ $0.receiver }) { return receiver.receive(bytes) }
        state.withLock { state in
            guard state.body.count + bytes.count <= state.bodyLimit else {
                state.bodyIsTooLarge = true
                return
            }
            state.body.append(contentsOf: bytes)
        }
    }

    var bodyIsTooLarge: Bool { state.withLock { $0.bodyIsTooLarge } }

    var request: HTTPServerRequest {
        HTTPServerRequest(
            method: method, path: path, query: connection.arguments, headers: HTTPHeaders(connection.fields),
            body: state.withLock { $0.body }, receiver: state.withLock { $0.receiver }, client: connection.client)
    }

    /// What the handler decided.
    var answer: HTTPServerResponse? { state.withLock { $0.answer } }

    func decide(_ answer: HTTPServerResponse) { state.withLock { $0.answer = answer } }

    // MARK: For the log

    /// - Parameter wholeBody: the length of a body that libmicrohttpd sends by itself; nil for one that passes through here.
    func noteSending(_ status: Int, _ headers: HTTPHeaders, wholeBody: Int64?) {
        state.withLock { state in
            state.status = status
            state.answerHeaders = headers
            state.wholeBody = wholeBody
        }
    }

    func noteSent(_ count: Int) { state.withLock { $0.bytesSent += Int64(count) } }

    /// What was sent, when the exchange is over.
    func sent(isComplete: Bool) -> (status: Int, headers: HTTPHeaders, bytes: Int64) {
        state.withLock { state in
            (state.status, state.answerHeaders, state.wholeBody.map { isComplete ? $0 : 0 } ?? state.bytesSent)
        }
    }
}
