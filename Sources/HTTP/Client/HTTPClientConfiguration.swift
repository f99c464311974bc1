// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import System

/// How an `HTTPClient` behaves.
package struct HTTPClientConfiguration: Sendable {
    /// PEM files of certificates to trust besides the system's; a folder stands for every `.pem` and `.crt` in it.
    /// They are read again for each request, so what is added or removed counts from the next one on. A file that is
    /// not there adds nothing.
    package var trustedCertificates: [FilePath] = []
    /// From the first packet to the end of the TLS handshake, name resolution included.
    package var connectTimeout: Duration = .seconds(20)
    /// The longest silence on a connection that is not paused.
    package var stallTimeout: Duration = .seconds(30)
    /// The least rate of an answer on a connection that is not paused, in bytes a second, over each `slowTimeout`: a server that
    /// drips is never silent. Requests with a silence of their own are exempt; 0 for no such limit.
    package var leastRate: Int64 = 256
    package var slowTimeout: Duration = .seconds(60)
    package var userAgent = "larder"
    /// Lets plain http through to 127.0.0.0/8, ::1 and localhost. For developers.
    package var allowsPlainLoopback = false
    package var maximumRedirects = 10
    /// The longest body, in bytes, for which HTTP/2 is offered to the server: small files share a connection. A larger one
    /// gains nothing from that, and a paused stream buffers what the server sent ahead, up to 32 MiB, inside libcurl. 0
    /// for HTTP/1.1 only.
    package var sharedConnectionLimit = 4 << 20
    /// Threads that move bytes; a body stays with one.
    package var threads = 1
    /// Connections of one thread to one host at once; requests beyond wait for one.
    package var maximumHostConnections = 16
    /// Bytes of a body that wait for their reader before the connection is told to pause.
    package var bufferSize = 1 << 20
    /// How long connections are kept for the next request before everything is torn down.
    package var linger: Duration = .seconds(1)

    package init() {}

    /// Whether what is left of the body is known to be small enough for HTTP/2.
    func letsShareConnection(_ request: HTTPRequest) -> Bool {
        request.expectedLength.map { $0 - request.firstByte <= sharedConnectionLimit } ?? false
    }
}
