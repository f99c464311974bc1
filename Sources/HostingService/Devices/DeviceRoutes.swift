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
        let (offered, generation) = try await offers(bundleID, channel, device)
        let archives = try await context.archives.signer(base: context.baseURL)
        let entries = offered.offers.filter { offer in
            platform.map { offer.version.words("platforms").contains($0.rawValue) } ?? true
        }.compactMap { offer in
            VersionContent.entry(of: offer.version, archives, updates: offer.updates, rollout: offer.rollout)
        }
        let sorted = entries.sorted { ($0["id"]?.stringValue ?? "") < ($1["id"]?.stringValue ?? "") }
        let subject = generation.map { generation in
            ManifestSigning.Subject(
                app: bundleID,
                platforms: AssetPackPlatform.allCases.map(\.rawValue).filter {
                    platform == nil || Platform(manifestName: $0) == platform
                },
                channel: channel.rawValue, keySets: generation.keySets, generation: generation.number)
        }
        let (manifest, end) = signed(sorted, subject)
        var response = Self.document(Array(manifest.serialized(.pretty).utf8))
        // The arguments are part of the address, so that what is for one device is kept apart from what is for another; a
        // cache that leaves them out of its key must not keep it at all.
        if offered.dependsOnDevice { response.headers["Cache-Control"] = "private, no-cache" }
        return DeviceDocuments.Document(
            response: response, goodUntil: [archives.goodUntil, end].compactMap(\.self).min())
    }

    /// What a device gets, and which in a row that is; nil when nothing is signed.
    private func offers(
        _ bundleID: String, _ channel: Channel, _ device: AskingDevice
    ) async throws -> (OfferedVersions, ManifestGeneration?) {
        let now = context.clock().seconds
        let isSigned = context.manifestSigning != nil
        let look: @Sendable (borrowing Connection, Bool) throws -> (OfferedVersions, ManifestGeneration?) = {
            store, mayCount in
            guard let app = try store.records(.apps, where: ["bundleId": .text(bundleID)]).first else {
                throw APIError.noSuchPath
            }
            var offered = try OfferedVersions(app: app.id, channel, for: device, in: store)
            try offered.findUpdates(in: store)
            guard isSigned else { return (offered, nil) }
            return (
                offered,
                mayCount
                    ? try store.countManifestGeneration(app, now: now) : try store.manifestGeneration(app)
            )
        }
        let known = try await context.database.read { try look($0, false) }
        guard isSigned, known.1 == nil else { return known }
        // In one transaction with what is offered: no older offer gets a newer number.
        return try await context.database.write { try look($0, true) }
    }

    /// The manifest, signed if the host signs, and until when that is good.
    private func signed(_ packs: [JSONValue], _ subject: ManifestSigning.Subject?) -> (JSONValue, Int64?) {
        guard let signing = context.manifestSigning, let subject else { return (["assetPacks": .array(packs)], nil) }
        do {
            return try signing.sign(packs, subject, now: context.clock().seconds)
        } catch {
            // Devices with keys refuse it and say so; all others are served as ever.
            context.log.error("A manifest could not be signed.", ["app": subject.app, "error": "\(error)"])
            return (["assetPacks": .array(packs)], nil)
        }
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
