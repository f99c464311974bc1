// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import System

extension DownloadManifest {
    /// Reads and checks the file at `path`. Archives on this machine's own server may have http URLs.
    /// - Throws: `AssetPackError` that names file, line and key.
    package static func read(_ path: FilePath) throws -> DownloadManifest {
        let bytes = try ManifestFile.read(path, "download manifest", limit: maximumSize)
        return try decode(bytes, source: path.string, allowingPlainLoopback: true)
    }
}
