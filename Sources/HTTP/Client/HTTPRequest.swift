// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a client asks a server for.
package struct HTTPRequest: Sendable {
    /// What is to be done with the resource.
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    package var url: String
    package var method: Method
    package var headers: [(String, String)]
    /// Where a broken-off download goes on, in bytes from the resource's start; nil or 0 fetches the whole.
    package var rangeStart: Int64?
    /// Stretches of the resource that are asked for instead of all of it, ascending and apart; empty for none. The answer's
    /// body is read through `RangedBody`.
    package var ranges: [Range<Int64>] = []
    /// The validator (strong ETag or date) of the bytes already there: when it is no longer the resource's, the server
    /// sends the whole and the response says so (`HTTPResponse.startOffset` is 0).
    package var ifRange: String?
    /// How long the whole resource must be, in bytes, when somebody promised; another length is an error.
    package var expectedLength: Int64?
    /// The longest the whole exchange may take, redirects and body included; nil for as long as bytes come.
    package var timeLimit: Duration?
    /// The longest silence, where the server is known to think for long; nil for the client's.
    package var stallTimeout: Duration?
    /// Says whether bytes may be fetched from a host: asked for the address itself and for every redirect's target,
    /// before anything is sent there. Called on the network thread; must not block.
    package var permitsHost: (@Sendable (String) -> Bool)?

    /// Says whether a connection to an address may be made: asked of what the host's name led to, for each connection, so
    /// that no name leads where it should not. With it no proxy is used. Called on the network thread; must not block.
    package var permitsAddress: (@Sendable (NetworkAddress) -> Bool)?
    /// What is sent; the method is one that takes a body then.
    package var body: HTTPRequestBody?
    /// Whether every status is an answer with a head and a body, rather than an error for all but success. Redirects are
    /// answers then, too.
    package var takesEveryStatus = false

    /// What the request proves; with it redirects and challenges are reported. nil: redirects are followed, and nothing is
    /// proven.
    package var authentication: HTTPAuthentication?

    package init(
        url: String, method: Method = .get, headers: [(String, String)] = [], rangeStart: Int64? = nil,
        ifRange: String? = nil, expectedLength: Int64? = nil, timeLimit: Duration? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.rangeStart = rangeStart
        self.ifRange = ifRange
        self.expectedLength = expectedLength
        self.timeLimit = timeLimit
    }

    /// A body is never sent on to where a redirect leads.
    var followsRedirects: Bool { body == nil && !takesEveryStatus }

    /// The first byte that is asked for.
    var firstByte: Int64 { ranges.first?.lowerBound ?? max(0, rangeStart ?? 0) }

    /// What the `Range` field says; nil when the whole is asked for.
    var rangeField: String? {
        guard ranges.isEmpty else {
            return "bytes=" + ranges.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ",")
        }
        return firstByte > 0 ? "bytes=\(firstByte)-" : nil
    }
}
