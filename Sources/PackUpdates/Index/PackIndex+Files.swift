// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
package import System

extension PackIndex {
    /// Where the index of an archive stands: beside it, under its whole name and `.index`.
    package static func path(besideArchive archive: FilePath) -> FilePath {
        FilePath(archive.string + fileSuffix)
    }

    /// Reads and checks the file at `path`.
    /// - Throws: `PackUpdateError` that names the file.
    package static func read(_ path: FilePath) throws -> PackIndex {
        do {
            return try PackIndex(decoding: File.read(path, limit: maximumSize))
        } catch let error as PackUpdateError {
            throw PackUpdateError(error.code, "\(path): \(error.message)", cause: error.cause)
        } catch let error as any LarderError {
            throw PackUpdateError(.damagedIndex, "\(path): \(error.description)", cause: error)
        } catch {
            throw PackUpdateError(.io, "Could not read the index \"\(path)\": \(error).", cause: error)
        }
    }

    /// Writes the file, complete or not at all.
    /// - Returns: its bytes.
    /// - Throws: `AssetPackError`; `outputExists` when something is at `path`.
    @discardableResult
    package func write(to path: FilePath) throws -> [UInt8] {
        let bytes = try encoded()
        do {
            var file = try NewFile(at: path)
            try file.descriptor.writeAll(bytes)
            try file.publish()
        } catch {
            throw Packager.describe(error, writing: path)
        }
        return bytes
    }
}
