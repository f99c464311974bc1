// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HTTP
internal import HostingModel
internal import Kit
internal import ObjectStorage
internal import System

/// Blobs in a bucket, for any number of hosts: `uploads/<id>/session` names the upload in parts that makes `uploads/<id>/file`,
/// and `archives/<two digits>/<digest>` is as in a folder. Publishers send parts to the bucket, and devices fetch from it; an
/// archive that is to be checked is brought to a file on this machine for as long as that takes.
final class S3BlobStore: BlobStore {
    let client: S3Client
    /// Requests wait for the store a shorter time than jobs do.
    let quick: S3Client
    /// For what is asked often, and answered with what there is to say by now.
    private let impatient: S3Client
    /// What the store last said to the question whether it is there: many may ask a host, and the store is asked seldom.
    private let looked = Locked<(time: ContinuousClock.Instant, result: Result<Void, any Error>)?>(nil)
    private static let probePeriod = Duration.seconds(5)
    private static let probePatience = Duration.seconds(5)
    private static let reachPatience = Duration.seconds(60)
    private let spool: FilePath
    private let downloadLifetime: Int64
    /// The identifiers of uploads in parts, by those of uploads.
    private let sessions = Locked<[String: String]>([:])
    /// Archives that were there, until when that is believed.
    private let known = Locked<[Digest: ContinuousClock.Instant]>([:])

    private static let cacheLimit = 10_000
    private static let belief = Duration.seconds(60)
    static let headers = [
        (name: "Content-Type", value: "application/octet-stream"),
        (name: "Cache-Control", value: "public, max-age=31536000, immutable"),
    ]

    /// - Parameters:
    ///   - spool: a folder on this machine for archives that are being checked.
    ///   - downloadLifetime: how long addresses of archives are good, in seconds.
    init(_ client: S3Client, spool: FilePath, downloadLifetime: Int64) {
        self.client = client
        quick = client.waiting(.foreground)
        impatient = client.waiting(
            RetryPolicy(first: .milliseconds(100), longest: .milliseconds(500), patience: .seconds(2)))
        self.spool = spool
        self.downloadLifetime = downloadLifetime
    }

    func probe() async throws {
        let lately = looked.withLock { looked in
            looked.flatMap { $0.time.duration(to: .now) < Self.probePeriod ? $0.result : nil }
        }
        if let lately { return try lately.get() }
        var result: Result<Void, any Error> = .success(())
        do { try await list(impatient, atMost: Self.probePatience) } catch { result = .failure(error) }
        looked.withLock { [result] in $0 = (.now, result) }
        try result.get()
    }

    /// Reaches the store for the first time. A host that starts has more time than one that is asked how it is.
    /// - Throws: as `probe`
    func reach() async throws { try await list(quick, atMost: Self.reachPatience) }

