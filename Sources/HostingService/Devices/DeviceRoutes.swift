// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AppBundles
internal import AssetPacks
internal import Crypto
internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// What devices ask for: an app's download manifest in a channel, and archives by their digest (E4).
struct DeviceRoutes: Sendable {
    let context: HostContext
    private let documents: DeviceDocuments
    private let openArchives = OpenArchives()

    init(context: HostContext) {
        self.context = context
        documents = DeviceDocuments(context.changes) { context.clock().seconds }
    }

    func addRoutes(to router: inout Router) {
        router.add("GET", "/devices/{app}/{channel}/manifest", .open) { request in
            try await documents.answer(to: request.http) { try await manifest(request) }
        }
        router.add("GET", "/devices/{app}/{channel}/build", .open) { request in
            try await documents.answer(to: request.http) { try await build(request) }
        }
        router.add("GET", "/archives/{digest}", .open) { try await archive($0) }
    }

    /// An answer that is at hand; nil for all that the routes must answer. Called on a thread of the server.
    func immediate(_ head: HTTPRequestHead) -> HTTPServerResponse? {
        if head.path.hasPrefix("/archives/") { return openArchives.answer(to: head) }
        if head.path.hasPrefix("/devices/") { return documents.answer(to: head) }
        return nil
    }

    /// The app and the channel that a device asks about, and may.
    private func subject(_ request: RouteRequest) async throws -> (bundleID: String, channel: Channel) {
        guard let channel = Channel(rawValue: request.parameters["channel"] ?? "") else { throw APIError.noSuchPath }
        let bundleID = request.parameters["app"] ?? ""
        try await ChannelGate(database: context.database).check(request.http, app: bundleID, channel: channel)
        return (bundleID, channel)
    }

    private func manifest(_ request: RouteRequest) async throws -> DeviceDocuments.Document {
        let (bundleID, channel) = try await subject(request)
        // A device may add arguments of its own; a system that is not known here gets what is for all.
        let platform = request.http.query.first { $0.name == "platform" }.flatMap { Platform(manifestName: $0.value) }
        let device = AskingDevice(query: request.http.query)
        let offered = try await context.database.read { store in
            guard let app = try store.records(.apps, where: ["bundleId": .text(bundleID)]).first else {
                throw APIError.noSuchPath
            }
            return try OfferedVersions(app: app.id, channel, for: device, in: store)
        }
        let archives = try await context.archives.signer(base: context.baseURL)
        let entries = offered.offers.filter { offer in
            platform.map { offer.version.words("platforms").contains($0.rawValue) } ?? true
        }.compactMap { VersionContent.entry(of: $0.version, archives, rollout: $0.rollout) }
        let sorted = entries.sorted { ($0["id"]?.stringValue ?? "") < ($1["id"]?.stringValue ?? "") }
        let bytes = Array(JSONValue.object(["assetPacks": .array(sorted)]).serialized(.pretty).utf8)
        var response = Self.document(bytes)
        // The arguments are part of the address, so that what is for one device is kept apart from what is for another; a
        // cache that leaves them out of its key must not keep it at all.
        if offered.dependsOnDevice { response.headers["Cache-Control"] = "private, no-cache" }
        return DeviceDocuments.Document(response: response, goodUntil: archives.goodUntil)
    }

    /// The build that the channel installs.
    private func build(_ request: RouteRequest) async throws -> DeviceDocuments.Document {
        let (bundleID, channel) = try await subject(request)
        let name = request.http.query.first { $0.name == "platform" }?.value
        let platform = name.flatMap { Platform(manifestName: $0) } ?? .linux
        let record = try await context.database.read { store in
            guard let app = try store.records(.apps, where: ["bundleId": .text(bundleID)]).first else {
                throw APIError.noSuchPath
            }
            return try BuildReleases.live(app.id, channel, platform, in: store)
        }
        let archives = try await context.archives.signer(base: context.baseURL)
        guard let record, let build = BuildContent.build(of: record, archives) else {
            throw APIError(
                404, "NOT_FOUND", "There is no build.",
                "The channel \(channel.rawValue) has no build of \(bundleID) for \(name ?? "Linux").")
        }
        return DeviceDocuments.Document(
            response: Self.document(try JSONCoder.encode(build)), goodUntil: archives.goodUntil)
    }

    /// What is answered to a device that has nothing yet.
    private static func document(_ bytes: [UInt8]) -> HTTPServerResponse {
        var response = HTTPServerResponse.json(bytes)
        response.headers["ETag"] = "\"\(SHA256.hash(bytes).hex)\""
        response.headers["Cache-Control"] = "no-cache"
        return response
    }

    private func archive(_ request: RouteRequest) async throws -> HTTPServerResponse {
        guard let digest = Digest(hex: request.parameters["digest"] ?? "") else { throw APIError.noSuchPath }
        let lifetime = try await context.archives.check(request.http, for: digest)
        guard let archive = try await context.blobs.archive(digest, for: request.http.method) else {
            throw APIError.noSuchPath
        }
        let file: ServedFile
        switch archive {
        case .file(let own): file = own
        case .address(let address):
            // Good for a while and for one method only: nobody is to keep it in the place of this address.
            return HTTPServerResponse(status: 307, headers: ["Location": address, "Cache-Control": "no-store"])
        }
        let size = try file.withDescriptor { try $0.status().size }
        // Under this name there will never be anything else, as long as it is good.
        let answer = FileAnswer(
            file: file, size: size, etag: "\"\(digest.hex)\"", contentType: "application/octet-stream",
            cacheControl: lifetime.map { "private, max-age=\($0), immutable" } ?? "public, max-age=31536000, immutable")
        // A signed address is looked at each time.
        if lifetime == nil { openArchives.keep(answer, path: request.http.path) }
        return answer.response(to: request.http)
    }
}
