// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// Where `AssetPackManifest.plist` says that packs are (BA 6.2).
package enum AssetPackAddress: Hashable, Sendable {
    /// Behind this text, to which the folder's name is added as it is: `https://cdn.example.com/packs/`, or `...?pack=`.
    case prefix(String)
    /// In this folder of the app's resources.
    case embedded(String)
    /// In this folder of the machine that builds, by its whole path: for a template.
    case local(FilePath)
}

extension AssetPackAddress {
    /// The address of the pack's folder of that name.
    package func url(directoryName name: String) -> String {
        switch self {
        case .prefix(let prefix): prefix + Self.encode(name)
        case .embedded(let folder): "\(folder)/\(name)"
        case .local(let folder): "http://127.0.0.1" + Self.encode(folder.appending(name).string)
        }
    }

    /// The name of the list that has such addresses.
    package var fileName: String {
        if case .local = self { return AssetPackManifestPlist.templateFileName }
        return AssetPackManifestPlist.fileName
    }

    private static func encode(_ text: String) -> String { PercentEncoding.encode(text, keeping: "+,/") }
}
