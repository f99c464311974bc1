// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AppleArchive
internal import AssetPacks
internal import Crypto
internal import Database
internal import HostingModel
internal import Kit
internal import ObjectStorage
internal import PackUpdates
internal import System

/// Makes what devices update to a live version with: patches from the versions before, and the index of a version that was
/// processed when hosts made none. Nobody waits for it: the version is live already.
struct UpdateProcessor: Sendable {
    private let context: HostContext

    init(_ context: HostContext) { self.context = context }

    /// One file that is to be made.
    private struct Work: Sendable {
        var file: UpdateFile
        let archive: Digest
        let index: Digest?
        /// Of the patch's base.
        var base: PatchMaking.Version?
    }

    private enum Begun: Sendable {
        case work(Work)
        /// Something was settled without work.
        case settled
        /// There is nothing to do any more, or not yet.
        case over
    }

    /// - Throws: when the host cannot do its work: the job stays.
    func process(_ job: ClaimedJob) async throws {
        var tried: Set<String> = []
        while true {
            try Task.checkCancellation()
            let retry = context.clock().seconds + 30
            let lack = await lackOfLibrary()
            switch try await context.database.write({ [tried] in
                try begin(job, tried: tried, retry: retry, lack: lack, in: $0)
            }) {
            case .work(let work):
                tried.insert(work.file.base?.id ?? "")
                guard try await perform(work, job) else { return }
            case .settled: continue
            case .over: return
            }
        }
    }

    /// Why this host can make no patches.
    private func lackOfLibrary() async -> String? {
        do {
            try await offload { [find = context.findPatchLibrary] in try find() }
            return nil
        } catch {
            return (error as? any LarderError)?.message ?? "\(error)"
        }
    }

    // MARK: What is to be done

    /// Takes the next step, and notes that it was begun; removes the job when there is none.
    /// - Parameters:
    ///   - tried: what was to be made in this job before.
    ///   - retry: when the job is to be tried again if something is in its way.
    ///   - lack: why this host can make no patches.
    private func begin(
        _ job: ClaimedJob, tried: Set<String>, retry: Int64, lack: String?, in store: borrowing Connection
    ) throws -> Begun {
        try store.confirm(job)
        guard let version = try store.record(.backgroundAssetVersions, job.subject),
            let archive = VersionContent.digest(of: version), let packID = version.text("backgroundAsset"),
            let pack = try store.record(.backgroundAssets, packID)
        else {
            try store.remove(job)
            return .over
        }
        let selection = try store.patchSelection(of: pack).selection
        let bases = selection.isTarget(version.id) ? selection.bases(of: version.id) : []
        let files = try store.updateFiles(of: [version.id] + bases.map(\.id))
        let own = files[version.id] ?? []
        func index(of id: String) -> UpdateFile? { files[id]?.first { $0.base == nil } }
        let step = UpdateSteps.next(
            bases: bases, index: index(of: version.id),
            patches: Dictionary(own.compactMap { file in file.base.map { ($0.id, file) } }) { $1 }, tried: tried)
        var work = Work(
            file: UpdateFile(version: version.id, app: version.app, state: .pending), archive: archive,
            index: index(of: version.id)?.stored?.digest)
        switch step {
        case .done:
            try store.remove(job)
            return .over
        case .giveUp(var file):
            file.state = .failed
            try store.set(file)
            context.log.error(
                "A file for updates is given up: hosts that made it have failed or ended each time.",
                ["version": file.version, "from": file.base.map { "\($0.number)" } ?? ""])
            return .settled
        case .relist(var file):
            for digest in file.digests where try !store.reserveArchive(digest.hex) {
                try store.postpone(job, until: retry, counts: false)
                return .over
            }
            file.state = .listed
            try store.set(file)
            return .settled
        case .makeIndex: break
        case .makePatch where lack != nil:
            // No attempt: with the library there, or at another host, it is made.
            try store.postpone(job, until: retry, counts: false)
            context.log.error(
                "Patches to a version wait, since this host can make none.",
                ["version": version.id, "reason": lack ?? ""])
            return .over
        case .makePatch(let base):
            guard let digest = base.digest.flatMap({ Digest(hex: $0) }) else { return .settled }
            work.file.base = .init(id: base.id, number: base.number, digest: digest.hex)
            work.base = .init(digest: digest, index: index(of: base.id)?.stored?.digest)
        }
        work.file.attempts = (own.first { $0.base?.id == work.file.base?.id }?.attempts ?? 0) + 1
        try store.set(work.file)
        return .work(work)
    }

    // MARK: Making

