// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HTTP
internal import HostingModel
internal import Kit

/// A request on its way to a route, with what the path named and who asks.
struct RouteRequest: Sendable {
    let http: HTTPServerRequest
    /// What stood in the path where the route has `{name}`.
    let parameters: [String: String]
    private let known: Caller?

    init(_ http: HTTPServerRequest, parameters: [String: String], caller: Caller?) {
        self.http = http
        self.parameters = parameters
        known = caller
    }

    var id: String { parameters["id"] ?? "" }

    /// Who asks. On open routes nobody is known, and nothing is his.
    var caller: Caller { known ?? Caller(keyID: "", role: .reviewer, apps: []) }
}

/// Leads each request to the one route for its method and path.
struct Router: Sendable {
    typealias Handler = @Sendable (RouteRequest) async throws -> HTTPServerResponse

    /// Who may take a route.
    enum Access: Sendable {
        /// Everybody; the route itself sees to what else is needed.
        case open
        case needs(Role.Permission)
    }

    /// What a request leads to.
    enum Match {
        case route(Route, [String: String])
        /// The path is known under other methods.
        case otherMethods([String])
        case none
    }

    struct Route: Sendable {
        let method: String
        let access: Access
        let handler: Handler
        fileprivate let pattern: [Segment]
    }

    fileprivate enum Segment: Hashable, Sendable {
        case word(String)
        case parameter(String)
    }

    /// By the number of segments and the first of them, so that few are compared.
    private var routes: [Key: [Route]] = [:]

    private struct Key: Hashable {
        let count: Int
        let second: String
    }

    /// - Parameter pattern: a path whose segments are words, or `{name}` for any one segment.
    mutating func add(_ method: String, _ pattern: String, _ access: Access, _ handler: @escaping Handler) {
        let segments = pattern.split(separator: "/").map { segment in
            segment.first == "{" ? Segment.parameter(String(segment.dropFirst().dropLast())) : .word(String(segment))
        }
        var second = ""
        if segments.count > 1, case .word(let word) = segments[1] { second = word }
        routes[Key(count: segments.count, second: second), default: []].append(
            Route(method: method, access: access, handler: handler, pattern: segments))
    }

    func match(_ method: String, _ path: String) -> Match {
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { return .none }
        let segments = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        let method = method == "HEAD" ? "GET" : method
        var others: [String] = []
        for second in segments.count > 1 ? [segments[1], ""] : [""] {
            for route in routes[Key(count: segments.count, second: second)] ?? [] {
                guard let parameters = Self.parameters(of: segments, in: route.pattern) else { continue }
                if route.method == method { return .route(route, parameters) }
                others.append(route.method)
            }
        }
        return others.isEmpty ? .none : .otherMethods(others)
    }

    private static func parameters(of segments: [String], in pattern: [Segment]) -> [String: String]? {
        var parameters: [String: String] = [:]
        for (segment, expected) in zip(segments, pattern) {
            switch expected {
            case .word(let word):
                guard word == segment else { return nil }
            case .parameter(let name):
                guard !segment.isEmpty else { return nil }
                parameters[name] = segment
            }
        }
        return parameters
    }
}
