// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import Kit

extension PackDescription {
    /// A pack of a manifest as clients see it.
    init(_ pack: DownloadManifestPack) {
        self.init(
            id: pack.id, version: pack.version, downloadSize: pack.downloadSize,
            installedSize: pack.larder?.installedSize, policy: PackPolicy(rawValue: pack.downloadPolicy.name),
            language: pack.language, userInfo: pack.userInfo?.serialized())
    }

    /// A local pack that no manifest has any more.
    init(_ pack: LocalPack) {
        self.init(
            id: pack.id, version: pack.version, downloadSize: pack.downloadSize, installedSize: pack.installedSize,
            policy: .onDemand, language: pack.language, userInfo: pack.userInfo?.serialized())
    }
}
