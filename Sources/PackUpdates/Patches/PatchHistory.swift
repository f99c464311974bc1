// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
package import Crypto
import Kit
package import System

/// Earlier versions of a pack, from which patches can be made: what a download manifest tells of them, and where their
/// archives are.
package struct PatchHistory {
    /// A version that devices may have.
    package struct Version: Hashable, Sendable {
        package let number: Int
        /// Tree digest of its archive, in lower-case hexadecimal.
        package let digest: String

        package init(number: Int, digest: String) {
            self.number = number
            self.digest = digest
        }
    }

    /// The last versions before a new archive, the latest first: the one that the manifest offers, and those from which it
    /// lists patches.
    package static func versions(of pack: DownloadManifestPack?, before digest: String, atMost count: Int) -> [Version]
    {
        guard let pack, let info = pack.larder else { return [] }
        var versions = info.patches.map { Version(number: $0.from, digest: $0.base) }
        if info.digest.algorithm == DownloadManifestPack.LarderInfo.Digest.treeAlgorithm {
            versions.append(Version(number: pack.version, digest: info.digest.value))
        }
        return Array(versions.filter { $0.digest != digest }.sorted { $0.number > $1.number }.prefix(max(0, count)))
    }

    private static let deepestFolder = 3
    private let archives: [String: [FilePath]]

    /// Looks for archives in a folder and those in it. Blocks.
    /// - Throws: `PackUpdateError.io` when the folder cannot be read.
    package init(folder: FilePath) throws {
        var archives: [String: [FilePath]] = [:]
        do {
            try Self.forEachArchive(in: folder, depth: 0) { path in
                if let digest = Self.digest(of: path) { archives[digest, default: []].append(path) }
            }
        } catch Errno.noSuchFileOrDirectory {
            throw PackUpdateError(
                .notFound,
                "There is no folder \"\(folder)\" in which earlier archives could be. Name the one that has them.")
        } catch let error as Errno {
            throw PackUpdateError(
                .io, "Could not look for earlier archives in \"\(folder)\": \(error.clause).", cause: error)
        }
        self.archives = archives
    }

    /// The archive with a tree digest, from reading all of it; nil when it is not there. Blocks.
    /// - Parameter note: told of archives that are something else than the indexes beside them say.
    package func archive(of version: Version, note: (String) -> Void) -> FilePath? {
        archives[version.digest]?.first { path in
            if Self.read(path) == version.digest { return true }
            note("\(path) is not the archive of the index beside it: it was damaged, or changed. Restore it.")
            return false
        }
    }

    private static func forEachArchive(in folder: FilePath, depth: Int, _ body: (FilePath) -> Void) throws {
        for entry in try FileDescriptor.currentDirectory.entries(at: folder) where !entry.name.hasPrefix(".") {
            let path = folder.appending(entry.name)
            switch entry.kind {
            case .directory where depth < deepestFolder: try? forEachArchive(in: path, depth: depth + 1, body)
            case .regular where entry.name.hasSuffix(".aar"): body(path)
            default: continue
            }
        }
    }

    /// From the index beside it when that can be the archive's, so that not every archive is read.
    private static func digest(of path: FilePath) -> String? {
        if let (_, index) = try? PackIndex.beside(archive: path),
            index.archive.size == (try? FileDescriptor.currentDirectory.status(at: path, followingLinks: true).size)
        {
            return index.archive.digest.hex
        }
        return read(path)
    }

    private static func read(_ path: FilePath) -> String? {
        guard let file = try? OwnedDescriptor(path, .readOnly) else { return nil }
        return (try? TreeDigest.hash(file: file.borrowed))?.digest.hex
    }
}

extension PatchTable {
    /// Where the patch from a version goes: beside the new archive, under its name without `.aar`.
    package static func path(besideArchive archive: FilePath, from version: Int) -> FilePath {
        let name = archive.string.hasSuffix(".aar") ? String(archive.string.dropLast(4)) : archive.string
        return FilePath(name + DownloadManifestPack.LarderInfo.Patch.suffix(from: version))
    }

    /// Whether the file at a path is the patch between two versions already, as long as it says.
    package static func isPatch(_ path: FilePath, from old: PatchVersion, to new: PatchVersion) -> Bool {
        (try? facts(path, from: old, to: new)) != nil
    }

    /// What a file says to lead from and to: the tree digest of the old archive, and the mark of the new one's index. nil
    /// for a file that is no patch. Reads where the file stands.
    package static func ends(of file: FileDescriptor) -> (base: Digest, index: VersionMark)? {
        guard let head = try? file.readPrefix(headSize), (try? size(head: head)) != nil,
            let ends = try? versions(head: head)
        else { return nil }
        return (ends.base, ends.index)
    }

    /// What a download manifest lists of a patch.
    /// - Throws: `PackUpdateError.io`
    package static func listing(
        _ path: FilePath, from version: PatchHistory.Version, packURL: String
    ) throws -> DownloadManifestPack.LarderInfo.Patch {
        do {
            let file = try OwnedDescriptor(path, .readOnly)
            var digest = SHA256()
            var size: Int64 = 0
            try withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 4096) { buffer in
                while true {
                    let count = try file.borrowed.read(into: buffer)
                    if count == 0 { return }
                    digest.update(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
                    size += Int64(count)
                }
            }
            return .init(
                from: version.number, base: version.digest, packURL: packURL, size: size, sha256: digest.finish().hex)
        } catch {
            throw PackUpdateError(.io, "Could not read the patch \"\(path)\": \(error.clause).", cause: error)
        }
    }
}

extension FileDescriptor {
    /// The next bytes, as many as there are.
    func readPrefix(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBytes { try readFully(into: $0) }
        return Array(bytes.prefix(read))
    }
}
