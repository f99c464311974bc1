// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AppleArchive
internal import AssetPacks
internal import Crypto
internal import Database
internal import HostingModel
internal import Kit
internal import PackUpdates
internal import System

/// Checks what was uploaded as a new version, and makes it live for internal testers (E2, E3).
struct VersionProcessor: Sendable {
    private let context: HostContext

    init(_ context: HostContext) { self.context = context }

    /// - Throws: when the host cannot do its work: the job stays, and nothing has changed.
    func process(_ job: ClaimedJob) async throws {
        let (version, pack, files) = try await context.database.read { store in
            let version = try store.record(.backgroundAssetVersions, job.subject)
            return (
                version, try version?.text("backgroundAsset").flatMap { try store.record(.backgroundAssets, $0) },
                try store.records(.backgroundAssetUploadFiles, where: ["backgroundAssetVersion": .text(job.subject)])
            )
        }
        if let version, let pack, version.state(VersionState.self) == .processing {
            guard try await process(version, files, of: pack, job) else { return }
        }
        // The job goes last, so that a host that is killed before forgets the parts at its next start.
        for file in files { await context.blobs.discard(file.id) }
        try await context.database.write { try $0.remove(job) }
    }

    /// False when the job has another time to be done.
    private func process(
        _ version: ResourceRecord, _ files: [ResourceRecord], of pack: ResourceRecord, _ job: ClaimedJob
    ) async throws -> Bool {
        do {
            let (content, index, digest, assembled) = try await check(files, pack: pack, job)
            // The archive may go to its place with the call that keeps it.
            if case .made(let file) = index {
                guard try await context.reserve([file.stored.digest], for: job) else { return false }
                try await context.blobs.keep(file)
            }
            guard try await context.keep(assembled, as: digest, for: job) else { return false }
            let limit = context.limits.bytesPerApp
            try await context.database.write { store in
                try store.confirm(job)
                try Publication.complete(version.id, content, index, limit: limit, in: store)
            }
            context.log.notice("A version was processed.", ["pack": content.identifier, "version": version.id])
        } catch let rejection as Rejection {
            let now = context.clock().seconds
            try await context.database.write { [tells = context.mail != nil] store in
                try store.confirm(job)
                try Publication.fail(version.id, rejection.detail, in: store)
                guard tells else { return }
                let app = try store.record(.apps, version.app)
                try store.add(Letter(refusing: version, of: pack, app, rejection.detail, seconds: now))
            }
            context.log.notice(
                "A version was refused.", ["version": version.id, "code": rejection.detail.code])
        }
        return true
    }

    private func check(
        _ files: [ResourceRecord], pack: ResourceRecord, _ job: ClaimedJob
    ) async throws -> (VersionContent, IndexMaking, Digest, AssembledUpload) {
        var asset: (AssembledUpload, ResourceRecord)?
        var manifest: AssembledUpload?
        for file in files {
            let plan = UploadPlan(fileSize: file.integer("fileSize") ?? 1, partSize: file.integer("partSize"))
            let checksums = UploadChecksums(file)
            let assembled = try await context.assemble(file.id, plan, checksums.wanted, for: job)
            if let difference = checksums.difference(from: assembled) {
                throw Rejection("CHECKSUM_MISMATCH", difference)
            }
            if file.text("assetType") == UploadFileKind.asset.rawValue {
                asset = (assembled, file)
            } else {
                manifest = assembled
            }
        }
        guard let (archive, file) = asset else { throw Rejection("ASSET_MISSING", "There is no archive.") }
        let path = IndexMaking.newPath(in: archive.path.removingLastComponent())
        let (contents, index) = try await inspect(
            archive, name: file.text("fileName") ?? "the archive", indexPath: path)
        let expected = pack.text("assetPackIdentifier") ?? ""
        guard contents.manifest.assetPackID == expected else {
            throw Rejection(
                "ASSET_PACK_ID_MISMATCH",
                "The archive holds the pack \"\(contents.manifest.assetPackID)\", and this is the pack \"\(expected)\"."
            )
        }
        if let manifest { try await compare(manifest, with: contents.manifest) }
        guard let digest = Digest(hex: contents.digest) else {
            throw HostingError(.storage, "The digest of \(archive.path) is none.")
        }
        let made = try await offload { try IndexMaking(index, at: path) }
        return (VersionContent(contents), made, digest, archive)
    }

    private func inspect(
        _ archive: AssembledUpload, name: String, indexPath: FilePath
    ) async throws -> (PackContents, Packager.IndexOutcome) {
        var limits = ArchiveLimits.default
        limits.maximumTotalSize = context.limits.installedSize
        limits.maximumEntries = UInt64(clamping: context.limits.archiveEntries)
        limits.maximumNameSize = context.limits.archiveNames
        // What a message says of the file must be what its sender calls it, not where it is here.
        let path = archive.path.string
        func named(_ message: String) -> String { message.replacing(path, with: name) }
        do {
            return try await offloadCancellable { [limits] isCancelled in
                try PackIndex.writeInspecting(
                    archive.path, to: indexPath, limits: limits, isCancelled: isCancelled)
            }
        } catch let error as ArchiveError {
            throw Rejection("ARCHIVE_INVALID", named(error.message))
        } catch let error as AssetPackError where error.code != .io {
            throw Rejection("ASSET_PACK_INVALID", named(error.message))
        }
    }

    /// A manifest that was uploaded beside the archive must be the one inside.
    private func compare(_ upload: AssembledUpload, with archived: PackManifest) async throws {
        let bytes = try await offload { try File.read(upload.path, limit: PackManifest.maximumSize) }
        let manifest: PackManifest
        do {
            manifest = try PackManifest.decodeArchived(bytes, source: "manifest")
        } catch {
            throw Rejection("MANIFEST_INVALID", "The manifest cannot be read: \(error)")
        }
        guard manifest == archived else {
            throw Rejection("MANIFEST_MISMATCH", "The manifest is not the one in the archive.")
        }
    }
}
