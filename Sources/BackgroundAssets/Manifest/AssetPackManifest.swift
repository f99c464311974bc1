// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation
internal import Kit
internal import Languages

/// The asset packs that an app can download. (BA 1.12)
///
/// ``AssetPackManager/manifest`` has the one that the system manages. An app that manages its packs by hand makes its own from
/// a download manifest, the JSON that `ba-package download-manifest` writes.
public struct AssetPackManifest: Sendable {
    /// All packs of the manifest.
    public let assetPacks: Set<AssetPack>

    /// The language that others fall back to, if the publisher named one.
    public let primaryLanguage: Locale.Language?

    /// The language, of those that packs are localised for, which fits the person best: of the manifest that the system
    /// manages, the one whose packs it keeps on the device. `nil` when there is none, not even the primary language.
    public let resolvedLanguage: Locale.Language?

    package init(assetPacks: Set<AssetPack>, primaryLanguage: String? = nil, resolvedLanguage: String? = nil) {
        self.assetPacks = assetPacks
        self.primaryLanguage = primaryLanguage.map { Locale.Language(identifier: $0) }
        self.resolvedLanguage = resolvedLanguage.map { Locale.Language(identifier: $0) }
    }

    /// Reads a download manifest from a file.
    /// - Parameters:
    ///   - url: The place of a local JSON file.
    ///   - appGroupID: The app group in which downloads store their files.
    /// - Throws: `CocoaError` when there is no such file; `BackgroundAssetsError` that names file, line and key when it is not
    ///   a download manifest.
    public init(contentsOf url: URL, appGroupID: String) throws {
        guard url.isFileURL else {
            throw BackgroundAssetsError(
                .invalidManifest, "\(url.absoluteString) is not a file. Download the manifest first, or pass its data.")
        }
        try self.init(from: try Data(contentsOf: url), named: url.path(percentEncoded: false), appGroupID: appGroupID)
    }

    /// Reads a download manifest from memory.
    /// - Parameters:
    ///   - data: JSON.
    ///   - appGroupID: The app group in which downloads store their files.
    /// - Throws: `BackgroundAssetsError` that names line and key when the data is not a download manifest.
    public init(from data: Data, appGroupID: String) throws {
        try self.init(from: data, named: "The manifest", appGroupID: appGroupID)
    }

    private init(from data: Data, named name: String, appGroupID: String) throws {
        let (packs, primary) = try ManifestDecoder(name: name, appGroupID: appGroupID).read(data)
        let best = LanguageMatcher.best(
            for: PreferredLanguages.of(Environment.current), among: packs.compactMap { $0.language?.tag },
            primary: primary.flatMap { try? LanguageTag($0) })
        self.init(assetPacks: packs, primaryLanguage: primary, resolvedLanguage: best?.description)
    }

    /// The pack with an identifier, or `nil`.
    public func assetPack(withID assetPackID: String) -> AssetPack? {
        assetPacks.first { $0.id == assetPackID }
    }

    /// The languages that some pack is localised for, each once, in the order of their identifiers.
    public var availableLanguages: [Locale.Language] {
        Set(assetPacks.compactMap(\.language)).sorted { $0.minimalIdentifier < $1.minimalIdentifier }
    }

    /// The packs that are localised for ``resolvedLanguage``.
    public var localizedAssetPacks: Set<AssetPack> { resolvedLanguage.map { packs(for: $0) } ?? [] }

    /// The packs that are localised for the language which fits another one best: the same, or else its nearest variant of
    /// another region, or else the primary language.
    public func localizedAssetPacks(for language: Locale.Language) -> Set<AssetPack> {
        guard let wanted = language.tag else { return [] }
        let best = LanguageMatcher.best(
            for: [wanted], among: assetPacks.compactMap { $0.language?.tag }, primary: primaryLanguage?.tag)
        return best.map { packs(for: Locale.Language(identifier: $0.description)) } ?? []
    }

    private func packs(for language: Locale.Language) -> Set<AssetPack> {
        assetPacks.filter { $0.language.map { $0.isSame(as: language) } ?? false }
    }

    /// Makes downloads of all packs, for an app that manages its packs by hand.
    /// - Parameter contentRequest: The request that a downloader extension answers; `nil` in an app.
    public func allDownloads(for contentRequest: BAContentRequest?) -> Set<BADownload> {
        Set(assetPacks.map { $0.download(for: contentRequest) })
    }
}
