// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// Shows apps, and changes what publishers may change about them.
struct AppRoutes: Sendable {
    private static let declarations = ["DOES_NOT_USE_THIRD_PARTY_CONTENT", "USES_THIRD_PARTY_CONTENT"]

    let context: HostContext
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        reader.addList(.apps, to: &router)
        reader.addGet(.apps, to: &router)
        router.add("PATCH", "/v1/apps/{id}", .needs(.manage)) { try await update($0) }
    }

    private func update(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .apps, id: request.id,
            attributes: ["accessibilityUrl", "bundleId", "contentRightsDeclaration", "primaryLocale"])
        let bundleID = try body.text("bundleId")
        if let bundleID, !AppIdentifier.isIdentifier(bundleID) {
            throw APIError.attribute("INVALID", "bundleId", AppIdentifier.refusal(of: bundleID))
        }
        var changes: [String: JSONValue] = [:]
        changes["bundleId"] = bundleID.map { .string($0) }
        changes["accessibilityUrl"] = try body.text("accessibilityUrl", maximumLength: 2048).map { .string($0) }
        changes["primaryLocale"] = try body.text("primaryLocale", maximumLength: 64).map { .string($0) }
        changes["contentRightsDeclaration"] = try body.choice("contentRightsDeclaration", of: Self.declarations)
            .map { .string($0) }
        let app = try await context.database.write { [changes] store in
            var app = try store.require(.apps, request.id, for: request.caller)
            if let bundleID, bundleID != app.text("bundleId") { try checkMayBeCalled(bundleID, app, in: store) }
            for (name, value) in changes { app[name] = value }
            try store.update(app)
            return app
        }
        return try await reader.show(app)
    }

    /// Devices ask for an app by its bundle identifier, so that it stays from the first upload on.
    private func checkMayBeCalled(_ bundleID: String, _ app: ResourceRecord, in store: borrowing Connection) throws {
        for type in [ResourceType.builds, .backgroundAssets]
        where try !store.records(type, where: ["app": .text(app.id)]).isEmpty {
            throw APIError.state("The bundle identifier of an app that has builds or packs stays as it is.")
        }
        guard try store.records(.apps, where: ["bundleId": .text(bundleID)]).isEmpty else {
            throw APIError.attribute("INVALID.DUPLICATE", "bundleId", "There is an app \"\(bundleID)\" already.")
        }
    }
}
