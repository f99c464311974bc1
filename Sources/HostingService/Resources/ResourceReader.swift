// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// Answers all requests that read resources, from their descriptions alone.
struct ResourceReader: Sendable {
    private let context: HostContext
    private let catalog = ResourceCatalog.standard
    private let presenter: ResourcePresenter

    init(_ context: HostContext) {
        self.context = context
        presenter = ResourcePresenter(context)
    }

    // MARK: Routes

    /// `GET /v1/<type>/{id}`
    func addGet(_ type: ResourceType, to router: inout Router) {
        router.add("GET", "/v1/\(type)/{id}", .needs(.read)) { try await get(type, $0) }
    }

    /// `GET /v1/<type>`
    /// - Parameter required: filters that must be there.
    func addList(_ type: ResourceType, required: [String] = [], to router: inout Router) {
        router.add("GET", "/v1/\(type)", .needs(.read)) { request in
            // Reviewers look at all apps at once.
            let required = request.caller.role == .reviewer ? [] : required
            let parsed = try QueryParser(type, .list, catalog: catalog, required: required).parse(request.http.query)
            return try await list(parsed, request)
        }
    }

    /// `GET /v1/<type>/{id}/<relationship>`, and `.../relationships/<relationship>` for the identifiers alone.
    func addRelated(_ type: ResourceType, _ name: String, to router: inout Router) {
        guard let relationship = catalog[type].relationship(name) else { return }
        guard case .toMany(let inverse) = relationship.kind else {
            router.add("GET", "/v1/\(type)/{id}/\(name)", .needs(.read)) { try await named(type, relationship, $0) }
            router.add("GET", "/v1/\(type)/{id}/relationships/\(name)", .needs(.read)) {
                try await linkage(type, relationship, $0)
            }
            return
        }
        router.add("GET", "/v1/\(type)/{id}/\(name)", .needs(.read)) { request in
            try await related(type, relationship.target, inverse, .list, request)
        }
        router.add("GET", "/v1/\(type)/{id}/relationships/\(name)", .needs(.read)) { request in
            try await related(type, relationship.target, inverse, .linkages, request)
        }
    }

    // MARK: Answers

    private func get(_ type: ResourceType, _ request: RouteRequest) async throws -> HTTPServerResponse {
        let parsed = try QueryParser(type, .one, catalog: catalog).parse(request.http.query)
        let (record, companions) = try await context.database.read { store in
            let record = try store.require(type, request.id, for: request.caller)
            return (record, try Companions(of: [record], parsed, in: store))
        }
        return try await show(record, parsed, companions, path: request.http.path)
    }

    /// The document of one record, as the answer to a request that made or changed it.
    func show(_ record: ResourceRecord, status: Int = 200) async throws -> HTTPServerResponse {
        let parsed = QueryParser.Parsed(query: ResourceQuery(record.type))
        return try await show(record, parsed, Companions(), path: "/v1/\(record.type)/\(record.id)", status: status)
    }

    private func show(
        _ record: ResourceRecord, _ parsed: QueryParser.Parsed, _ companions: Companions, path: String,
        status: Int = 200
    ) async throws -> HTTPServerResponse {
        let document = document(parsed)
        let data = document.resource(
            try await presenter.present(record), linkages: companions.linkages[record.id] ?? [:])
        let included = try await presenter.present(companions.records).map { document.resource($0) }
        return .document(status, document.single(data, included: included, path: path))
    }

    /// The one resource that a relationship names; null when it names none.
    private func named(
        _ type: ResourceType, _ relationship: ResourceSchema.Relationship, _ request: RouteRequest
    ) async throws -> HTTPServerResponse {
        let parsed = try QueryParser(relationship.target, .one, catalog: catalog).parse(request.http.query)
        let found = try await context.database.read { store in
            let owner = try store.require(type, request.id, for: request.caller)
            let record = try owner.text(relationship.name).flatMap { try store.record(relationship.target, $0) }
            return try record.map { ($0, try Companions(of: [$0], parsed, in: store)) }
        }
        guard let (record, companions) = found else {
            return .document(200, document(parsed).single(.null, path: request.http.path))
        }
        return try await show(record, parsed, companions, path: request.http.path)
    }

    /// Likewise its identifier alone.
    private func linkage(
        _ type: ResourceType, _ relationship: ResourceSchema.Relationship, _ request: RouteRequest
    ) async throws -> HTTPServerResponse {
        if let argument = request.http.query.first { throw QueryParser.illegal(argument.name) }
        let owner = try await context.database.read { try $0.require(type, request.id, for: request.caller) }
        let data = owner.text(relationship.name).map { ResourceDocument.identifier(relationship.target, $0) } ?? .null
        let document = document(QueryParser.Parsed(query: ResourceQuery(type)))
        return .document(200, document.single(data, path: request.http.path))
    }

    private func related(
        _ type: ResourceType, _ target: ResourceType, _ inverse: String, _ form: QueryParser.Form,
        _ request: RouteRequest
    ) async throws -> HTTPServerResponse {
        var parsed = try QueryParser(target, form, catalog: catalog).parse(request.http.query)
        _ = try await context.database.read { try $0.require(type, request.id, for: request.caller) }
        parsed.query.parent = (inverse, request.id)
        return try await list(parsed, request, identifiersOnly: form == .linkages)
    }

    private func list(
        _ parsed: QueryParser.Parsed, _ request: RouteRequest, identifiersOnly: Bool = false
    ) async throws -> HTTPServerResponse {
        var query = parsed.query
        query.apps = request.caller.apps
        let (page, companions) = try await context.database.read { [query] store in
            let page = try store.page(query)
            return (page, try Companions(of: page.records, parsed, in: store))
        }
        let document = document(parsed)
        let data =
            identifiersOnly
            ? page.records.map { ResourceDocument.identifier($0.type, $0.id) }
            : try await presenter.present(page.records).map {
                document.resource($0, linkages: companions.linkages[$0.id] ?? [:])
            }
        let included = try await presenter.present(companions.records).map { document.resource($0) }
        let next = page.next.map { (cursor: $0.text, path: Self.path(request.http, cursor: $0.text)) }
        return .document(
            200,
            document.page(
                data, included: included, path: Self.path(request.http), first: Self.path(request.http, cursor: ""),
                total: page.total, limit: query.limit, next: next))
    }

    private func document(_ parsed: QueryParser.Parsed) -> ResourceDocument {
        ResourceDocument(catalog: catalog, base: context.baseURL, fields: parsed.fields)
    }

    /// The request's path and query, with that cursor in place of its own; without any when it is empty.
    private static func path(_ request: HTTPServerRequest, cursor: String? = nil) -> String {
        var arguments = request.query
        if let cursor {
            arguments.removeAll { $0.name == "cursor" }
            if !cursor.isEmpty { arguments.append((name: "cursor", value: cursor)) }
        }
        let query = arguments.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
        let path = request.path.split(separator: "/", omittingEmptySubsequences: false).map {
            PercentEncoding.encode($0)
        }
        return path.joined(separator: "/") + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}