    /// Whoever asks whether all is well wants to know it soon, also of a store that takes connections and says nothing.
    private func list(_ client: S3Client, atMost patience: Duration) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.list("uploads/-") { _ in } }
            group.addTask {
                try await Task.sleep(for: patience)
                throw HostingError(.storage, "\(client.location) has not answered for \(patience.formatted).")
            }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    static func archiveKey(_ digest: Digest) -> String { "archives/\(digest.hex.prefix(2))/\(digest.hex)" }
    static func sessionKey(_ upload: String) -> String { "uploads/\(upload)/session" }
    static func fileKey(_ upload: String) -> String { "uploads/\(upload)/file" }

    // MARK: Parts

    func open(_ upload: String) async throws { _ = try await begin(upload) }

    private func begin(_ upload: String) async throws -> String {
        let session = try await quick.beginUpload(of: Self.fileKey(upload))
        try await quick.put(Array(session.utf8), at: Self.sessionKey(upload), contentType: "text/plain")
        remember(session, for: upload)
        return session
    }

    private func remember(_ session: String?, for upload: String) {
        sessions.withLock { sessions in
            if sessions.count >= Self.cacheLimit { sessions = [:] }
            sessions[upload] = session
        }
    }

    /// The identifier of the upload in parts; nil for one that is not open.
    private func session(of upload: String, cached: Bool = true) async throws -> String? {
        if cached, let known = sessions.withLock({ $0[upload] }) { return known }
        let bytes = try await quick.bytes(of: Self.sessionKey(upload))
        let session = bytes.map { String(decoding: $0, as: UTF8.self) }
        remember(session, for: upload)
        return session
    }

    func beginPart(of upload: String, _ part: UploadPlan.Part) throws -> any PartReceiver {
        throw Errno.noSuchFileOrDirectory
    }

    func addresses(of upload: String, _ plan: UploadPlan, seconds: Int64) async throws -> [Int: String]? {
        guard let session = try await session(of: upload) else { return [:] }
        await client.refreshCredentials()
        let addresses = plan.parts.map { part in
            let url = client.partAddress(
                of: Self.fileKey(upload), upload: session, number: part.number, length: part.length, seconds: seconds)
            return (part.number, url)
        }
        return Dictionary(addresses) { $1 }
    }

    func parts(of upload: String, _ plan: UploadPlan) async throws -> [Int: String] {
        try await present(upload, plan).mapValues { tag in tag.entityTag.filter { $0 != "\"" }.lowercased() }
    }

    /// The parts that have the lengths they should have. When the store has lost the upload, as after a rule that gives up old
    /// ones, it is begun anew, and all parts are missing.
    private func present(_ upload: String, _ plan: UploadPlan) async throws -> [Int: S3Client.Part] {
        guard var session = try await session(of: upload) else { return [:] }
        var found: [S3Client.Part]?
        for isFresh in [false, true] {
            do {
                if isFresh { session = try await self.session(of: upload, cached: false) ?? session }
                found = try await quick.parts(of: Self.fileKey(upload), upload: session)
                break
            } catch let error as ObjectStorageError where error.code == .noUpload {}
        }
        guard let found else {
            if try await completed(upload, plan) == nil { _ = try await begin(upload) }
            return [:]
        }
        var whole: [Int: S3Client.Part] = [:]
        for part in found where plan.part(part.number)?.length == part.size { whole[part.number] = part }
        return whole
    }

    // MARK: Files

    /// The file that an upload's parts were put together to.
    private func completed(_ upload: String, _ plan: UploadPlan) async throws -> S3Client.Object? {
        let object = try await client.object(Self.fileKey(upload))
        return object?.size == plan.fileSize ? object : nil
    }

    func assemble(_ upload: String, _ plan: UploadPlan, file wanted: WantedDigests) async throws -> AssembledUpload {
        // The key gets a file by the completion of the upload alone, so one that is there is whole.
        if try await completed(upload, plan) == nil {
            let parts = try await present(upload, plan)
            if let missing = plan.parts.first(where: { parts[$0.number] == nil }) {
                throw HostingError(.uploadLost, "Part \(missing.number) of \(plan.partCount) is missing.")
            }
            guard let session = try await session(of: upload) else {
                throw HostingError(.uploadLost, "The upload \(upload) is not in \(client.location) any more.")
            }
            do {
                try await client.completeUpload(
                    session, of: Self.fileKey(upload), plan.parts.compactMap { parts[$0.number] })
            } catch let error as ObjectStorageError where error.code == .noUpload {
                // An answer that was lost, or another host: then the file is there.
                guard try await completed(upload, plan) != nil else {
                    throw HostingError(.uploadLost, error.message, cause: error)
                }
            }
        }
        return try await bring(upload, plan, wanted)
    }

    /// Brings an upload's file to this machine.
    private func bring(_ upload: String, _ plan: UploadPlan, _ wanted: WantedDigests) async throws -> AssembledUpload {
        let file = try await offload { [spool] in
            try SpoolFile(spool.appending(upload), plan: plan, wanted: wanted)
        }
        let object = try await client.read(Self.fileKey(upload)) { try file.take($0) }
        return try await offload { try file.finish(upload, entityTag: object.entityTag) }
    }

    func keep(_ assembled: AssembledUpload, as digest: Digest) async throws {
        let key = Self.archiveKey(digest)
        // The same digest is the same content, so whoever was first has it right already.
        if try await client.object(key)?.size == assembled.size { return }
        if assembled.size > client.sizes.copy {
            try await client.put(assembled.path, at: key, headers: Self.headers)
        } else {
            do {
                try await client.copy(
                    Self.fileKey(assembled.upload), to: key, ifTagIs: assembled.entityTag, headers: Self.headers)
            } catch let error as ObjectStorageError where error.code == .unsupported {
                try await client.put(assembled.path, at: key, headers: Self.headers)
            }
        }
        try await expectWhole(digest, size: assembled.size)
    }

    func expectWhole(_ digest: Digest, size: Int64) async throws {
        guard let object = try await client.object(Self.archiveKey(digest)), object.size == size else {
            throw HostingError(.storage, "\(client.location) has not kept the archive \(digest.hex) whole.")
        }
    }

    func discard(_ upload: String) async {
        let folder = spool.appending(upload)
        _ = try? await offload { try FileDescriptor.currentDirectory.removeTree(at: folder) }
        // What stays behind is swept later.
        for open in (try? await quick.openUploads(Self.fileKey(upload))) ?? [] {
            try? await quick.abortUpload(open.id, of: open.key)
        }
        for key in [Self.fileKey(upload), Self.sessionKey(upload)] { try? await quick.delete(key) }
        remember(nil, for: upload)
    }

    // MARK: Archives

    /// An archive is not there any more.
    func forget(_ digest: Digest) { known.withLock { $0[digest] = nil } }

    func archive(_ digest: Digest, for method: String) async throws -> KeptArchive? {
        let key = Self.archiveKey(digest)
        let now = ContinuousClock.now
        if known.withLock({ $0[digest] }).map({ $0 < now }) ?? true {
            guard try await quick.object(key) != nil else { return nil }
            known.withLock { known in
                if known.count >= Self.cacheLimit { known = [:] }
                known[digest] = now + Self.belief
            }
        }
        await client.refreshCredentials()
        return .address(client.address(method, key, seconds: downloadLifetime))
    }
}
