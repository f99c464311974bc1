// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import Languages

/// Which localised packs of a manifest come to the device by themselves: those of one language (A7, BA 2.3).
struct LanguageRule: Hashable, Sendable {
    /// The language, as the packs spell it; nil when none of them is for this person.
    let resolved: LanguageTag?

    /// - Parameters:
    ///   - chosen: what the app itself set; the person's languages count no more then.
    ///   - preferred: what the person reads, best first.
    ///   - primary: what the publisher falls back to.
    init(_ packs: [DownloadManifestPack], chosen: LanguageTag?, preferred: [LanguageTag], primary: LanguageTag?) {
        let offered = Set(packs.compactMap(\.language)).compactMap { try? LanguageTag($0) }
        resolved = LanguageMatcher.best(for: chosen.map { [$0] } ?? preferred, among: offered, primary: primary)
    }

    /// Whether a pack with this language is for the person; packs that are not localised are for all.
    func includes(_ language: String?) -> Bool {
        guard let language else { return true }
        guard let resolved, let tag = try? LanguageTag(language) else { return false }
        return tag.isSame(as: resolved)
    }
}

extension DownloadManifest {
    /// `larder.primaryLanguage`: what the publisher falls back to.
    var primaryLanguage: LanguageTag? {
        larder?.objectValue?["primaryLanguage"]?.stringValue.flatMap { try? LanguageTag($0) }
    }
}
