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
        guard let (_, index) = try load(path) else {
            throw PackUpdateError(.io, "There is no index at \"\(path)\".")
        }
        return index
    }

    /// The index that lies beside an archive, and its file's bytes; nil when there is none.
    /// - Throws: `PackUpdateError` that names the file.
    static func beside(archive: FilePath) throws -> (bytes: [UInt8], index: PackIndex)? {
        try load(path(besideArchive: archive))
    }

    /// The index at `path`, and the file's bytes; nil when there is none.
    /// - Throws: `PackUpdateError` that names the file.
    static func load(_ path: FilePath) throws -> (bytes: [UInt8], index: PackIndex)? {
        do {
            let bytes = try File.read(path, limit: maximumSize)
            return (bytes, try PackIndex(decoding: bytes))
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch let error as PackUpdateError {
            throw PackUpdateError(error.code, "\(path): \(error.message)", cause: error.cause)
        } catch let error as any LarderError {
            throw PackUpdateError(.damagedIndex, "\(path): \(error.description)", cause: error)
        } catch {
            throw PackUpdateError(.io, "Could not read the index \"\(path)\": \(error.clause).", cause: error)
        }
    }

    /// What is said of an index that is not the archive's. Either may be at fault, and a new index of a damaged archive
    /// would hide the damage.
    static func mismatch(besideArchive archive: FilePath, _ reason: String) -> PackUpdateError {
        PackUpdateError(
            .mismatch,
            "\(path(besideArchive: archive)) is not the index of the archive beside it: \(reason). If the archive was damaged, "
                + "restore it ('ba-package verify --manifest' tells); if it is right, remove its index and make it again with "
                + "'ba-package index'.")
    }
}
