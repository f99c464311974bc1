// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Fetches over https with libcurl, which the first request loads. Any number of requests at once; one thread moves their bytes, and none is there when
/// nothing is being fetched.
package final class HTTPClient: Sendable {
    package let configuration: HTTPClientConfiguration
    private let engine: TransferEngine

    package init(_ configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
        self.configuration = configuration
        engine = TransferEngine(configuration)
    }

    /// Whether this system has what a request needs. Blocks.
    /// - Throws: `HTTPClientError` with the code `noLibrary`, which says what to install.
    package static func checkLibrary() throws(HTTPClientError) { try CurlLibrary.load() }

    /// Starts a download whose body is read piece by piece.
    package func start(_ request: HTTPRequest) -> HTTPDownload {
        let capacity = max(configuration.bufferSize, 2 * ActiveTransfer.pieceSize)
        let transfer = Transfer(request, sink: .ring(ByteRing(capacity: capacity)))
        engine.post(.start(transfer))
        return HTTPDownload(transfer, engine)
    }

    /// Fetches a whole small resource. Cancelling the task cancels the transfer.
    /// - Parameter limit: bytes of the body that are taken; a longer one is an error.
    /// - Throws: `HTTPClientError`
    package func data(for request: HTTPRequest, limit: Int) async throws -> (HTTPResponse, [UInt8]) {
        let transfer = Transfer(request, sink: .memory(limit: limit))
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