    /// - Returns: false when the job has another time to be done.
    private func perform(_ work: Work, _ job: ClaimedJob) async throws -> Bool {
        let folder = context.workshop.appending(job.subject)
        try await offload {
            let here = FileDescriptor.currentDirectory
            _ = try? here.removeTree(at: folder)
            try here.makeDirectories(at: folder, permissions: .directoryPrivate)
        }
        let began = ContinuousClock.now
        let result: Result<Bool, any Error>
        do {
            let outcome = try await make(work, in: folder)
            if work.base != nil { context.metrics.note(outcome, after: began.duration(to: .now)) }
            result = .success(try await settle(outcome, work.file, job))
        } catch {
            // What ended in good order, or for want of others, is no failure of this file's.
            if Task.isCancelled || error is ObjectStorageError || error is DatabaseError {
                await uncount(work.file, job)
            }
            result = .failure(error)
        }
        _ = try? await offload { try FileDescriptor.currentDirectory.removeTree(at: folder) }
        return try result.get()
    }

    private func make(_ work: Work, in folder: FilePath) async throws -> PatchMaking.Outcome {
        let blobs = context.blobs
        if let base = work.base {
            let making = PatchMaking(
                blobs: blobs, folder: folder, seconds: context.limits.patchTime, reserve: context.limits.freeSpace)
            do {
                return try await making.make(from: base, to: .init(digest: work.archive, index: work.index))
            } catch let error as AssetPackError where error.code == .noSpace {
                return .none(.noRoom, "\(error)")
            } catch let error as any LarderError where PatchMaking.isOfArchives(error) {
                return .none(.failed, "\(error)")
            }
        }
        guard let archive = try await blobs.file(of: work.archive, in: folder) else {
            return .none(.impossible, "The archive is not in the storage any more.")
        }
        return try await offloadCancellable { isCancelled in
            let path = IndexMaking.newPath(in: folder)
            let outcome = try PackIndex.write(ofArchive: archive, to: path, isCancelled: isCancelled)
            return switch try IndexMaking(outcome, at: path) {
            case .made(let file): .made(file, list: nil)
            case .impossible(let reason): .none(.impossible, reason)
            }
        }
    }

    /// Keeps what was made, and stores what came of it.
    /// - Returns: false when the job has another time to be done.
    private func settle(_ outcome: PatchMaking.Outcome, _ begun: UpdateFile, _ job: ClaimedJob) async throws -> Bool {
        var file = begun
        file.attempts = 0
        var reason = ""
        switch outcome {
        case .none(let state, let words): (file.state, reason) = (state, words)
        case .made(let made, let list):
            let (used, limit) = try await context.database.read { [app = file.app] store in
                (try store.usedBytes(ofApp: app), context.limits.bytesPerApp)
            }
            if made.stored.size + (list?.stored.size ?? 0) > limit - used {
                (file.state, reason) = (.noRoom, "The app's packs take \(used) of \(limit) bytes.")
            } else {
                let all = [made, list].compactMap(\.self)
                guard try await context.reserve(all.map(\.stored.digest), for: job) else { return false }
                for made in all { try await context.blobs.keep(made) }
                (file.state, file.stored, file.list) = (.listed, made.stored, list?.stored)
            }
        }
        try await context.database.write { [file] store in
            try store.confirm(job)
            try store.set(file)
        }
        tell(file, reason)
        return true
    }

    private func tell(_ file: UpdateFile, _ reason: String) {
        var fields = ["version": file.version, "file": file.base.map { "patch from \($0.number)" } ?? "index"]
        if let stored = file.stored { fields["bytes"] = "\(stored.size)" }
        if let list = file.list { fields["list"] = "\(list.size)" }
        if !reason.isEmpty { fields["reason"] = reason }
        switch file.state {
        case .listed: context.log.notice("A file for updates was made.", fields)
        case .failed: context.log.error("A file for updates could not be made.", fields)
        default: context.log.notice("A file for updates was not made.", fields)
        }
    }

    /// Takes back that a file was begun; where this does not get through, one of its attempts is used up.
    private func uncount(_ file: UpdateFile, _ job: ClaimedJob) async {
        var file = file
        file.attempts -= 1
        // Also after a cancellation.
        let task = Task { [file, context] in
            _ = try? await context.database.write { store in
                try store.confirm(job)
                try store.set(file)
            }
        }
        await task.value
    }
}

extension PatchMaking {
    /// Whether an error comes of what is in the archives, so that another attempt would end as this one did.
    static func isOfArchives(_ error: any LarderError) -> Bool {
        switch error {
        case let error as PackUpdateError: error.code != .io
        case is ArchiveError: true
        case let error as AssetPackError: error.code != .io
        default: false
        }
    }
}
