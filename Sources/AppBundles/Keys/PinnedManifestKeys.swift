// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks

/// `LarderManifestKeys`: the keys in an app's bundle that its manifests must be signed with, and where trust begins.
package struct PinnedManifestKeys: Hashable, Sendable {
    /// `Version`: rises whenever the keys change.
    package var version: Int64
    /// `RootKeys`, `RootThreshold`: hand over to other keys. Without them those that sign manifests do.
    package var root: ManifestKeyRole
    /// `Keys`, `Threshold`: sign manifests.
    package var manifest: ManifestKeyRole
    /// `GenerationFrom`: where generations begin with these keys.
    package var generationFrom: Int64?

    package func keySet(app: String) -> ManifestKeySet {
        ManifestKeySet(version: version, app: app, root: root, manifest: manifest, generationFrom: generationFrom)
    }
}
