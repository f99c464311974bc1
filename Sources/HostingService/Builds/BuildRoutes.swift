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
        reader.addRelated(.preReleaseVersions, "builds", to: &router)
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
