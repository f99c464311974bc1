// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// Makes and archives packs, and announces their versions (BA 4.3).
struct PackRoutes: Sendable {
    let context: HostContext
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        router.add("POST", "/v1/backgroundAssets", .needs(.upload)) { try await createPack($0) }
        router.add("PATCH", "/v1/backgroundAssets/{id}", .needs(.manage)) { try await updatePack($0) }
        router.add("POST", "/v1/backgroundAssetVersions", .needs(.upload)) { try await createVersion($0) }
        reader.addGet(.backgroundAssets, to: &router)
        reader.addGet(.backgroundAssetVersions, to: &router)
        reader.addRelated(.backgroundAssets, "versions", to: &router)
        reader.addRelated(.backgroundAssetVersions, "backgroundAssetUploadFiles", to: &router)
        reader.addRelated(.apps, "backgroundAssets", to: &router)
        for type in [ResourceType.internalBetaReleases, .externalBetaReleases, .appStoreReleases] {
            reader.addGet(type, to: &router)
        }
    }

    private func createPack(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .backgroundAssets, attributes: ["assetPackIdentifier"], relationships: ["app"])
        let name = try body.required(
            "assetPackIdentifier",
            body.text("assetPackIdentifier", maximumLength: AssetPackIdentifier.maximumLength))
        if let problem = AssetPackIdentifier.problem(with: name) {
            throw APIError.attribute("INVALID", "assetPackIdentifier", "The identifier \(problem).")
        }
        let appID = try body.requiredLink("app", to: .apps)
        let pack = ResourceRecord(
            .backgroundAssets, id: Identifier.random(), app: appID,
            values: [
                "app": .string(appID), "assetPackIdentifier": .string(name), "archived": false, "usedBytes": 0,
                "createdDate": .string(context.now), "lastVersion": 0,
            ])
        try await context.database.write { store in
            _ = try store.require(.apps, appID, as: "app", for: request.caller)
            guard
                try store.records(.backgroundAssets, where: ["app": .text(appID), "assetPackIdentifier": .text(name)])
                    .isEmpty
            else {
                throw APIError.attribute(
                    "INVALID.DUPLICATE", "assetPackIdentifier", "The app has a pack '\(name)' already.")
            }
            try checkRoom(for: appID, in: store)
            try store.insert(pack)
        }
        return try await reader.show(pack, status: 201)
    }

    private func updatePack(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .backgroundAssets, id: request.id, attributes: ["archived"])
        let archived = try body.flag("archived")
        let pack = try await context.database.write { store in
            var pack = try store.require(.backgroundAssets, request.id, for: request.caller)
            guard let archived, archived != pack.flag("archived") else { return pack }
            if !archived { try checkRoom(for: pack.app, in: store) }
            pack["archived"] = .bool(archived)
            try store.update(pack)
            if !archived { try store.prepareUpdates(to: pack) }
            return pack
        }
        return try await reader.show(pack)
    }

    private func checkRoom(for app: String, in store: borrowing Connection) throws {
        let packs = try store.records(.backgroundAssets, where: ["app": .text(app), "archived": 0])
        guard packs.count < context.limits.packsPerApp else {
            throw APIError.state(
                "STATE_ERROR.LIMIT_REACHED",
                "The app has \(packs.count) packs, as many as it may have. Archive one that is no longer needed.")
        }
    }

    private func createVersion(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .backgroundAssetVersions, relationships: ["backgroundAsset"])
        let packID = try body.requiredLink("backgroundAsset", to: .backgroundAssets)
        let id = Identifier.random()
        let version = try await context.database.write { store in
            var pack = try store.require(.backgroundAssets, packID, as: "backgroundAsset", for: request.caller)
            guard !pack.flag("archived") else {
                throw APIError.state("STATE_ERROR.ARCHIVED", "The pack is archived. Take it out of the archive first.")
            }
            // Numbers are given by the host, and none is given twice.
            let number = (pack.integer("lastVersion") ?? 0) + 1
            pack["lastVersion"] = .integer(number)
            try store.update(pack)
            let version = ResourceRecord(
                .backgroundAssetVersions, id: id, app: pack.app,
                values: [
                    "backgroundAsset": .string(pack.id), "version": .integer(number),
                    "createdDate": .string(context.now), "state": .string(VersionState.initial.rawValue),
                ])
            try store.insert(version)
            return version
        }
        return try await reader.show(version, status: 201)
    }
}
