// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CMicroHTTPD
internal import CMicroHTTPDShim
internal import Kit

/// A body on its way out.
// Safe: only the daemon's thread for this connection reads; `isGivenUp` is behind its own lock.
final class ResponseStream: @unchecked Sendable {
    /// Bytes asked for at once: four TLS records.
    static let pieceSize = 64 << 10

    let connection: OpaquePointer
    private let exchange: Exchange
    private let parking: ParkingLot
    private var reader: BodyReader
    private var started: SuspendingClock.Instant?
    private let isGivenUp = Locked(false)

    init(_ answer: HTTPServerResponse, _ exchange: Exchange, _ parking: ParkingLot) {
        connection = exchange.connection
        self.exchange = exchange
        self.parking = parking
        reader = BodyReader(answer.body, answer.behaviour)
    }

    /// Nobody waits for the rest any more.
    func giveUp() { isGivenUp.withLock { $0 = true } }

    /// What the content callback must return.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if isGivenUp.withLock({ $0 }) { return larder_mhd_end_with_error }
        let now = SuspendingClock().now
        let start = started ?? now
        started = start
        switch reader.read(into: buffer, elapsed: start.duration(to: now)) {
        case .bytes(let count):
            exchange.bytesSent += Int64(count)
            return count
        case .end: return larder_mhd_end_of_stream
        case .wait(let elapsed):
            return parking.park(self, until: elapsed.map { start.advanced(by: $0) }) ? 0 : larder_mhd_end_with_error
        case .close: return larder_mhd_end_with_error
        case .reset:
            larder_mhd_abort_socket(larder_mhd_socket(connection))
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
