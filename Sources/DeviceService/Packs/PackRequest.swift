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
    /// Among what is fetched for the same reason. It is not kept over a restart: whoever waits asks again.
    package var importance: FetchImportance

    package init(
        app: String, pack: DownloadManifestPack, kind: FetchKind, foreground: Bool,
        importance: FetchImportance = .standard
    ) {
        self.app = app
        self.pack = pack
        self.kind = kind
        self.foreground = foreground
        self.importance = importance
    }

    var rankClass: TransferRank.Class { kind.rankClass(foreground: foreground, importance: importance) }
    var priority: Int { kind.priority(importance) }
}
