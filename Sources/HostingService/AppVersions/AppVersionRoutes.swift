// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// Makes and changes an app's versions in the App Store, and says which build each has (BA 4.6).
struct AppVersionRoutes: Sendable {
    let context: HostContext
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        reader.addGet(.appStoreVersions, to: &router)
        reader.addRelated(.apps, "appStoreVersions", to: &router)
        reader.addRelated(.appStoreVersions, "build", to: &router)
        router.add("POST", "/v1/appStoreVersions", .needs(.manage)) { try await create($0) }
        router.add("PATCH", "/v1/appStoreVersions/{id}", .needs(.manage)) { try await update($0) }
        router.add("DELETE", "/v1/appStoreVersions/{id}", .needs(.manage)) { try await delete($0) }
        router.add("PATCH", "/v1/appStoreVersions/{id}/relationships/build", .needs(.manage)) {
            try await choose($0)
        }
    }

    private func create(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .appStoreVersions,
            attributes: ["copyright", "platform", "releaseType", "reviewType", "versionString"],
            relationships: ["app", "build"])
        let appID = try body.requiredLink("app", to: .apps)
        let buildID = try body.link("build", to: .builds)
        let state = AppVersionState.initial
        var version = ResourceRecord(
            .appStoreVersions, id: Identifier.random(), app: appID,
            values: [
                "app": .string(appID), "appVersionState": .string(state.rawValue),
                "appStoreState": .string(state.storeState), "createdDate": .string(context.now),
                "earliestReleaseDate": .string(context.now), "copyright": "", "downloadable": true,
                "platform": .string(try body.required("platform", body.choice("platform", of: Platform.names))),
                "releaseType": "AFTER_APPROVAL", "reviewType": "APP_STORE",
            ])
        _ = try body.required("versionString", body.value("versionString"))
        try take(body, into: &version)
        let made = try await context.database.write { [version] store in
            var version = version
            _ = try store.require(.apps, appID, as: "app", for: request.caller)
            try AppVersions.checkIsNew(version, in: store)
            try store.insert(version)
            if let buildID {
                let build = try store.require(.builds, buildID, as: "build", for: request.caller)
                try AppVersions.choose(build, for: &version, in: store)
            }
            return version
        }
        return try await reader.show(made, status: 201)
    }

    private func update(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .appStoreVersions, id: request.id,
            attributes: ["copyright", "releaseType", "reviewType", "versionString"], relationships: ["build"])
        let buildID = try body.link("build", to: .builds)
        let version = try await context.database.write { store in
            var version = try AppVersions.editable(request.id, for: request.caller, in: store)
            let name = version.text("versionString")
            try take(body, into: &version)
            if version.text("versionString") != name { try AppVersions.checkIsNew(version, in: store) }
            try store.update(version)
            if let buildID {
                let build = try store.require(.builds, buildID, as: "build", for: request.caller)
                try AppVersions.choose(build, for: &version, in: store)
            }
            return version
        }
        return try await reader.show(version)
    }

    /// Takes over the attributes that are there.
    /// - Throws: `APIError`
    private func take(_ body: RequestDocument, into version: inout ResourceRecord) throws(APIError) {
        if let name = try body.text("versionString", maximumLength: 64) { version["versionString"] = .string(name) }
        if let text = try body.text("copyright") { version["copyright"] = .string(text) }
        if let type = try body.choice("releaseType", of: ["AFTER_APPROVAL", "MANUAL", "SCHEDULED"]) {
            guard type == "AFTER_APPROVAL" else {
                throw .attribute(
                    "INVALID", "releaseType",
                    "What is approved is released at once here, together with its packs: AFTER_APPROVAL is the only release "
                        + "type. To choose the moment, have the version approved then; to begin with few devices, stage its packs."
                )
            }
            version["releaseType"] = .string(type)
        }
        if let type = try body.choice("reviewType", of: ["APP_STORE"]) { version["reviewType"] = .string(type) }
    }

    private func choose(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let buildID = try RequestDocument.linkage(request.http.body, to: .builds)
        try await context.database.write { store in
            var version = try AppVersions.editable(request.id, for: request.caller, in: store)
            let build = try buildID.map { try store.require(.builds, $0, as: "build", for: request.caller) }
            try AppVersions.choose(build, for: &version, in: store)
        }
        return .noContent
    }

    private func delete(_ request: RouteRequest) async throws -> HTTPServerResponse {
        try await context.database.write { store in
            var version = try AppVersions.editable(request.id, for: request.caller, in: store)
            try AppVersions.choose(nil, for: &version, in: store)
            try store.delete(.appStoreVersions, version.id)
        }
        return .noContent
    }
}
