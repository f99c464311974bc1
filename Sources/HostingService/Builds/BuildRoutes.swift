// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// Announces uploads of builds, shows builds, and releases them to channels (E6).
struct BuildRoutes: Sendable {
    let context: HostContext
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        router.add("POST", "/v1/buildUploads", .needs(.upload)) { try await announce($0) }
        router.add("POST", "/v1/buildReleases", .needs(.manage)) { try await release($0) }
        for type in [ResourceType.builds, .buildUploads, .preReleaseVersions, .buildReleases] {
            reader.addGet(type, to: &router)
        }
        reader.addList(.builds, to: &router)
        reader.addList(.preReleaseVersions, to: &router)
        for name in ["builds", "buildUploads", "buildReleases"] { reader.addRelated(.apps, name, to: &router) }
        reader.addRelated(.apps, "preReleaseVersions", to: &router)
        for name in ["builds", "app"] { reader.addRelated(.preReleaseVersions, name, to: &router) }
        for name in ["app", "appStoreVersion", "preReleaseVersion"] { reader.addRelated(.builds, name, to: &router) }
        router.add("PATCH", "/v1/builds/{id}", .needs(.manage)) { try await update($0) }
        reader.addRelated(.buildUploads, "buildUploadFiles", to: &router)
    }

    private func announce(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .buildUploads,
            attributes: ["cfBundleShortVersionString", "cfBundleVersion", "platform"], relationships: ["app"])
        var values: [String: JSONValue] = [:]
        for name in ["cfBundleShortVersionString", "cfBundleVersion"] {
            values[name] = .string(try body.required(name, body.text(name, maximumLength: 64)))
        }
        values["platform"] = .string(try body.required("platform", body.choice("platform", of: Platform.names)))
        let appID = try body.requiredLink("app", to: .apps)
        let state = VersionState.initial
        values["app"] = .string(appID)
        values["createdDate"] = .string(context.now)
        values["step"] = .string(state.rawValue)
        values["state"] = state.uploadState()
        let upload = ResourceRecord(.buildUploads, id: Identifier.random(), app: appID, values: values)
        try await context.database.write { store in
            _ = try store.require(.apps, appID, as: "app", for: request.caller)
            if try BuildPublication.build(of: upload, in: store) != nil {
                throw APIError.attribute(
                    "INVALID.DUPLICATE", "cfBundleVersion",
                    "The app has this build of this version already. Give each build a number of its own.")
            }
            try store.insert(upload)
        }
        return try await reader.show(upload, status: 201)
    }

    private func update(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .builds, id: request.id, attributes: ["expired", "usesNonExemptEncryption"])
        let (isExpired, isEncrypted) = (try body.flag("expired"), try body.flag("usesNonExemptEncryption"))
        let build = try await context.database.write { store in
            var build = try store.require(.builds, request.id, for: request.caller)
            if let isExpired {
                guard isExpired || !build.flag("expired") else {
                    throw APIError.state("A build that has expired stays so. Upload it as a new build.")
                }
                build["expired"] = .bool(isExpired)
            }
            if let isEncrypted { build["usesNonExemptEncryption"] = .bool(isEncrypted) }
            try store.update(build)
            return build
        }
        return try await reader.show(build)
    }

    private func release(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .buildReleases, attributes: ["channel"], relationships: ["build"])
        let name = try body.required("channel", body.choice("channel", of: Channel.allCases.map(\.rawValue)))
        let buildID = try body.requiredLink("build", to: .builds)
        let release = try await context.database.write { store in
            let build = try store.require(.builds, buildID, as: "build", for: request.caller)
            guard build.text("processingState") == "VALID", !build.flag("expired"),
                let channel = Channel(rawValue: name),
                let version = try build.text("preReleaseVersion").flatMap({ try store.record(.preReleaseVersions, $0) })
            else { throw APIError.state("STATE_ERROR.BUILD_UNUSABLE", "The build cannot be released.") }
            return try BuildReleases.release(
                build, channel, platform: version.text("platform") ?? "", now: context.now, in: store)
        }
        return try await reader.show(release, status: 201)
    }
}
