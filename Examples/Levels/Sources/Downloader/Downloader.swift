// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import ExtensionFoundation
import StoreKit

/// The system asks before it downloads a pack with the app's installation or update.
@main
struct Downloader: StoreDownloaderExtension {
    func shouldDownload(_ assetPack: AssetPack) -> Bool {
        // Levels wants all that its policies name.
        true
    }
}
