// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks

/// What to fetch and what to take away so that the localised packs fit a language. Facts in, decisions out.
struct LanguagePlan: Hashable, Sendable {
    /// Essential and prefetch packs of the language that are not local. On-demand packs come when the app asks.
    let missing: [DownloadManifestPack]
    /// Local packs of other languages that the app did not ask for by itself, and such downloads; by id.
    let unneeded: [String]

    /// - Parameters:
    ///   - local: the packs that are local or under way.
    ///   - asked: ids of packs the app asked for by itself.
    init(
        _ packs: [DownloadManifestPack], local: [(id: String, language: String?)], rule: LanguageRule,
        asked: Set<String>
    ) {
        let here = Set(local.map(\.id))
        missing = packs.filter { pack in
            pack.language != nil && pack.downloadPolicy != .onDemand && rule.includes(pack.language)
                && !here.contains(pack.id)
        }
        unneeded = local.filter { !rule.includes($0.language) && !asked.contains($0.id) }.map(\.id).sorted()
    }
}
