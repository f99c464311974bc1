// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AppBundles
internal import Crypto
internal import Database
internal import HostingModel
internal import Kit
internal import System

/// Checks what was uploaded as a build, and makes it the one that internal testers install (E6).
struct BuildProcessor: Sendable {
    private let context: HostContext

    init(_ context: HostContext) { self.context = context }

    /// - Throws: when the host cannot do its work: the job stays, and nothing has changed.
    func process(_ job: ClaimedJob) async throws {
        let (upload, app, files) = try await context.database.read { store in
            let upload = try store.record(.buildUploads, job.subject)
            return (
                upload, try upload.flatMap { try store.record(.apps, $0.app) },
                try store.records(.buildUploadFiles, where: ["buildUpload": .text(job.subject)])
            )
        }
        if let upload, let app, upload.state(VersionState.self, in: "step") == .processing {
            guard try await process(upload, files, of: app, job) else { return }
        }
        // The job goes last, so that a host that is killed before forgets the parts at its next start.
        for file in files { await context.blobs.discard(file.id) }
        try await context.database.write { try $0.remove(job) }
    }

    /// False when the job has another time to be done.
    private func process(
        _ upload: ResourceRecord, _ files: [ResourceRecord], of app: ResourceRecord, _ job: ClaimedJob
    ) async throws -> Bool {
        do {
            let (content, digest, assembled) = try await check(upload, files, of: app.text("bundleId") ?? "", job)
            guard try await context.keep(assembled, as: digest, for: job) else { return false }
            let now = context.now
            try await context.database.write { store in
                try store.confirm(job)
                try BuildPublication.complete(upload.id, content, now: now, in: store)
            }
            context.log.notice("A build was processed.", ["app": content.bundleID, "build": content.id])
        } catch let rejection as Rejection {
            try await context.database.write { store in
                try store.confirm(job)
                try BuildPublication.fail(upload.id, rejection.detail, in: store)
            }
            context.log.notice("A build was refused.", ["upload": upload.id, "code": rejection.detail.code])
        }
        return true
    }

    private func check(
        _ upload: ResourceRecord, _ files: [ResourceRecord], of bundleID: String, _ job: ClaimedJob
    ) async throws -> (HostedBuild, Digest, AssembledUpload) {
        guard let file = files.first else { throw Rejection("ASSET_MISSING", "There is no archive.") }
        let plan = UploadPlan(fileSize: file.integer("fileSize") ?? 1, partSize: file.integer("partSize"))
        let checksums = UploadChecksums(file)
        let assembled = try await context.assemble(file.id, plan, checksums.wanted, for: job)
        if let difference = checksums.difference(from: assembled) { throw Rejection("CHECKSUM_MISMATCH", difference) }
        let survey = try await survey(assembled, name: file.text("fileName") ?? "the archive")
        let digest = try await offload {
            let file = try OwnedDescriptor(assembled.path, .readOnly)
            return try TreeDigest.hash(file: file.borrowed).digest
        }
        let content = HostedBuild(
            survey, archive: .init(url: "", size: assembled.size, digest: digest.hex), id: Identifier.random())
        for (what, actual, expected) in [
            ("bundle identifier", content.bundleID, bundleID),
            ("version", content.version, upload.text("cfBundleShortVersionString") ?? ""),
            ("build", content.build, upload.text("cfBundleVersion") ?? ""),
        ] where actual != expected {
            throw Rejection(
                "BUNDLE_MISMATCH", "The bundle's \(what) is \"\(actual)\", and \"\(expected)\" was announced.")
        }
        return (content, digest, assembled)
    }

    private func survey(_ archive: AssembledUpload, name: String) async throws -> AppArchive.Survey {
        let limit = context.limits.appSize
        let entries = UInt64(clamping: context.limits.archiveEntries)
        let path = archive.path
        // What a message says of the file must be what its sender calls it, not where it is here.
        func named(_ message: String) -> String {
            message.replacing(path.string, with: name).replacing(path.lastComponent?.string ?? path.string, with: name)
        }
        do {
            return try await offloadCancellable { isCancelled in
                try AppArchive(path: path, maximumEntries: entries).survey(
                    scratch: path.removingLastComponent().appending(".survey"), limit: limit, isCancelled: isCancelled)
            }
        } catch let error as BundleError where ![.unreadable, .notFound].contains(error.code) {
            let message =
                error.code == .tooLarge ? "The app unpacks to more than \(ByteCount.formatted(limit))." : error.message
            throw Rejection("BUNDLE_INVALID", named(message))
        }
    }
}
