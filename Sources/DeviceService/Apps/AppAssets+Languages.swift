// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import DeviceProtocol
import Kit

extension AppAssets {
    /// Fetches the packs of the app's language, waits for them, and takes those of others away (BA 1.11
    /// `reconcilePreferredLanguages`).
    func reconcileLanguages(_ app: String) async throws -> EnsureLocalAvailabilityRequest.Reply {
        let keys = try await keys(app)
        var manifest = try await catalogue.known(app, keys: keys).manifest
        // Without need the server is not asked: what is local stays so without a network.
        if try await !languagePlan(app, manifest, keys).missing.isEmpty {
            manifest = try await catalogue.fetch(app, keys: keys).manifest
        }
        return try await settleLanguage(app, manifest, keys, kind: .onDemand, isForeground: true)
    }

    /// What is to be done for the app's language, which the app is told of.
    func languagePlan(
        _ app: String, _ manifest: DownloadManifest, _ keys: BackgroundAssetsKeys
    ) async throws -> LanguagePlan {
        let rule = try await languages.rule(app, manifest, keys)
        try await languages.publish(app, rule)
        let local = try await store.localPacks(app: app).map { (id: $0.id, language: $0.language) }
        return LanguagePlan(
            manifest.assetPacks, local: local, rule: rule, asked: try await registry.askedPacks(app))
    }

    /// Does what the plan says. What another language's packs were good for is kept until all of the new language is there.
    /// - Parameter declined: ids that the extension said no to.
    func settleLanguage(
        _ app: String, _ manifest: DownloadManifest, _ keys: BackgroundAssetsKeys, declined: Set<String> = [],
        kind: FetchKind, isForeground: Bool
    ) async throws -> EnsureLocalAvailabilityRequest.Reply {
        let plan = try await languagePlan(app, manifest, keys)
        var reply = EnsureLocalAvailabilityRequest.Reply(successes: [], failures: [])
        let missing = plan.missing.filter { !declined.contains($0.id) }
        try await cancelOtherLanguages(app, manifest, keys)
        if !missing.isEmpty {
            try await fetch(
                Dictionary(missing.map { ($0.id, $0) }) { $1 }, app: app, kind: kind, isForeground: isForeground, &reply
            )
        }
        guard reply.failures.isEmpty else { return reply }
        // Looked at anew: the language may have changed again meanwhile.
        for pack in try await languagePlan(app, manifest, keys).unneeded {
            try await store.remove(app: app, pack: pack)
        }
        return reply
    }

    /// Downloads of packs for another language, unless the app asked for them, are of no more use.
    private func cancelOtherLanguages(
        _ app: String, _ manifest: DownloadManifest, _ keys: BackgroundAssetsKeys
    ) async throws {
        let rule = try await languages.rule(app, manifest, keys)
        let asked = try await registry.askedPacks(app)
        let local = Set(try await store.localPacks(app: app).map(\.id))
        for transfer in try await store.transfers(app: app) where !local.contains(transfer.pack) {
            guard let pack = manifest[transfer.pack], !rule.includes(pack.language), !asked.contains(pack.id) else {
                continue
            }
            try await store.cancel(app: app, pack: pack.id)
        }
    }
}
