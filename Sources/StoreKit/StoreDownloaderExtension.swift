// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// Whoever imports StoreKit for the extension protocol means the asset packs of BackgroundAssets.
@_exported public import BackgroundAssets

/// An app's extension that downloads asset packs which the store hosts. (BA 1.13)
///
/// The system downloads the packs by their policies; the extension only decides which ones. Without a line of code it
/// downloads them all:
/// ```swift
/// @main
/// struct Downloader: StoreDownloaderExtension {}
/// ```
public protocol StoreDownloaderExtension: ManagedDownloaderExtension {}
