// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import HTTP
package import HostingModel
package import Kit

/// Talks to a host as a publisher does: App Store Connect's interface, signed and tried again where that is safe.
package final class HostingClient: Sendable {
    /// Where the host is, without a slash at its end.
    package let url: String
    package let http: HTTPClient
    /// How long a host that does not answer is asked again.
    package let patience: RetryPolicy
    private let credentials: HostingCredentials
    /// Bytes of an answer that are read.
    private static let answerLimit = 16 << 20

    /// Minutes: a host that is started again is there in time.
    package static let usualPatience = RetryPolicy(
        first: .milliseconds(500), longest: .seconds(10), patience: .seconds(300), unreachablePatience: .seconds(120))

    package init(
        url: String, credentials: HostingCredentials, http: HTTPClient, patience: RetryPolicy = usualPatience
    ) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.credentials = credentials
        self.http = http
        self.patience = patience
    }

    // MARK: Requests

    /// - Parameters:
    ///   - path: with its slash, without a query: `/v1/apps`.
    ///   - query: not encoded yet.
    /// - Returns: the answer's document; `.null` where it has none.
    /// - Throws: `HostingClientError`, `HTTPClientError`, `CryptoError`, `CancellationError`
    package func get(_ path: String, _ query: KeyValuePairs<String, String> = [:]) async throws -> JSONValue {
        let arguments = query.map { "\(Self.encode($0.key))=\(Self.encode($0.value))" }.joined(separator: "&")
        return try await send(.get, path + (arguments.isEmpty ? "" : "?" + arguments), nil)
    }

    /// Every resource of a list, page after page, as they are in `data`, and those that were included.
    /// - Throws: as `get`
    package func list(
        _ path: String, _ query: KeyValuePairs<String, String> = [:]
    ) async throws -> (data: [JSONValue], included: [JSONValue]) {
        var page = try await get(path, query)
        var data = page["data"]?.arrayValue ?? []
        var included = page["included"]?.arrayValue ?? []
        while let next = page["links"]?["next"]?.stringValue, let target = target(of: next) {
            page = try await send(.get, target, nil)
            let more = page["data"]?.arrayValue ?? []
            guard !more.isEmpty else { break }
            data += more
            included += page["included"]?.arrayValue ?? []
        }
        return (data, included)
    }

    /// Makes a resource; its `data`.
    /// - Parameter links: the to-one relationships.
    /// - Throws: as `get`
    package func create(
        _ type: ResourceType, _ attributes: [String: JSONValue] = [:], _ links: [String: (ResourceType, String)] = [:]
    ) async throws -> JSONValue {
        try await data(send(.post, "/v1/\(type)", Self.document(type, nil, attributes, links)))
    }

    /// Changes a resource; its `data`.
    /// - Parameter links: the to-one relationships that change.
    /// - Throws: as `get`
    package func change(
        _ type: ResourceType, _ id: String, _ attributes: [String: JSONValue],
        _ links: [String: (ResourceType, String)] = [:]
    ) async throws -> JSONValue {
        try await data(send(.patch, "/v1/\(type)/\(Self.encode(id))", Self.document(type, id, attributes, links)))
    }

    /// - Throws: as `get`
    package func delete(_ type: ResourceType, _ id: String) async throws {
        _ = try await send(.delete, "/v1/\(type)/\(Self.encode(id))", nil)
    }

    private func data(_ document: JSONValue) throws -> JSONValue {
        guard let data = document["data"], data["id"]?.stringValue != nil else {
            throw HostingClientError(.host, "The host at \(url) does not answer as App Store Connect does.")
        }
        return data
    }

    private static func document(
        _ type: ResourceType, _ id: String?, _ attributes: [String: JSONValue],
        _ links: [String: (ResourceType, String)]
    ) -> JSONValue {
        var data: [String: JSONValue] = ["type": .string(type.name)]
        data["id"] = id.map { .string($0) }
        if !attributes.isEmpty { data["attributes"] = .object(attributes) }
        if !links.isEmpty {
            data["relationships"] = .object(
                links.mapValues { ["data": ["type": .string($0.0.name), "id": .string($0.1)]] })
        }
        return ["data": .object(data)]
    }

    /// Sends a document as it is, with the patience of this client.
    /// - Throws: as `get`
    package func send(_ method: HTTPRequest.Method, _ target: String, _ document: JSONValue?) async throws -> JSONValue
    {
        var retries = Retries()
        while true {
            let wait: Duration?
            let failure: any Error
            do {
                return try await attempt(method, target, document)
            } catch let error as HTTPClientError {
                // What makes something new must not be sent twice, unless the host was not even reached.
                let isSafe = method != .post || error.isUnreachable
                wait =
                    isSafe && error.isTransient
                    ? retries.next(patience, wish: error.retryAfter, isUnreachable: error.isUnreachable) : nil
                failure = error
            }
            guard let wait else { throw failure }
            try await Task.sleep(for: wait)
        }
    }

    private func attempt(
        _ method: HTTPRequest.Method, _ target: String, _ document: JSONValue?
    ) async throws -> JSONValue {
        var request = HTTPRequest(
            url: url + target, method: method,
            headers: [("Authorization", "Bearer \(try credentials.token())"), ("Accept", "application/json")],
            timeLimit: .seconds(120))
        request.takesEveryStatus = true
        if let document {
            request.headers.append(("Content-Type", "application/json"))
            request.body = HTTPRequestBody(Array(document.serialized().utf8))
        }
        let (head, body) = try await http.data(for: request, limit: Self.answerLimit)
        switch head.status {
        case 200..<300: return body.isEmpty ? .null : try Self.parse(body, url)
        case 429, 502, 503, 504:
            throw HTTPClientError(
                .status, "The host at \(url) is busy or just being started (status \(head.status)).",
                status: head.status, retryAfter: head.headers["Retry-After"].flatMap { Int64($0) }.map { .seconds($0) })
        case 300..<400:
            throw HostingClientError(
                .host, "The host at \(url) has moved to \(head.headers["Location"] ?? "another place"). Name that one.",
                status: head.status)
        default: throw HostingClientError(status: head.status, body: body, "\(method.rawValue) \(target)")
        }
    }

    private static func parse(_ body: [UInt8], _ url: String) throws -> JSONValue {
        do {
            return try JSONParser.parse(body).value
        } catch {
            throw HostingClientError(
                .host, "The host at \(url) does not answer as App Store Connect does. Check its address.", cause: error)
        }
    }

    /// The path and query of an address of this host; nil for another's.
    private func target(of address: String) -> String? {
        guard let start = address.firstRange(of: "/v1/") else { return nil }
        return String(address[start.lowerBound...])
    }

    private static func encode(_ text: String) -> String { PercentEncoding.encode(text) }
}
