// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CMicroHTTPDShim
internal import Kit
internal import Synchronization
internal import System

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
    let watch: ReadingWatch
    /// Requests that have come and are not over, to be waited for at the end.
    private let underWay = Atomic(0)
    /// Whether somebody waits for that end.
    private let isDraining = Atomic(false)
    private let drained = Monitor(())

    init(_ configuration: HTTPServerConfiguration, handler: @escaping HTTPServer.Handler) {
        self.configuration = configuration
        self.handler = handler
        watch = ReadingWatch(
            ReadingDeadline.Patience(
                milliseconds: Int64(clamping: max(1, configuration.idleSeconds)) * 1000,
                leastRate: configuration.leastBodyRate))
    }

    /// The request's head has come.
    func begin(_ exchange: Exchange) -> MHD_Result {
        underWay.add(1, ordering: .relaxed)
        exchange.deadline?.begin()
        if exchange.connection.hasAmbiguousLength(mayHaveBody: !exchange.hasNoBody) {
            return send(Self.ambiguous, exchange)
        }
        if exchange.hasNoBody {
            exchange.keepBody(limit: configuration.maximumRequestBody)
            return .YES
        }
        switch configuration.bodyPlan?(exchange.request) ?? .memory(limit: configuration.maximumRequestBody) {
        case .memory(let limit): exchange.keepBody(limit: limit)
        case .receiver(let receiver): exchange.passBody(to: receiver)
        case .refuse(let answer): return send(answer, exchange)
        }
        return .YES
    }

    /// The request is complete, or its handler has answered and the connection goes on.
    func proceed(_ exchange: Exchange) -> MHD_Result {
        exchange.deadline?.rest()
        if exchange.bodyIsTooLarge {
            return send(.text(413, "The request's body is longer than may be sent here."), exchange)
        }
        if exchange.hasNoBody, exchange.answer == nil, let immediate = configuration.immediate,
            let answer = immediate(HTTPRequestHead(exchange))
        {
            return send(answer, exchange)
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

    /// Nothing that comes behind it on the connection is read.
    private static var ambiguous: HTTPServerResponse {
        var answer = HTTPServerResponse.text(400, "The request does not say in one way where its body ends.")
        answer.headers["Connection"] = "close"
        return answer
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
        let plain = plain(answer, on: exchange.connection)
        guard let response = plain?.response ?? streamed(answer, exchange) else { return .NO }
        for field in answer.headers.fields {
            // Handed to C by itself, a string is copied first.
            field.name.withCString { name in
                field.value.withCString { larder_mhd_add_header(response, name, $0) }
            }
        }
        exchange.noteSending(
            answer.status, answer.headers, wholeBody: plain.map { exchange.method == "HEAD" ? 0 : $0.length })
        let hasBody = (plain?.length ?? 0) > 0 && exchange.method != "HEAD"
        return larder_mhd_send(exchange.connection.raw, UInt32(clamping: answer.status), response, hasBody)
    }

    /// A body that libmicrohttpd sends by itself; nil for what has to be handed out piece by piece.
    private func plain(
        _ answer: HTTPServerResponse, on connection: ClientConnection
    ) -> (response: OpaquePointer, length: Int64)? {
        guard answer.body.count <= 1, answer.behaviour == .usual else { return nil }
        let response: OpaquePointer?
        var length: Int64 = 0
        switch answer.body.first {
        case nil: response = larder_mhd_bytes(nil, 0)
        case .bytes(let bytes)?:
            length = Int64(bytes.count)
            response = bytes.withUnsafeBytes { larder_mhd_bytes($0.baseAddress, $0.count) }
        case .file(let file, let offset, let count)?:
            guard offset >= 0, count >= 0 else { return nil }
            length = count
            if count <= ResponseStream.pieceSize {
                response = file.withDescriptor { larder_mhd_file_copy($0.rawValue, UInt64(offset), Int(count)) }
            } else {
                // Under TLS every byte passes through here anyway.
                response = configuration.identity == nil ? mapped(file, offset, count, on: connection) : nil
            }
        }
        return response.map { ($0, length) }
    }

    /// A stretch leaves in as few calls as the socket's buffer lets it. Where the file has become shorter they fail, and the
    /// connection ends.
    private func mapped(
        _ file: ServedFile, _ offset: Int64, _ count: Int64, on connection: ClientConnection
    ) -> OpaquePointer? {
        guard let memory = file.memory(at: offset, count: count) else { return nil }
        let context = Unmanaged.passRetained(file)
        let response = file.withDescriptor {
            larder_mhd_pages(
                connection.raw, memory.baseAddress, memory.count, $0.rawValue, UInt64(offset), context.toOpaque(),
                onFileDone)
        }
        if response == nil { context.release() }
        return response
    }

    private func streamed(_ answer: HTTPServerResponse, _ exchange: Exchange) -> OpaquePointer? {
        let context = Unmanaged.passRetained(ResponseStream(answer, exchange, parking))
        let response = larder_mhd_response(
            answer.behaviour.isEndless ? .max : UInt64(answer.bodyLength), ResponseStream.pieceSize, onContent,
            context.toOpaque(), onContentDone)
        if response == nil { context.release() }
        return response
    }

    /// Waits until no request is under way; false when some still are after that time. Blocks.
    func waitUntilIdle(atMost limit: Duration) -> Bool {
        isDraining.store(true, ordering: .sequentiallyConsistent)
        return drained.wait(atMost: limit) { _ in
            underWay.load(ordering: .sequentiallyConsistent) == 0 ? true : nil
        } ?? false
    }

    func completed(_ exchange: Exchange, isComplete: Bool) {
        exchange.deadline?.begin()
        let left = underWay.subtract(1, ordering: .sequentiallyConsistent).newValue
        if left == 0, isDraining.load(ordering: .sequentiallyConsistent) { drained.withLock { _ in } }
        let sent = exchange.sent(isComplete: isComplete)
        if let count = configuration.count {
            count(
                HTTPExchangeCount(
                    method: exchange.method, path: exchange.path, status: sent.status, bytes: sent.bytes,
                    duration: exchange.started.duration(to: SuspendingClock().now), isComplete: isComplete))
        }
        guard let log = configuration.log else { return }
        log(
            HTTPExchangeRecord(
                client: exchange.connection.client, method: exchange.method, path: exchange.path,
                range: exchange.connection.field("Range"), status: sent.status,
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
    func finish() {
        parking.join()
        watch.close()
    }
}
