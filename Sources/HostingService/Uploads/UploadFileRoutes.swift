// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit
internal import System

/// Reserves files of versions or builds, and takes the word that all their parts were sent (BA 4.3).
struct UploadFileRoutes: Sendable {
    let context: HostContext
    let kind: UploadKind
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        reader.addGet(kind.file, to: &router)
        router.add("POST", "/v1/\(kind.file)", .needs(.upload)) { try await reserve($0) }
        router.add("PATCH", "/v1/\(kind.file)/{id}", .needs(.upload)) { try await commit($0) }
    }

    private func reserve(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: kind.file,
            attributes: Set(["assetType", "fileName", "fileSize"] + kind.furtherAttributes), relationships: [kind.link])
        let role = try body.required("assetType", body.choice("assetType", of: kind.roles))
        let name = try body.required("fileName", body.text("fileName", maximumLength: 255))
        guard name.isPlainPath, !name.utf8.contains(UInt8(ascii: "/")) else {
            throw APIError.attribute("INVALID", "fileName", "'fileName' must be a name without a path.")
        }
        let isAsset = role == UploadFileKind.asset.rawValue
        let limit = isAsset ? context.limits.archiveSize : 1 << 20
        let size = try body.required("fileSize", body.integer("fileSize", in: 1...limit))
        let ownerID = try body.requiredLink(kind.link, to: kind.owner)
        var values: [String: JSONValue] = [:]
        for name in kind.furtherAttributes { values[name] = try body.text(name).map { .string($0) } }
        let id = Identifier.random()
        try await context.blobs.open(id)
        do {
            let file = try await context.database.write { [values] store in
                var owner = try store.require(kind.owner, ownerID, as: kind.link, for: request.caller)
                guard owner.state(VersionState.self, in: kind.ownerState) == .awaitingUpload else {
                    throw APIError.state("STATE_ERROR.UPLOAD_FINISHED", "It takes no files any more.")
                }
                let place = isAsset ? "assetFile" : "manifestFile"
                guard owner.text(place) == nil else {
                    throw APIError.state(
                        "STATE_ERROR.FILE_EXISTS",
                        "There is a file of the type \(role) already. Begin a new upload, or go on with that file.")
                }
                if kind.owner == .backgroundAssetVersions { try checkQuota(size, app: owner.app, in: store) }
                var file = ResourceRecord(kind.file, id: id, app: owner.app, values: values)
                file["assetType"] = .string(role)
                file["fileName"] = .string(name)
                file["fileSize"] = .integer(size)
                file["assetToken"] = .string(id)
                file[kind.link] = .string(owner.id)
                file["partSize"] = .integer(UploadPlan(fileSize: size).partSize)
                file["state"] = .string(UploadFileState.initial.rawValue)
                file["assetDeliveryState"] = UploadFileState.initial.deliveryState()
                try store.insert(file)
                owner[place] = .string(id)
                try store.update(owner)
                return file
            }
            return try await reader.show(file, status: 201)
        } catch {
            await context.blobs.discard(id)
            throw error
        }
    }

    /// - Throws: `APIError` when the app's packs would take more than they may (BA 5).
    private func checkQuota(_ size: Int64, app: String, in store: borrowing Connection) throws {
        let used = try store.usedBytes(ofApp: app)
        // What is on its way counts as if it were there, so that many uploads at once are not more than one after the other.
        var waiting: Int64 = 0
        for state in [UploadFileState.awaitingUpload, .uploadComplete] {
            waiting += try store.records(kind.file, where: ["app": .text(app), "state": .text(state.rawValue)])
                .reduce(Int64(0)) { $0 + ($1.integer("fileSize") ?? 0) }
        }
        let limit = context.limits.bytesPerApp
        guard used <= limit, waiting <= limit - used, size <= limit - used - waiting else {
            throw APIError.state(
                "STATE_ERROR.LIMIT_REACHED",
                "The app's packs take \(used) of \(limit) bytes, uploads that are not ended \(waiting), and this file has "
                    + "\(size). Archive packs that are not needed any more, and end uploads that were begun.")
        }
    }

    private func commit(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: kind.file, id: request.id,
            attributes: ["uploaded", "sourceFileChecksum", "sourceFileChecksums"])
        let checksums = try UploadChecksums(body)
        let isUploaded = try body.flag("uploaded") ?? false
        let known = try await context.database.read {
            try $0.require(kind.file, request.id, for: request.caller)
        }
        if isUploaded { try await checkComplete(known) }
        let file = try await context.database.write { store in
            var file = try store.require(kind.file, request.id, for: request.caller)
            do {
                if isUploaded { try file.step(UploadFileState.self, .committed) }
            } catch {
                throw APIError.state("STATE_ERROR.UPLOAD_FINISHED", "The upload of this file is finished.")
            }
            guard isUploaded || file.state(UploadFileState.self) == .awaitingUpload else {
                throw APIError.state("STATE_ERROR.UPLOAD_FINISHED", "The upload of this file is finished.")
            }
            checksums.store(in: &file)
            file["assetDeliveryState"] = file.state(UploadFileState.self)?.deliveryState()
            try store.update(file)
            if isUploaded { try beginProcessing(of: file, in: store) }
            return file
        }
        return try await reader.show(file)
    }

    /// - Throws: `APIError` that names the first missing part.
    private func checkComplete(_ file: ResourceRecord) async throws {
        guard file.state(UploadFileState.self) == .awaitingUpload else { return }
        let plan = UploadPlan(fileSize: file.integer("fileSize") ?? 1, partSize: file.integer("partSize"))
        let present = try await context.blobs.parts(of: file.id, plan)
        if let missing = plan.parts.first(where: { present[$0.number] == nil }) {
            throw APIError.state(
                "STATE_ERROR.UPLOAD_INCOMPLETE",
                "Part \(missing.number) of \(plan.partCount) is missing: \(missing.length) bytes from \(missing.offset) on."
            )
        }
    }

    /// Version or build goes to be processed with its last file.
    private func beginProcessing(of file: ResourceRecord, in store: borrowing Connection) throws {
        guard let id = file.text(kind.link), var owner = try store.record(kind.owner, id),
            owner.text("assetFile") != nil
        else { return }
        let files = try store.records(kind.file, where: [kind.link: .text(id)])
        guard files.allSatisfy({ $0.state(UploadFileState.self) == .uploadComplete }) else { return }
        do {
            try store.step(&owner, VersionState.self, .uploaded, in: kind.ownerState)
        } catch is IllegalStep {
            throw APIError.state("STATE_ERROR.UPLOAD_FINISHED", "It takes no files any more.")
        }
        kind.committed(&owner, context.now)
        try store.update(owner)
        try store.add(Job(kind: kind.job, subject: id))
    }
}

/// What a file of a version is.
enum UploadFileKind: String, CaseIterable {
    /// The archive.
    case asset = "ASSET"
    /// The pack's manifest on its own; it must be the one in the archive.
    case manifest = "MANIFEST"

    static let names = allCases.map(\.rawValue)
}

extension UploadFileState {
    /// The attribute `assetDeliveryState`.
    func deliveryState(errors: [StateDetail] = []) -> JSONValue {
        let none: [JSONValue] = []
        return [
            "state": .string(rawValue), "errors": .array(errors.map(\.json)), "warnings": .array(none),
        ]
    }
}
