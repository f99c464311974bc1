// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import Kit
import Languages
import PackNamespace

/// Puts together what the choice of an app's language rests on, and lets the app know of it.
struct AppLanguages: Sendable {
    let paths: LarderPaths
    let settings: SettingsStore
    let personal: SettingsFile

    /// What the person reads, best first: what was set, or else what the command line last found in its environment, or else
    /// what the service's own environment says.
    func preferred() async throws -> [LanguageTag] {
        if let set = personal.current.languages { return LanguageList.tags(set) }
        return try await settings.reportedLanguages() ?? PreferredLanguages.of(Environment.current)
    }

    /// - Parameter keys: of the bundle that the packs are for.
    func rule(_ app: String, _ manifest: DownloadManifest, _ keys: BackgroundAssetsKeys) async throws -> LanguageRule {
        let files = files(app)
        let chosen = try await offload { files.chosen() }
        return LanguageRule(
            manifest.assetPacks, chosen: chosen.flatMap { try? LanguageTag($0) },
            preferred: try await preferred(), primary: primary(manifest, keys))
    }

    /// What the publisher falls back to: the manifest's word, or the app's development region.
    func primary(_ manifest: DownloadManifest, _ keys: BackgroundAssetsKeys) -> LanguageTag? {
        manifest.primaryLanguage ?? keys.developmentRegion.flatMap { PreferredLanguages.tag(ofLocale: $0) }
    }

    /// Writes down for the app what the rule says.
    func publish(_ app: String, _ rule: LanguageRule) async throws {
        let (files, tag) = (files(app), rule.resolved?.description)
        try await offload { try files.setResolved(tag) }
    }

    /// Whether the rule says something else than what is written down.
    func isNew(_ app: String, _ rule: LanguageRule) async throws -> Bool {
        let files = files(app)
        return try await offload { files.resolved() } != rule.resolved?.description
    }

    private func files(_ app: String) -> AppLanguageFiles {
        AppLanguageFiles(AppRootLayout(root: paths.appRoot(app)))
    }
}
