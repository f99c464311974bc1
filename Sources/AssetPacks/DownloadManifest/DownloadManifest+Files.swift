// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

extension DownloadManifest {
    /// Reads and checks the file at `path`. Archives on this machine's own server may have http URLs.
    /// - Throws: `AssetPackError` that names file, line and key.
    package static func read(_ path: FilePath) throws -> DownloadManifest {
        let bytes: [UInt8]
        do {
            bytes = try File.read(path, limit: maximumSize)
        } catch Errno.noSuchFileOrDirectory {
            throw AssetPackError(.notFound, "There is no download manifest at \"\(path)\".")
        } catch {
            throw AssetPackError(.io, "Could not read the download manifest \"\(path)\": \(error).", cause: nil)
        }
        return try decode(bytes, source: path.string, allowingPlainLoopback: true)
    }
}
