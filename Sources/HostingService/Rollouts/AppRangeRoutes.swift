// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// Says which versions of its app a version of a pack suits (G3).
struct AppRangeRoutes: Sendable {
    private static let names: Set<String> = ["maximumAppVersion", "minimumAppVersion"]

    let context: HostContext
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        reader.addGet(.appRanges, to: &router)
        reader.addList(.appRanges, to: &router)
        router.add("POST", "/v1/\(ResourceType.appRanges)", .needs(.manage)) { try await create($0) }
        router.add("PATCH", "/v1/\(ResourceType.appRanges)/{id}", .needs(.manage)) { try await update($0) }
        router.add("DELETE", "/v1/\(ResourceType.appRanges)/{id}", .needs(.manage)) { try await delete($0) }
    }

    private func create(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .appRanges, attributes: Self.names, relationships: ["backgroundAssetVersion"])
        let versionID = try body.requiredLink("backgroundAssetVersion", to: .backgroundAssetVersions)
        let range = try await context.database.write { store in
            let version = try store.require(
                .backgroundAssetVersions, versionID, as: "backgroundAssetVersion", for: request.caller)
            if let present = try store.records(
                .appRanges, where: ["backgroundAssetVersion": .text(versionID)]
            ).first {
                throw APIError.state(
                    "STATE_ERROR.APP_RANGE_EXISTS", "The version has a range already: \(present.id). Change that one.")
            }
            var range = ResourceRecord(
                .appRanges, id: Identifier.random(), app: version.app,
                values: ["app": .string(version.app), "backgroundAssetVersion": .string(versionID)])
            try Self.take(body, into: &range)
            try store.insert(range)
            return range
        }
        return try await reader.show(range, status: 201)
    }

    private func update(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(request.http.body, type: .appRanges, id: request.id, attributes: Self.names)
        let range = try await context.database.write { store in
            var range = try store.require(.appRanges, request.id, for: request.caller)
            try Self.take(body, into: &range)
            try store.update(range)
            return range
        }
        return try await reader.show(range)
    }

    /// Takes over the ends that are there; one that is null goes.
    private static func take(_ body: RequestDocument, into range: inout ResourceRecord) throws(APIError) {
        for name in names.sorted() {
            if body.clears(name) { range[name] = nil }
            guard let text = try body.text(name, maximumLength: 64) else { continue }
            guard AppVersion(text) != nil else {
                throw .attribute("INVALID", name, "'\(name)' must be whole numbers with dots between, as 2.0.1.")
            }
            range[name] = .string(text)
        }
        let (least, most) = (range.text("minimumAppVersion"), range.text("maximumAppVersion"))
        guard least != nil || most != nil else {
            throw .attribute("REQUIRED", "minimumAppVersion", "One end of the range at least must be there.")
        }
        if let least = least.flatMap({ AppVersion($0) }), let most = most.flatMap({ AppVersion($0) }), least > most {
            throw .attribute(
                "INVALID", "maximumAppVersion", "The range ends before it begins, so that it suits nobody.")
        }
    }

    private func delete(_ request: RouteRequest) async throws -> HTTPServerResponse {
        try await context.database.write { store in
            try store.delete(.appRanges, store.require(.appRanges, request.id, for: request.caller).id)
        }
        return .noContent
    }
}
