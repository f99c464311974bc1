// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CMicroHTTPDShim
internal import Kit

/// A body on its way out.
final class ResponseStream: Sendable {
    private struct State {
        var reader: BodyReader
        var started: SuspendingClock.Instant?
        var isGivenUp = false
    }

    /// Bytes asked for at once: four TLS records.
    static let pieceSize = 64 << 10

    let connection: ClientConnection
    private let exchange: Exchange
    private let parking: ParkingLot
    private let state: Locked<State>

    init(_ answer: HTTPServerResponse, _ exchange: Exchange, _ parking: ParkingLot) {
        connection = exchange.connection
        self.exchange = exchange
        self.parking = parking
        state = Locked(State(reader: BodyReader(answer.body, answer.behaviour)))
    }

    /// Nobody waits for the rest any more.
    func giveUp() { state.withLock { $0.isGivenUp = true } }

    /// What the content callback must return.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let now = SuspendingClock().now
        // The parking lot takes its own lock and then this one, so this one is not held when a stream is parked.
        let next = state.withLock { state -> (step: BodyReader.Step, start: SuspendingClock.Instant)? in
            if state.isGivenUp { return nil }
            let start = state.started ?? now
            state.started = start
            return (state.reader.read(into: buffer, elapsed: start.duration(to: now)), start)
        }
        guard let (step, start) = next else { return larder_mhd_end_with_error }
        switch step {
        case .bytes(let count):
            exchange.noteSent(count)
            return count
        case .end: return larder_mhd_end_of_stream
        case .wait(let elapsed):
            return parking.park(self, until: elapsed.map { start.advanced(by: $0) }) ? 0 : larder_mhd_end_with_error
        case .close: return larder_mhd_end_with_error
        case .reset:
            connection.abort()
            return larder_mhd_end_with_error
        }
    }
}

/// libmicrohttpd's content callback; its context is a `ResponseStream`.
func onContent(
    _ context: UnsafeMutableRawPointer?, _: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    guard let context, let buffer else { return larder_mhd_end_with_error }
    return Unmanaged<ResponseStream>.fromOpaque(context).takeUnretainedValue()
        .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
}

/// Takes back the reference that `send` gave away; libmicrohttpd calls it once per response.
func onContentDone(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<ResponseStream>.fromOpaque(context).release()
}

/// Takes back the reference that `mapped` gave away; libmicrohttpd calls it once per response.
func onFileDone(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<ServedFile>.fromOpaque(context).release()
}
