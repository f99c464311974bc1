// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
import HTTP
import Kit

extension PackStore {
    /// What bringing a local pack to an offered version would take; nil when the pack is not local. Fetches its index, and at most
    /// the beginnings of patches.
    /// - Throws: `StoreError`; `HTTPClientError` when the server cannot be asked.
    package func forecast(app: String, pack: DownloadManifestPack) async throws -> UpdateForecast? {
        let generations = try generations(of: app)
        let permitsHost = try await hostRule(app)
        let request = PackRequest(app: app, pack: pack, kind: .update, foreground: true)
        let attempt = TransferAttempt(
            client: try clients.client(),
            share: TransferAttempt.Share(
                governor: governor, key: TransferKey(app: app, pack: pack.id), rankClass: request.rankClass))
        return try await withTaskCancellationHandler {
            try await offload {
                let download = PackDownload(pack)
                guard let own = try UpdateFetch.Own(download.id, generations, attempt) else { return nil }
                return try UpdateForecaster(
                    download: download, own: own, layout: generations.layout, attempt: attempt,
                    permitsHost: permitsHost
                ).run()
            }
        } onCancel: {
            attempt.stop()
        }
    }
}
