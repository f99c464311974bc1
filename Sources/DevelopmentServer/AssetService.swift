// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Crypto
internal import HTTP
internal import Kit
internal import PackUpdates

/// The routes: `/manifest`, `/assets/<pack id>`, its `.index`, patches and lists, and `/` for people.
final class AssetService: Sendable {
    private let shelf: PackShelf
    private let plan: Locked<FaultPlan>
    private let base = Locked("")

    init(shelf: PackShelf, plan: FaultPlan) {
        self.shelf = shelf
        self.plan = Locked(plan)
    }

    /// The address under which the server announces its archives; known once it listens.
    func setBase(_ url: String) { base.withLock { $0 = url } }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            var response = HTTPServerResponse.text(405, "Only GET and HEAD.")
            response.headers["Allow"] = "GET, HEAD"
            return response
        }
        if request.path == "/manifest" { return await manifest(request) }
        if request.path == "/" { return await index() }
        let prefix = "/assets/"
        guard request.path.hasPrefix(prefix) else {
            return .text(404, "Nothing here. There are /manifest and /assets/<pack id>.")
        }
        return await asset(String(request.path.dropFirst(prefix.count)), request)
    }

    private func manifest(_ request: HTTPServerRequest) async -> HTTPServerResponse {
        let base = announcedBase(request)
        let platform = request.query.first { $0.name == "platform" }.flatMap { AssetPackPlatform(rawValue: $0.value) }
        let packs = await shelf.view().packs.filter { pack in
            platform.map { pack.contents.manifest.supports($0) } ?? true
        }
        let bytes = DownloadManifest(assetPacks: packs.map { $0.entry(base: base) }).serialized
        let etag = "\"\(SHA256.hash(bytes).hex)\""
        var response: HTTPServerResponse
        if let known = request.headers["If-None-Match"], EntityTags(known).contains(weak: etag) {
            response = HTTPServerResponse(status: 304)
        } else {
            response = .json(bytes)
        }
        response.headers["ETag"] = etag
        response.headers["Cache-Control"] = "no-cache"
        return spoiled(response, .manifest, request, size: Int64(bytes.count))
    }

    private func asset(_ id: String, _ request: HTTPServerRequest) async -> HTTPServerResponse {
        let view = await shelf.view()
        guard let pack = view.packs.first(where: { $0.id == id }) else {
            if let index = packIndex(id, request, view.packs) { return index }
            if let patch = patch(id, request, view.packs) { return patch }
            if let list = list(id, request, view.packs) { return list }
            return .text(404, "There is no pack \"\(id)\" here.")
        }
        if view.unavailable.contains(id) {
            var response = HTTPServerResponse.text(503, "The archive of \"\(id)\" is being written.")
            response.headers["Retry-After"] = "1"
            return response
        }
        let answer = FileAnswer(
            file: pack.file, size: pack.contents.archiveSize, etag: pack.etag, contentType: "application/octet-stream")
        return spoiled(answer.response(to: request), .asset(id), request, size: pack.contents.archiveSize)
    }

    /// The index beside a pack's archive, under the pack's address and `.index`.
    private func packIndex(
        _ name: String, _ request: HTTPServerRequest, _ packs: [ServedPack]
    ) -> HTTPServerResponse? {
        guard name.hasSuffix(PackIndex.fileSuffix) else { return nil }
        let id = String(name.dropLast(PackIndex.fileSuffix.count))
        guard let index = packs.first(where: { $0.id == id })?.index else { return nil }
        return small(index.bytes, sha256: index.sha256, .index(id), request)
    }

    private func small(
        _ bytes: [UInt8], sha256: String, _ resource: FaultResource, _ request: HTTPServerRequest
    ) -> HTTPServerResponse {
        let response = HTTPServerResponse(
            status: 200, headers: ["Content-Type": "application/octet-stream", "ETag": "\"\(sha256)\""],
            body: [.bytes(bytes)])
        return spoiled(response, resource, request, size: Int64(bytes.count))
    }

    /// The list beside a patch, under the pack's address and `.from-<version>.list`.
    private func list(_ name: String, _ request: HTTPServerRequest, _ packs: [ServedPack]) -> HTTPServerResponse? {
        for pack in packs {
            guard let version = ServedPatch.version(ofList: name, stem: pack.id),
                let list = pack.patches.first(where: { $0.from == version })?.list
            else { continue }
            return small(list.bytes, sha256: list.sha256, .list(pack.id), request)
        }
        return nil
    }

    /// A patch beside a pack's archive, under the pack's address and `.from-<version>.patch`.
    private func patch(_ name: String, _ request: HTTPServerRequest, _ packs: [ServedPack]) -> HTTPServerResponse? {
        for pack in packs {
            guard let version = ServedPatch.version(name, stem: pack.id),
                let patch = pack.patches.first(where: { $0.from == version })
            else { continue }
            let answer = FileAnswer(
                file: patch.file, size: patch.size, etag: "\"\(patch.sha256)\"", contentType: "application/octet-stream"
            )
            return spoiled(answer.response(to: request), .patch(pack.id), request, size: patch.size)
        }
        return nil
    }

    private func index() async -> HTTPServerResponse {
        let packs = await shelf.view().packs
        let lines = packs.map {
            "/assets/\($0.id)  version \($0.version)  \(ByteCount.formatted($0.contents.archiveSize))"
        }
        return .text(200, (["/manifest"] + lines).joined(separator: "\n"))
    }

    private func spoiled(
        _ response: HTTPServerResponse, _ resource: FaultResource, _ request: HTTPServerRequest, size: Int64
    ) -> HTTPServerResponse {
        let fault = plan.withLock { $0.fault(for: resource, isHead: request.method == "HEAD") }
        guard let fault else { return response }
        return fault.spoil(response, to: request, size: size, base: announcedBase(request))
    }

    /// The address the client used, so that a device that knows this machine by another name finds the archives, too.
    private func announcedBase(_ request: HTTPServerRequest) -> String {
        guard let host = request.headers["Host"], DownloadURL.problem(with: "https://\(host)") == nil,
            !host.contains(where: { "/?#".contains($0) })
        else { return base.withLock { $0 } }
        return "https://\(host)"
    }
}
