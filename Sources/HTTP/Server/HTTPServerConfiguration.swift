// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto

/// Where and as whom a server listens.
package struct HTTPServerConfiguration: Sendable {
    /// A name or numeric address of this machine; nil for all its addresses.
    package var host: String?
    /// 0 lets the system choose.
    package var port: Int
    /// nil serves plain http.
    package var identity: TLSIdentity?
    /// Threads that move bytes; handlers run elsewhere.
    package var threads = 2
    /// Connections without traffic are closed after so many seconds. The head of a request must have come whole in that time.
    package var idleSeconds = 120
    /// Memory that a connection has for a request's head, and then for its answer's, in bytes. All of it is cleared for each
    /// request.
    package var headSize = 16 << 10
    /// A body that comes with fewer bytes a second for `idleSeconds` is not waited for.
    package var leastBodyRate: Int64 = 1024
    /// The longest request body that is taken, in bytes, where `bodyPlan` does not say.
    package var maximumRequestBody = 1 << 20
    /// Says what is to be done with a request's body, which is still empty. Called on a thread of the server: must not block.
    package var bodyPlan: (@Sendable (HTTPServerRequest) -> BodyPlan)?
    /// Asked first about each GET and HEAD, on a thread of the server, which serves nobody else meanwhile: answers what needs no
    /// waiting, and leaves the rest to the handler with nil.
    package var immediate: (@Sendable (HTTPRequestHead) -> HTTPServerResponse?)?
    /// Told of every finished exchange, on a thread of the server.
    package var log: (@Sendable (HTTPExchangeRecord) -> Void)?
    /// Told likewise, of no more than what is counted: it costs a busy server next to nothing.
    package var count: (@Sendable (HTTPExchangeCount) -> Void)?

    package init(host: String? = nil, port: Int = 0, identity: TLSIdentity? = nil) {
        self.host = host
        self.port = port
        self.identity = identity
    }
}

/// One exchange, for statistics.
package struct HTTPExchangeCount: Sendable {
    package let method: String
    package let path: String
    package let status: Int
    /// As in `HTTPExchangeRecord`.
    package let bytes: Int64
    package let duration: Duration
    /// Whether the whole answer went out.
    package let isComplete: Bool
}

/// One exchange, for an access log.
package struct HTTPExchangeRecord: Sendable {
    package let client: String
    package let method: String
    package let path: String
    /// The Range field of the request.
    package let range: String?
    package let status: Int
    /// The header fields of the answer.
    package let answerHeaders: HTTPHeaders
    /// Bytes of the body that were handed to the connection. What libmicrohttpd sends by itself, short bodies and, without TLS,
    /// stretches of files, counts when it went out whole.
    package let bytes: Int64
    package let duration: Duration
    /// Whether the whole answer went out.
    package let isComplete: Bool
}
