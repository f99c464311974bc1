// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import ExtensionFoundation

/// An app's extension whose asset packs the system downloads by their policies. (BA 1.13)
///
/// The extension only decides which of them. Without a line of code it downloads them all:
/// ```swift
/// @main
/// struct Downloader: ManagedDownloaderExtension {}
/// ```
public protocol ManagedDownloaderExtension: BADownloaderExtension
where Configuration: ManagedDownloaderExtensionConfiguration {
    /// Whether the system downloads a pack that the policies allow for what is happening now.
    ///
    /// Asked for `essential` and `prefetch` packs, once for each installation or update.
    /// - Parameter assetPack: The pack, as the server offers it.
    /// - Returns: `true`, unless implemented otherwise.
    func shouldDownload(_ assetPack: AssetPack) -> Bool
}

extension ManagedDownloaderExtension {
    /// Takes every pack.
    public func shouldDownload(_ assetPack: AssetPack) -> Bool { true }

    /// The configuration that asks ``shouldDownload(_:)``.
    @MainActor @preconcurrency
    public var configuration: some ManagedDownloaderExtensionConfiguration {
        ManagedConfiguration(extension: self)
    }
}
