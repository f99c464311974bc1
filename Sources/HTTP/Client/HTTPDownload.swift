// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
package import System

/// A download under way. It is cancelled when the last reference to it goes.
package final class HTTPDownload: Sendable {
    private let transfer: Transfer
    private let engine: TransferEngine

    init(_ transfer: Transfer, _ engine: TransferEngine) {
        self.transfer = transfer
        self.engine = engine
        engine.load.withLock { $0 += 1 }
    }

    deinit {
        cancel()
        engine.load.withLock { $0 -= 1 }
    }

    package var request: HTTPRequest { transfer.request }

    /// The head of the final answer. Cancelling the task cancels the download.
    /// - Throws: `HTTPClientError`, also for every status that is not a success.
    package func head() async throws -> HTTPResponse {
        try await withTaskCancellationHandler {
            try await transfer.head()
        } onCancel: {
            cancel()
        }
    }

    /// Reads more of the body, blocking until there is some: for an owned thread, never the cooperative pool. 0 is the
    /// proper end. What arrived before a failure is handed out before the failure is thrown.
    /// - Throws: `HTTPClientError`
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try read(atMost: buffer.count) { buffer.copyMemory(from: $0) }
    }

    /// As `read(into:)`; nil when nothing came within `patience`, and reading may go on.
    /// - Throws: `HTTPClientError`
    package func read(into buffer: UnsafeMutableRawBufferPointer, atMost patience: Duration) throws -> Int? {
        try transfer.read(
            atMost: buffer.count, patience: patience, roomMade: { engine.post(.pauseChanged(transfer)) }
        ) { buffer.copyMemory(from: $0) }
    }

    /// As `read(into:)`, without a copy: `body` gets the bytes where they lie, and they go when it returns.
    /// - Throws: `HTTPClientError`, and what `body` throws.
    package func read(atMost limit: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Int {
        try transfer.read(atMost: limit, patience: nil, roomMade: { engine.post(.pauseChanged(transfer)) }, body) ?? 0
    }

    /// Has all of the body written to a file as it comes, which takes less than reading it, and blocks until its proper end. What
    /// came before a failure is written.
    /// - Parameters:
    ///   - offset: where in the file it begins.
    ///   - limit: how long the file may become, in bytes; a longer one is an error.
    ///   - progress: called with the offset up to which the file is written, when that has grown, once in an interval at most and
    ///     at the end.
    /// - Returns: the offset behind the last byte.
    /// - Throws: `HTTPClientError`; `Errno` when the file takes no more; what `progress` throws. Nothing is written afterwards.
    package func write(
        to file: FileDescriptor, from offset: Int64, limit: Int64? = nil, every interval: Duration,
        _ progress: (_ offset: Int64) throws -> Void
    ) throws -> Int64 {
        try transfer.write(
            to: Transfer.BodyFile(descriptor: file, offset: offset, limit: limit), every: interval,
            roomMade: { engine.post(.pauseChanged(transfer)) }, progress)
    }

    /// Ends the download; whoever waits for its head or its bytes gets the error `cancelled`. May be called at any time
    /// and any number of times.
    package func cancel() {
        guard !transfer.hasEnded else { return }
        transfer.end(.failure(HTTPClientError(.cancelled, "The download was cancelled.")))
        engine.post(.cancel(transfer))
    }

    /// Bytes a second that are taken from the server from now on, on average; nil for as many as come.
    package func setRateLimit(_ bytesPerSecond: Int64?) {
        if transfer.setRateLimit(bytesPerSecond.map { max(1, $0) }) { engine.post(.rateChanged(transfer)) }
    }

    /// Stops taking bytes from the server, or goes on. The connection stays open as long as the server keeps it.
    package func setPaused(_ paused: Bool) {
        if transfer.setPausedByCaller(paused) { engine.post(.pauseChanged(transfer)) }
    }
}
