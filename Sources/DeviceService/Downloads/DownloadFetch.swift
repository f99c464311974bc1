// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import HTTP
import Kit
import System

/// One attempt to bring a download's file: asks the server, writes, and puts the whole file into its place. It runs on a
/// thread of its own and can be stopped from anywhere; the bytes that came stay for the next attempt.
final class DownloadFetch: Sendable {
    /// How an attempt ended.
    enum Ending: Sendable {
        /// The file is in its place.
        case arrived(size: Int64)
        /// `.permanent` and `.transient`; `.stopped` when it was told to stop.
        case failed(DeviceError, TransferQueue.Outcome)
        /// A server asks what only app or extension can answer.
        case challenged(ChallengeMachine.Encounter)
    }

    struct Job: Sendable {
        var number: Int64
        var description: DownloadDescription
        var places: DownloadPlaces
        /// Bytes that a file of unannounced size may have; nil: as many as come.
        var limit: Int64?
        var key: TransferKey
        /// Makes room for what is to come; nil looks at none.
        var space: SpaceKeeper?
        /// Asked before anything is sent to a host, redirects' targets too.
        var permitsHost: HostRule?
        /// What is proven to each server, and accepted of it; nil for an asset pack, whose challenges nobody answers.
        var challenges: ChallengeMachine?
    }

    private static let redirectLimit = 10
    /// Bytes between two flushes to the disk.
    private static let durableInterval: Int64 = 64 << 20

    let attempt: TransferAttempt
    private let job: Job
    private let report: @Sendable (_ total: Int64, _ expected: Int64?) -> Void

    /// - Parameter report: called from the fetching thread, at most ten times a second.
    init(
        _ job: Job, attempt: TransferAttempt,
        report: @escaping @Sendable (_ total: Int64, _ expected: Int64?) -> Void
    ) {
        self.job = job
        self.attempt = attempt
        self.report = report
    }

    /// Blocks: for an owned thread.
    func run() -> Ending {
        var brought = false
        do {
            try job.places.prepare(group: job.description.appGroup)
            do {
                return .arrived(size: try fetch(resuming: true) { brought = true })
            } catch let error as HTTPClientError where error.status == 416 || error.code == .badResponse {
                // The part that was asked for is not one of what the server has now.
                if attempt.isStopped { throw error }
                return .arrived(size: try fetch(resuming: false) { brought = true })
            }
        } catch {
            let failure = DownloadFailure(error, name: job.description.identifier, brought: brought)
            if let challenge = (error as? HTTPClientError)?.challenge, !attempt.isStopped {
                return .challenged(ChallengeMachine.Encounter(challenge: challenge, error: failure.error))
            }
            return .failed(failure.error, attempt.isStopped ? .stopped : failure.outcome)
        }
    }

    private func fetch(resuming: Bool, _ gotBytes: () -> Void) throws -> Int64 {
        let partial = job.places.partial(job.number)
        let file = try OwnedDescriptor(
            partial, .readWrite, options: [.create, .noFollow], permissions: .filePrivate)
        let known = resuming ? DownloadCheckpoint.read(job.places.checkpoint(job.number)) : nil
        let offset = try startOffset(file.borrowed, known)
        var url = job.description.url
        for _ in 0...Self.redirectLimit {
            do {
                return try attempt.fetch(request(url, from: offset, validator: known?.validator)) { transfer in
                    try take(transfer, into: file.borrowed, from: offset, gotBytes)
                }
            } catch let error as HTTPClientError where error.code == .redirect {
                url = try target(of: error)
            }
        }
        throw HTTPClientError(
            .tooManyRedirects, "More than \(Self.redirectLimit) redirects; it seems to go in circles.")
    }

    /// Where a redirect goes on; each address is asked with what is its own, so the client does not follow by itself.
    private func target(of redirect: HTTPClientError) throws -> String {
        guard let location = redirect.location, HTTPOrigin(location)?.scheme == "https" else {
            throw HTTPClientError(.insecureRedirect, "\(redirect.message) That address is not https.")
        }
        return location
    }

