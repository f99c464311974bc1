// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HostingModel
internal import Kit

/// Sweeps a host's storage. Any number of hosts may do that at the same time, and while others upload, check and fetch.
struct Sweeper: Sendable {
    let database: any Database
    let blobs: any BlobStore
    /// In seconds.
    let grace: Int64
    let now: @Sendable () -> Int64
    let log: Logger

    init(database: any Database, blobs: any BlobStore, grace: Int64, now: @escaping @Sendable () -> Int64, log: Logger)
    {
        self.database = database
        self.blobs = blobs
        self.grace = grace
        self.now = now
        self.log = log
    }

    init(_ context: HostContext) {
        self.init(
            database: context.database, blobs: context.blobs, grace: context.limits.sweepGrace,
            now: { context.clock().seconds }, log: context.log)
    }

    /// What would be done now. The store is looked at before the database: what comes in between is known there, or is noted at
    /// most.
    /// - Throws: what database and store throw.
    func plan() async throws -> SweepPlan {
        let kept = try await blobs.uploads()
        let archives = try await blobs.archives()
        return try await database.read { [grace, now = now()] store in
            let uploads = try kept.map { upload in
                SweepPlan.Upload(
                    id: upload.id, record: try Self.record(upload.id, in: store), changed: upload.changed,
                    size: upload.size)
            }
            return SweepPlan(
                uploads: uploads,
                archives: archives.map { SweepPlan.Archive(digest: $0.digest.hex, size: $0.size) },
                needed: try ArchiveNeeds(in: store).digests, marks: try store.archiveMarks(), now: now, grace: grace)
        }
    }

    /// Does what is to be done; what was done.
    /// - Throws: what database and store throw. What was begun is ended by the next sweep.
    func sweep() async throws -> SweepPlan {
        let plan = try await plan()
        for action in plan.actions {
            try Task.checkCancellation()
            try await perform(action)
        }
        if plan.freedBytes > 0 {
            log.notice("The storage was swept.", ["freed": ByteCount.formatted(plan.freedBytes)])
            try await database.write { try $0.prepareUpdatesWithoutRoom() }
        }
        return plan
    }

    private static func record(_ id: String, in store: borrowing Connection) throws -> SweepPlan.Upload.Record {
        guard let (_, file) = try file(id, in: store) else { return .none }
        return switch file.state(UploadFileState.self) {
        case .awaitingUpload: .awaiting
        case .uploadComplete: .committed
        default: .none
        }
    }

    private static func file(
        _ id: String, in store: borrowing Connection
    ) throws -> (kind: UploadKind, record: ResourceRecord)? {
        for kind in UploadKind.all {
            if let file = try store.record(kind.file, id) { return (kind, file) }
        }
        return nil
    }

    private func perform(_ action: SweepPlan.Action) async throws {
        switch action {
        case .abandon(let upload):
            guard try await database.write({ try Self.abandon(upload.id, in: $0) }) else { return }
            await blobs.discard(upload.id)
            log.notice("An upload was given up.", ["upload": upload.id])
        case .discard(let upload): await blobs.discard(upload.id)
        case .mark(let archive):
            let since = now()
            try await database.write { store in
                // Another host may have noted it meanwhile.
                guard try store.archiveMark(archive.digest) == nil, try store.retireUpdateFile(archive.digest) else {
                    return
                }
                try store.mark(archive.digest, .init(since: since))
            }
        case .unmark(let digest):
            try await database.write { store in
                try store.relistUpdateFile(digest)
                try store.unmark(digest)
            }
        case .remove(let archive):
            guard let digest = Digest(hex: archive.digest) else { return }
            let (now, grace) = (now(), grace)
            guard
                try await database.write({
                    try $0.beginRemoval(of: archive.digest, now: now, grace: grace)
                })
            else { return }
            try await blobs.remove(digest)
            try await database.write { try $0.unmark(archive.digest) }
            log.notice("An archive that nobody needs was removed.", ["digest": archive.digest])
        }
    }

    /// Ends an upload that still waits for parts; false when it does not any more.
    private static func abandon(_ id: String, in store: borrowing Connection) throws -> Bool {
        guard let (kind, file) = try file(id, in: store), file.state(UploadFileState.self) == .awaitingUpload,
            let owner = file.text(kind.link)
        else { return false }
        let detail = StateDetail(
            "UPLOAD_ABANDONED", "The upload was begun and not ended, and was given up. Begin a new one.")
        if kind.owner == .backgroundAssetVersions {
            try Publication.fail(owner, detail, in: store)
        } else {
            try BuildPublication.fail(owner, detail, in: store)
        }
        return true
    }
}

/// Sweeps now and then for as long as the host runs.
final class SweepTimer: Sendable {
    /// After the start, and between two sweeps.
    private static let first = Duration.seconds(300)
    private static let interval = Duration.seconds(3600)

    private let task: Task<Void, Never>

    init(_ sweeper: Sweeper) {
        task = Task {
            var pause = Self.first
            while (try? await Task.sleep(for: pause)) != nil {
                pause = Self.interval
                do {
                    _ = try await sweeper.sweep()
                } catch is CancellationError {
                    return
                } catch {
                    sweeper.log.error("The storage could not be swept.", ["error": "\(error)"])
                }
            }
        }
    }

    func stop() async {
        task.cancel()
        await task.value
    }
}
