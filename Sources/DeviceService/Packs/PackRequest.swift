// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks

/// A pack that is to become local, and why.
package struct PackRequest: Hashable, Sendable {
    package var app: String
    package var pack: DownloadManifestPack
    package var kind: FetchKind
    /// Somebody waits for it now.
    package var foreground: Bool

    package init(app: String, pack: DownloadManifestPack, kind: FetchKind, foreground: Bool) {
        self.app = app
        self.pack = pack
        self.kind = kind
        self.foreground = foreground
    }
}
