// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// A device service that does as a test says, over real socket pairs and frames.
final class FakeService: Sendable {
    /// A stream that a client opened.
    struct Stream<Event: Codable & Sendable>: Sendable {
        let id: Int64
        let channel: FrameChannel

        func send(_ event: Event) throws { try channel.send(WireCodec.event(id, event)) }
        func end() throws { try channel.send(WireCodec.end(id)) }
        func fail(_ error: DeviceError) throws { try channel.send(WireCodec.streamFailure(id, error)) }
    }

    private typealias Handler = @Sendable (_ id: Int64, _ message: [UInt8], FrameChannel) throws -> Void

    private struct State {
        var handlers: [String: Handler] = [:]
        var methods: [String] = []
        var channels: [FrameChannel] = []
        var streams: [Stream<DownloadEvent>] = []
        var cancelled: [Int64] = []
        var isDown = false
    }

    private let state = Monitor(State())

    init() {
        on(HelloRequest.self) { _ in HelloRequest.Reply(version: "fake", processID: 1) }
        onStream(StatusUpdatesRequest.self) { [state] _, stream in state.withLock { $0.streams.append(stream) } }
    }

    func on<Request: DeviceRequest>(
        _: Request.Type, _ answer: @escaping @Sendable (Request) throws -> Request.Reply
    ) {
        handle(Request.method) { id, message, channel in
            let request = try WireCodec.parameters(Request.self, message)
            try channel.send(WireCodec.result(id, try answer(request)))
        }
    }

    func onStream<Request: DeviceStreamRequest>(
        _: Request.Type, _ opened: @escaping @Sendable (Request, Stream<Request.Event>) throws -> Void
    ) {
        handle(Request.method) { id, message, channel in
            try opened(try WireCodec.parameters(Request.self, message), Stream(id: id, channel: channel))
        }
    }

    /// Takes requests of a kind and never answers them.
    func stayMute<Request: DeviceRequest>(_: Request.Type) { handle(Request.method) { _, _, _ in } }

    private func handle(_ method: String, _ handler: @escaping Handler) {
        state.withLock { $0.handlers[method] = handler }
    }

    /// Opens a connection to this service.
    func connect(as client: String) async throws -> DeviceConnection {
        try await DeviceConnection(channel: try channel(), client: client, version: "test")
    }

    /// As above, blocking.
    func connectAndWait(as client: String) throws -> DeviceConnection {
        try DeviceConnection(waitingOn: try channel(), client: client, version: "test")
    }

    private func channel() throws -> FrameChannel {
        let (ours, theirs) = try UnixSocket.pair()
        let channel = FrameChannel(OwnedDescriptor(ours))
        let isDown = state.withLock { state in
            if !state.isDown { state.channels.append(channel) }
            return state.isDown
        }
        guard !isDown else {
            try theirs.close()
            throw DeviceError(.unavailable, "The service is down.")
        }
        try WorkerThread.start(name: "fake-service") { self.serve(channel) }
        return FrameChannel(OwnedDescriptor(theirs))
    }

    private func serve(_ channel: FrameChannel) {
        while let message = try? channel.receive(), let header = try? WireCodec.header(message) {
            if let cancelled = header.cancel { state.withLock { $0.cancelled.append(cancelled) } }
            guard let id = header.id, let method = header.method else { continue }
            let handler = state.withLock { state in
                state.methods.append(method)
                return state.handlers[method]
            }
            do {
                guard let handler else { throw DeviceError(.unknownMethod, method) }
                try handler(id, message, channel)
            } catch {
                try? channel.send(WireCodec.failure(id, DeviceError(wrapping: error)))
            }
        }
    }

    /// The methods asked for so far, but for the greeting.
    var methods: [String] { state.withLock { $0.methods.filter { $0 != HelloRequest.method } } }

    var connectionCount: Int { state.withLock { $0.channels.count } }

    /// Waits until `count` streams of status updates were opened; the last one.
    func stream(_ count: Int = 1) async throws -> Stream<DownloadEvent> {
        let state = self.state
        return try await onOwnThread {
            let stream = state.wait(atMost: .seconds(120)) { state in
                state.streams.count >= count ? state.streams[count - 1] : nil
            }
            guard let stream else { throw DeviceError(.failed, "no stream number \(count) was opened") }
            return stream
        }
    }

    /// Waits until the client asked for `method`, and so often.
    func asked(_ method: String, times: Int = 1) async throws {
        let state = self.state
        try await onOwnThread {
            let done = state.wait(atMost: .seconds(120)) { state in
                state.methods.count { $0 == method } >= times ? true : nil
            }
            guard done == true else { throw DeviceError(.failed, "\(method) was not asked for \(times) times") }
        }
    }

    /// Waits until the client let go of a stream or a request.
    func letGo(_ id: Int64) async throws {
        let state = self.state
        try await onOwnThread {
            guard state.wait(atMost: .seconds(120), { $0.cancelled.contains(id) ? true : nil }) == true else {
                throw DeviceError(.failed, "the client holds on to \(id)")
            }
        }
    }

    /// Cuts all connections, as a service that is killed does; new ones are refused while it is `down`.
    func die(down: Bool = false) {
        let channels = state.withLock { state in
            let channels = state.channels
            state.channels = []
            state.isDown = down
            return channels
        }
        for channel in channels { channel.close() }
    }

    func comeBack() { state.withLock { $0.isDown = false } }
}
