// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A request as a server's handler sees it, its body already there.
package struct HTTPServerRequest: Sendable {
    package let method: String
    /// The path, percent-decoded, without the query.
    package let path: String
    /// The query's arguments, decoded, in their order.
    package let query: [(name: String, value: String)]
    package let headers: HTTPHeaders
    package let body: [UInt8]
    /// Who took the body, when the server's `bodyPlan` named somebody.
    package let receiver: (any HTTPBodyReceiver)?
    /// The numeric address of the client; empty when unknown.
    package let client: String

    package init(
        method: String, path: String, query: [(name: String, value: String)] = [], headers: HTTPHeaders = [:],
        body: [UInt8] = [], receiver: (any HTTPBodyReceiver)? = nil, client: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.receiver = receiver
        self.client = client
    }
}
