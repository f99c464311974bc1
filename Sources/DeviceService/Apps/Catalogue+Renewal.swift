// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks

extension Catalogue {
    /// Fetches an app's manifest again for where a pack is today: also of an app that is just being installed.
    nonisolated func renewal(_ registry: AppRegistry, _ bundles: BundleStore) -> PackStore.Renewal {
        { app, pack in
            guard let keys = try await registry.newestBundle(app, bundles)?.backgroundAssets else { return nil }
            return try await self.fetch(app, keys: keys).manifest[pack]
        }
    }
}
