// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a server's handler answers with.
package struct HTTPServerResponse: Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    /// The body's pieces, in their order. To a HEAD request only their length is told.
    package var body: [BodySegment]
    /// How the body misbehaves, for tests of clients.
    package var behaviour: BodyBehaviour

    package init(
        status: Int, headers: HTTPHeaders = [:], body: [BodySegment] = [], behaviour: BodyBehaviour = BodyBehaviour()
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.behaviour = behaviour
    }

    /// A short answer for people.
    package static func text(_ status: Int, _ text: String) -> HTTPServerResponse {
        HTTPServerResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: [.bytes(Array((text + "\n").utf8))])
    }

    package static func json(_ bytes: [UInt8]) -> HTTPServerResponse {
        HTTPServerResponse(status: 200, headers: ["Content-Type": "application/json"], body: [.bytes(bytes)])
    }

    var bodyLength: Int64 { body.reduce(0) { $0 + $1.count } }
}

/// A piece of a body.
package enum BodySegment: Sendable {
    case bytes([UInt8])
    /// A stretch of an open file, in bytes from the file's start.
    case file(ServedFile, offset: Int64, count: Int64)

    package var count: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, _, let count): count
        }
    }
}
