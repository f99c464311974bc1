// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import Kit

/// What every attempt at a transfer has, whatever it brings: a switch that stops it from anywhere, and its share of the
/// bandwidth.
final class TransferAttempt: Sendable {
    /// What the transfer's bandwidth depends on.
    struct Share: Sendable {
        let governor: BandwidthGovernor
        let key: TransferKey
        let rankClass: TransferRank.Class
    }

    private struct State {
        var isStopped = false
        var transfer: HTTPDownload?
    }

    /// Bytes that are read at once.
    static let bufferSize = 256 << 10
    /// Between two reports of progress.
    static let reportInterval = Duration.milliseconds(100)

    private let client: HTTPClient
    private let share: Share
    private let state = Locked(State())

    init(client: HTTPClient, share: Share) {
        self.client = client
        self.share = share
    }

    /// Ends the attempt soon. May be called at any time, more than once.
    func stop() {
        let transfer = state.withLock { state in
            state.isStopped = true
            return state.transfer
        }
        transfer?.cancel()
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// - Throws: `HTTPClientError` with code `cancelled` when the attempt was stopped.
    func checkStop() throws(HTTPClientError) {
        if isStopped { throw HTTPClientError(.cancelled, "The download of \(share.key.pack) was stopped.") }
    }

    /// Sends a request, has `body` read the answer, and lets go of the connection. Blocks: for an owned thread.
    func fetch<Result>(_ request: HTTPRequest, _ body: (HTTPDownload) throws -> Result) throws -> Result {
        let transfer = client.start(request)
        share.governor.enter(transfer, share.key, host: TransferQueue.host(of: request.url), share.rankClass)
        defer {
            share.governor.leave(transfer)
            // A client takes who is held for busy, and would open another connection for the next request.
            state.withLock { $0.transfer = nil }
            transfer.cancel()
        }
        state.withLock { $0.transfer = transfer }
        try checkStop()
        return try body(transfer)
    }

    /// Bytes that are here now.
    func note(_ transfer: HTTPDownload, total: Int64) { share.governor.note(transfer, total: total) }
}