    private func take(
        _ transfer: HTTPDownload, into file: FileDescriptor, from asked: Int64, _ gotBytes: () -> Void
    ) throws -> Int64 {
        let head = try transfer.waitForHead()
        let offset = head.startOffset == asked ? asked : 0
        let expected = head.totalLength ?? job.description.fileSize
        try check(expected)
        try makeRoom(expected, from: offset)
        try file.resize(to: offset)
        var checkpoint = head.resumeValidator.map {
            DownloadCheckpoint(
                url: job.description.url, validator: $0, durable: offset, boot: DownloadCheckpoint.currentBoot)
        }
        // Before the first byte: what a checkpoint of other content says must not be believed of these.
        if let checkpoint {
            try checkpoint.write(job.places.checkpoint(job.number), durable: false)
        } else {
            try job.places.remove(job.places.checkpoint(job.number))
        }
        report(offset, expected)
        let size = try receive(transfer, into: file, from: offset, expected, &checkpoint, gotBytes)
        try finish(file, size: size)
        return size
    }

    /// Where to go on from; 0 begins anew.
    private func startOffset(_ file: FileDescriptor, _ checkpoint: DownloadCheckpoint?) throws -> Int64 {
        guard let checkpoint, checkpoint.url == job.description.url else { return 0 }
        let size = try file.status().size
        let offset = checkpoint.boot == DownloadCheckpoint.currentBoot ? size : min(size, checkpoint.durable)
        guard let whole = job.description.fileSize, whole > 0 else { return offset }
        // With all bytes there the last one is asked for again: the server says whether they are still the file's.
        return offset > whole ? 0 : min(offset, whole - 1)
    }

    private func request(_ url: String, from offset: Int64, validator: String?) -> HTTPRequest {
        var request = HTTPRequest(url: url, expectedLength: job.description.fileSize)
        request.authentication = HTTPOrigin(url).flatMap { job.challenges?.authentication(for: $0) }
        request.headers = headers(for: url, request.authentication).sorted { $0.0 < $1.0 }
        if offset > 0 { (request.rangeStart, request.ifRange) = (offset, validator) }
        request.permitsHost = job.permitsHost
        return request
    }

    /// The app's own header fields. Those that say who asks go to no other server, nor beside a credential.
    private func headers(for url: String, _ authentication: HTTPAuthentication?) -> [(String, String)] {
        let isOwn = HTTPOrigin(url) == HTTPOrigin(job.description.url)
        return (job.description.headers ?? [:]).filter { field in
            if HTTPHeaders.same(field.key, "Authorization") { return isOwn && authentication?.login == nil }
            return isOwn || !HTTPHeaders.same(field.key, "Cookie")
        }.map { ($0.key, $0.value) }
    }

    private func check(_ size: Int64?) throws {
        guard let limit = job.limit, let size, size > limit else { return }
        throw beyondAllowance("\(size)")
    }

    private func beyondAllowance(_ size: String) -> DeviceError {
        DeviceError(
            .allowanceExceeded,
            "\(job.description.identifier) has \(size) bytes, and BADownloadAllowance leaves \(job.limit ?? 0) before the app's "
                + "first launch.")
    }

    /// Makes room, if need be, before the first byte.
    private func makeRoom(_ size: Int64?, from offset: Int64) throws {
        guard let space = job.space, let size, size > offset else { return }
        let (key, bytes) = (job.key, size - offset)
        let failure = try waitFor { () -> (any Error)? in
            do {
                try await space.makeRoom(for: key, expected: bytes, least: bytes)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    private func receive(
        _ transfer: HTTPDownload, into file: FileDescriptor, from start: Int64, _ expected: Int64?,
        _ checkpoint: inout DownloadCheckpoint?, _ gotBytes: () -> Void
    ) throws -> Int64 {
        var flushed = start
        let size: Int64
        do {
            size = try transfer.write(
                to: file, from: start, limit: job.limit, every: TransferAttempt.reportInterval
            ) { offset in
                gotBytes()
                if offset - flushed >= Self.durableInterval {
                    try file.synchronize()
                    flushed = offset
                    checkpoint?.durable = offset
                    try checkpoint?.write(job.places.checkpoint(job.number), durable: false)
                }
                attempt.note(transfer, total: offset)
                report(offset, expected)
            }
        } catch let error as HTTPClientError where error.code == .tooLarge {
            throw beyondAllowance("more than \(job.limit ?? 0)")
        }
        report(size, expected)
        return size
    }

    /// Puts the file into its place, whole.
    private func finish(_ file: FileDescriptor, size: Int64) throws {
        if let whole = job.description.fileSize, whole != size {
            throw HTTPClientError(.wrongLength, "The file has \(size) bytes instead of \(whole).")
        }
        try file.synchronize()
        try job.places.publish(job.number, group: job.description.appGroup)
    }
}
