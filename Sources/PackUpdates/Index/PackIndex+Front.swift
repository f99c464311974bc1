// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
import Crypto

extension PackIndex {
    /// What a device fetches and checks of an index before anything else.
    package typealias Front = DownloadManifestPack.LarderInfo.UpdateFile.Front

    /// The front of an index's file.
    /// - Returns: nil for what is no index of this version, or is shorter than its front is said to be.
    package static func front(of file: [UInt8]) -> Front? {
        guard let size = IndexFront.size(head: file[...]), size <= file.count else { return nil }
        return Front(size: Int64(size), sha256: SHA256.hash(Array(file[..<size])).hex)
    }
}
