// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation

/// The asset packs that an app can download. (BA 1.12)
///
/// ``AssetPackManager/manifest`` has the one that the system manages. An app that manages its packs by hand makes its own from
/// a download manifest, the JSON that `ba-package download-manifest` writes.
public struct AssetPackManifest: Sendable {
    /// All packs of the manifest.
    public let assetPacks: Set<AssetPack>

    /// The language that others fall back to, if the publisher named one.
    public let primaryLanguage: Locale.Language?

    package init(assetPacks: Set<AssetPack>, primaryLanguage: String? = nil) {
        self.assetPacks = assetPacks
        self.primaryLanguage = primaryLanguage.map { Locale.Language(identifier: $0) }
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
        let decoder = ManifestDecoder(name: name, appGroupID: appGroupID)
        self.init(assetPacks: try decoder.packs(in: data))
    }

    /// The pack with an identifier, or `nil`.
    public func assetPack(withID assetPackID: String) -> AssetPack? {
        assetPacks.first { $0.id == assetPackID }
    }

    /// The languages that some pack is localised for, each once, in the order of their identifiers.
    public var availableLanguages: [Locale.Language] {
        Set(assetPacks.compactMap(\.language)).sorted { $0.minimalIdentifier < $1.minimalIdentifier }
    }

    /// Makes downloads of all packs, for an app that manages its packs by hand.
    /// - Parameter contentRequest: The request that a downloader extension answers; `nil` in an app.
    public func allDownloads(for contentRequest: BAContentRequest?) -> Set<BADownload> {
        Set(assetPacks.map { $0.download(for: contentRequest) })
    }
}
