// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What decides over the answer to a request for a document that is there.
package protocol ConditionalRequest {
    var method: String { get }
    /// The first header field of that name.
    func field(_ name: StaticString) -> String?
}

/// A request's head on the server's own thread: nothing is copied before somebody asks for it. It means nothing once the
/// closure that was given it has returned.
package struct HTTPRequestHead: ConditionalRequest {
    package let method: String
    /// The path, percent-decoded, without the query.
    package let path: String
    private let connection: ClientConnection

    init(_ exchange: Exchange) {
        method = exchange.method
        path = exchange.path
        connection = exchange.connection
    }

    package func field(_ name: StaticString) -> String? { connection.field(name) }

    /// The query's arguments, decoded, in their order.
    package var query: [(name: String, value: String)] { connection.arguments.map { ($0.0, $0.1) } }

    /// All header fields.
    package var headers: HTTPHeaders { HTTPHeaders(connection.fields) }
}

extension HTTPServerRequest: ConditionalRequest {
    package func field(_ name: StaticString) -> String? { headers[name.description] }
}
