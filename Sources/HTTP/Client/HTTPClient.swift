// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// Fetches over https with libcurl, which the first request loads. Any number of requests at once; one thread moves their bytes, or
/// a few if the configuration says so, and none is there when nothing is being fetched.
package final class HTTPClient: Sendable {
    package let configuration: HTTPClientConfiguration
    private let engines: [TransferEngine]

    package init(_ configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
        self.configuration = configuration
        engines = (0..<max(1, configuration.threads)).map { _ in TransferEngine(configuration) }
    }

    /// Whether this system has what a request needs. Blocks.
    /// - Throws: `HTTPClientError` with the code `noLibrary`, which says what to install.
    package static func checkLibrary() throws(HTTPClientError) { try CurlLibrary.load() }

    /// Starts a download whose body is read piece by piece.
    package func start(_ request: HTTPRequest) -> HTTPDownload {
        let capacity = max(configuration.bufferSize, Transfer.writeSize)
        let transfer = Transfer(request, sink: .ring(ByteRing(capacity: capacity)))
        let engine = engine(for: request)
        engine.post(.start(transfer))
        return HTTPDownload(transfer, engine)
    }

    /// Those that share a connection have one thread for that; the others go where least is going on.
    private func engine(for request: HTTPRequest) -> TransferEngine {
        guard !configuration.letsShareConnection(request) else { return engines[0] }
        return engines.min { $0.load.withLock { $0 } < $1.load.withLock { $0 } } ?? engines[0]
    }

    /// Fetches a whole small resource. Cancelling the task cancels the transfer.
    /// - Parameter limit: bytes of the body that are taken; a longer one is an error.
    /// - Throws: `HTTPClientError`
    package func data(for request: HTTPRequest, limit: Int) async throws -> (HTTPResponse, [UInt8]) {
        let transfer = Transfer(request, sink: .memory(limit: limit))
        let engine = engines[0]
        engine.post(.start(transfer))
        let download = HTTPDownload(transfer, engine)
        return try await withTaskCancellationHandler {
            let head = try await transfer.head()
            return (head, try await transfer.collect())
        } onCancel: {
            download.cancel()
        }
    }
}
