// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import Crypto
import DeviceProtocol
import HTTP
import Kit
import System

/// Brings the archive of a hosted build: goes on where an earlier attempt ended, and ends only with the bytes that the
/// service described.
struct AppDownload: Sendable {
    let app: String
    let hosted: HostedInstall
    /// Where the archive is put together.
    let archive: FilePath
    let clients: any HTTPClientSource
    let governor: BandwidthGovernor
    let policy: RetryPolicy
    /// What the service describes now: asked when it no longer takes the archive's address.
    let renewal: @Sendable () async throws -> HostedBuild

    private static let refusals = [401, 403, 404, 410]
    /// New addresses that are tried before one byte came.
    private static let renewalLimit = 3

    private var size: Int64 { hosted.build.archive.size }

    /// - Throws: `DeviceError`, `Errno`; `CancellationError`, and then what came stays for the next time.
    func run(_ tell: @escaping @Sendable (InstallSteps.News) -> Void) async throws {
        var retries = Retries()
        var mayRestart = true
        var url = hosted.build.archive.url
        var renewals = 0
        while true {
            let came = Locked(false)
            do {
                try await attempt(url) { news in
                    came.withLock { $0 = true }
                    tell(news)
                }
                if try await isWhole() { return }
                guard mayRestart else { throw wrongBytes }
                mayRestart = false
                try await discard()
            } catch let error as HTTPClientError {
                try Task.checkCancellation()
                if error.code != .slow, came.withLock({ $0 }) {
                    retries.reset()
                    renewals = 0
                }
                if let status = error.status, Self.refusals.contains(status), renewals < Self.renewalLimit,
                    let fresh = try await renewed(url)
                {
                    renewals += 1
                    url = fresh
                    continue
                }
                if mayRestart, error.status == 416 || error.code == .badResponse {
                    mayRestart = false
                    try await discard()
                    continue
                }
                guard error.isTransient,
                    let wait = retries.next(policy, wish: error.retryAfter, isUnreachable: error.isUnreachable)
                else { throw unavailable(error) }
                tell(.trouble("\(hosted.build.displayName) does not come: \(error) It is asked for again."))
                try await Task.sleep(for: wait)
                tell(.trouble(nil))
            }
        }
    }

    /// The archive's address of today; nil when there is no other, or the service has another build by now.
    private func renewed(_ url: String) async throws -> String? {
        let build = try await renewal()
        guard build.id == hosted.build.id, build.archive.digest == hosted.build.archive.digest,
            build.archive.size == size, build.archive.url != url
        else { return nil }
        return build.archive.url
    }

    private func attempt(_ url: String, _ tell: @escaping @Sendable (InstallSteps.News) -> Void) async throws {
        let attempt = TransferAttempt(
            client: try clients.client(),
            share: .init(governor: governor, key: TransferKey(app: app, download: "app"), rankClass: .essential))
        try await withTaskCancellationHandler {
            try await offload { try receive(url, attempt, tell) }
        } onCancel: {
            attempt.stop()
        }
    }

    /// Blocks.
    private func receive(_ url: String, _ attempt: TransferAttempt, _ tell: (InstallSteps.News) -> Void) throws {
        try FileDescriptor.currentDirectory.makeDirectories(at: archive.removingLastComponent())
        let file = try OwnedDescriptor(archive, .readWrite, options: [.create, .noFollow], permissions: .filePrivate)
        let present = try file.borrowed.status().size
        if present == size { return }
        let start = present < size ? present : 0
        var request = HTTPRequest(url: url, headers: [], expectedLength: size)
        if start > 0 { request.rangeStart = start }
        try attempt.fetch(request) { transfer in
            let head = try transfer.waitForHead()
            let offset = head.startOffset == start ? start : 0
            try file.borrowed.resize(to: offset)
            var meter = RateMeter()
            let end = try transfer.write(
                to: file.borrowed, from: offset, every: TransferAttempt.reportInterval
            ) { offset in
                meter.add(total: offset, at: .now)
                attempt.note(transfer, total: offset)
                tell(.fetched(offset, bytesPerSecond: meter.bytesPerSecond))
            }
            tell(.fetched(end, bytesPerSecond: 0))
        }
    }

    /// Whether what is here is what was described.
    private func isWhole() async throws -> Bool {
        let path = archive
        let (digest, length) = try await offload {
            let file = try OwnedDescriptor(path, .readOnly)
            return try TreeDigest.hash(file: file.borrowed)
        }
        return length == size && digest.hex == hosted.build.archive.digest.lowercased()
    }

    private func discard() async throws {
        let path = archive
        try await offload { _ = try? FileDescriptor.currentDirectory.remove(at: path) }
    }

    private var wrongBytes: DeviceError {
        DeviceError(
            .init(rawValue: "archive.wrongDigest"),
            "\(hosted.origin.host) sends other bytes of \(hosted.build.displayName) \(hosted.build.version) than it describes. "
                + "Tell its operator.")
    }

    private func unavailable(_ error: HTTPClientError) -> DeviceError {
        DeviceError(
            .init(rawValue: error.codeName),
            "\(hosted.build.displayName) could not be fetched from \(hosted.origin.host): \(error)",
            details: ["url": hosted.origin.host, "cause": error.codeName])
    }
}
