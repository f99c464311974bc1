// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// A manifest on the disk.
package enum ManifestFile {
    /// Its bytes. Blocks.
    /// - Parameters:
    ///   - name: what messages call it: "tag manifest".
    ///   - limit: of its size, in bytes.
    /// - Throws: `AssetPackError`, which names the file.
    package static func read(_ path: FilePath, _ name: String, limit: Int) throws -> [UInt8] {
        do {
            return try File.read(path, limit: limit)
        } catch Errno.noSuchFileOrDirectory {
            throw AssetPackError(.notFound, "There is no \(name) at \"\(path)\".")
        } catch {
            throw AssetPackError(.io, "Could not read the \(name) \"\(path)\": \(error.clause).", cause: nil)
        }
    }
}
