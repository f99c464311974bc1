// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
import Database
import HTTP
import Kit

extension PackStore {
    /// The entry that the app's newest manifest has for a pack; nil when it has none.
    package typealias Renewal = @Sendable (_ app: String, _ pack: String) async throws -> DownloadManifestPack?

    /// New addresses that are tried before one byte came.
    private static let renewalLimit = 3

    /// What an attempt's end means when addresses may expire: a refused address is replaced by that of today, and the download
    /// goes on where it was. The transfer still has its place meanwhile.
    func renewed(_ key: TransferKey, _ fetch: PackFetch, _ failure: FetchFailure?) async -> FetchFailure? {
        guard var failure, failure.isAddressRefused, !fetch.attempt.isStopped, !isClosed,
            let job = jobs[key], job.fetch === fetch, job.renewals < Self.renewalLimit
        else { return failure }
        do {
            let fresh = try await renewal(key.app, key.pack)
            guard let fresh, let request = take(fresh, for: key, fetch) else { return failure }
            await write { try $0.renew(request) }
        } catch {
            // Whoever is away now may be there when the download is tried again.
            log.info("A pack's address could not be renewed.", ["pack": key.description, "error": "\(error)"])
        }
        failure.outcome = .transient(brought: false, wish: .zero)
        return failure
    }

    /// Goes on with the entry of today, if it is of the same archive at another address.
    private func take(_ fresh: DownloadManifestPack, for key: TransferKey, _ fetch: PackFetch) -> PackRequest? {
        guard var job = jobs[key], job.fetch === fetch, fresh.url != job.request.pack.url,
            fresh.version == job.request.pack.version, fresh.downloadSize == job.request.pack.downloadSize,
            fresh.larder?.digest == job.request.pack.larder?.digest
        else { return nil }
        job.renewals += 1
        job.request.pack = fresh
        jobs[key] = job
        return job.request
    }
}

extension FetchFailure {
    private static let refusals = [401, 403, 404, 410]

    /// Whether the server does not give what is at the address, or no longer.
    var isAddressRefused: Bool {
        guard outcome == .permanent, let status = (error.cause as? HTTPClientError)?.status else { return false }
        return Self.refusals.contains(status)
    }
}
