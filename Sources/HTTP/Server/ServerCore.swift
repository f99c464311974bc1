// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CMicroHTTPDShim
internal import Kit

/// What the daemon's callbacks, the handlers' tasks and `stop` share: which connections are suspended, and why.
///
/// libmicrohttpd wants every suspended connection resumed exactly once, and all of them before it stops. So suspending
/// and resuming happen under one lock, with the books kept here.
final class ServerCore: Sendable {
    private struct State {
        var isStopping = false
        /// Suspended until their handler has answered.
        var pending: [ObjectIdentifier: Exchange] = [:]
    }

    private let configuration: HTTPServerConfiguration
    private let handler: HTTPServer.Handler
    private let state = Locked(State())
    let parking = ParkingLot()
    /// Requests that have come and are not over, to be waited for at the end.
    private let underWay = Monitor(0)

    init(_ configuration: HTTPServerConfiguration, handler: @escaping HTTPServer.Handler) {
        self.configuration = configuration
        self.handler = handler
    }

    /// The request's head has come.
    func begin(_ exchange: Exchange) -> MHD_Result {
        underWay.withLock { $0 += 1 }
        switch configuration.bodyPlan?(exchange.request) ?? .memory(limit: configuration.maximumRequestBody) {
        case .memory(let limit): exchange.keepBody(limit: limit)
        case .receiver(let receiver): exchange.passBody(to: receiver)
        case .refuse(let answer): return send(answer, exchange)
        }
        return .YES
    }

    /// The request is complete, or its handler has answered and the connection goes on.
    func proceed(_ exchange: Exchange) -> MHD_Result {
        if exchange.bodyIsTooLarge {
            return send(.text(413, "The request's body is longer than may be sent here."), exchange)
        }
        let request = exchange.request
        let answer = state.withLock { state -> HTTPServerResponse? in
            if let answer = exchange.answer { return answer }
            if state.isStopping { return ServerCore.stopping }
            exchange.connection.suspend()
            state.pending[ObjectIdentifier(exchange)] = exchange
            return nil
        }
        if let answer { return send(answer, exchange) }
        let handler = handler
        Task {
            let answer = await handler(request)
            self.answered(exchange, answer)
        }
        return .YES
    }

    private static var stopping: HTTPServerResponse { .text(503, "The server is stopping.") }

    private func answered(_ exchange: Exchange, _ answer: HTTPServerResponse) {
        state.withLock { state in
            guard state.pending.removeValue(forKey: ObjectIdentifier(exchange)) != nil else { return }
            exchange.decide(answer)
            exchange.connection.resume()
        }
    }

    private func send(_ answer: HTTPServerResponse, _ exchange: Exchange) -> MHD_Result {
        let stream = ResponseStream(answer, exchange, parking)
        let context = Unmanaged.passRetained(stream)
        guard
            let response = larder_mhd_response(
                UInt64(answer.bodyLength), ResponseStream.pieceSize, onContent, context.toOpaque(), onContentDone)
        else {
            context.release()
            return .NO
        }
        for field in answer.headers.fields { larder_mhd_add_header(response, field.name, field.value) }
        exchange.noteSending(answer.status, answer.headers)
        return larder_mhd_send(exchange.connection.raw, UInt32(clamping: answer.status), response)
    }

    /// Waits until no request is under way; false when some still are after that time. Blocks.
    func waitUntilIdle(atMost limit: Duration) -> Bool {
        underWay.wait(atMost: limit) { $0 == 0 ? true : nil } ?? false
    }

    func completed(_ exchange: Exchange, isComplete: Bool) {
        underWay.withLock { $0 -= 1 }
        guard let log = configuration.log else { return }
        let sent = exchange.sent
        log(
            HTTPExchangeRecord(
                client: exchange.connection.client, method: exchange.method, path: exchange.path,
                range: exchange.headers["Range"], status: sent.status,
                answerHeaders: sent.headers, bytes: sent.bytes,
                duration: exchange.started.duration(to: SuspendingClock().now), isComplete: isComplete))
    }

    /// Resumes everything that is suspended and sees to it that nothing is suspended any more.
    func stopAccepting() {
        parking.close()
        state.withLock { state in
            state.isStopping = true
            for exchange in state.pending.values {
                exchange.decide(ServerCore.stopping)
                exchange.connection.resume()
            }
            state.pending = [:]
        }
    }

    /// The daemon has ended.
    func finish() { parking.join() }
}
