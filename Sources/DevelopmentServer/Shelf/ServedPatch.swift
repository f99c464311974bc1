// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Crypto
internal import HTTP
internal import Kit
internal import PackUpdates
internal import System

/// A patch that lies beside an archive, open.
struct ServedPatch: Sendable {
    /// What the manifest lists, apart from where.
    let from: Int
    let base: Digest
    let size: Int64
    let sha256: String
    let file: ServedFile
    let status: FileStatus
    /// Of the index that the patch belongs to.
    let index: VersionMark
    /// What devices fetch in place of the index.
    private(set) var list: PackList.Published?
    private var listStatus: FileStatus?

    /// nil for a file that is no patch. Reads it to its end.
    /// - Throws: `Errno`
    init?(_ path: FilePath, from: Int) throws {
        file = try ServedFile(path)
        status = try file.withDescriptor { try $0.status() }
        guard let ends = file.withDescriptor({ PatchTable.ends(of: $0) }) else { return nil }
        let (digest, length) = try file.withDescriptor { descriptor in
            var digest = SHA256()
            var length: Int64 = 0
            try withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 4096) { buffer in
                while true {
                    let count = try descriptor.read(fromAbsoluteOffset: length, into: buffer)
                    if count == 0 { return }
                    digest.update(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
                    length += Int64(count)
                }
            }
            return (digest.finish(), length)
        }
        self.from = from
        base = ends.base
        index = ends.index
        size = length
        sha256 = digest.hex
    }

    /// The patches that lie beside an archive, wherever they lead.
    /// - Parameter known: those that were there before, of which the unchanged ones are not read again.
    static func beside(archive: FilePath, known: [ServedPatch]) -> [ServedPatch] {
        guard let name = archive.lastComponent?.string else { return [] }
        let here = FileDescriptor.currentDirectory
        let folder = archive.removingLastComponent()
        let stem = name.hasSuffix(".aar") ? String(name.dropLast(4)) : name
        var found: [ServedPatch] = []
        for entry in (try? here.entries(at: folder.isEmpty ? "." : folder)) ?? [] {
            guard let from = version(entry.name, stem: stem) else { continue }
            let path = folder.appending(entry.name)
            let status = try? here.status(at: path, followingLinks: true)
            let same = known.first { $0.from == from && status.map($0.status.isUnchanged) ?? false }
            guard var patch = same ?? (try? ServedPatch(path, from: from)) else { continue }
            patch.lookForList(besidePatch: path)
            found.append(patch)
        }
        return found
    }

    /// Takes the list beside the patch that belongs to it.
    private mutating func lookForList(besidePatch path: FilePath) {
        let list = PackList.path(besidePatch: path)
        let status = try? FileDescriptor.currentDirectory.status(at: list, followingLinks: true)
        if let status, let listStatus, status.isUnchanged(listStatus) { return }
        self.list = PackList.published(besidePatch: path).flatMap { $0.belongs(base: base, index: index) ? $0 : nil }
        listStatus = status
    }

    /// Those that lead to what an index describes, the latest first, each base once.
    /// - Parameter index: SHA-256 of the index's file.
    static func listed(_ patches: [ServedPatch], index: Digest) -> [ServedPatch] {
        var bases: Set<Digest> = []
        let own = patches.filter { $0.index == VersionMark(index) }.sorted { $0.from > $1.from }
        return Array(
            own.filter { bases.insert($0.base).inserted }.prefix(DownloadManifestPack.LarderInfo.maximumPatchCount))
    }

    /// The version in the name of a patch, as `X.from-3.patch`; nil for other names.
    static func version(_ name: String, stem: String) -> Int? {
        version(name, stem: stem, ending: ".patch", DownloadManifestPack.LarderInfo.Patch.suffix)
    }

    /// The version in the name of a list, as `X.from-3.list`; nil for other names.
    static func version(ofList name: String, stem: String) -> Int? {
        version(name, stem: stem, ending: ".list", DownloadManifestPack.LarderInfo.Patch.listSuffix)
    }

    private static func version(_ name: String, stem: String, ending: String, _ suffix: (Int) -> String) -> Int? {
        let prefix = stem + ".from-"
        guard name.hasPrefix(prefix), name.hasSuffix(ending) else { return nil }
        guard let version = Int(name.dropFirst(prefix.count).dropLast(ending.count)), version >= 0,
            name == stem + suffix(version)
        else { return nil }
        return version
    }

    func listing(packURL: String) -> DownloadManifestPack.LarderInfo.Patch {
        var patch = DownloadManifestPack.LarderInfo.Patch(
            from: from, base: base.hex, packURL: packURL, size: size, sha256: sha256)
        patch.list = list?.listing(of: patch, packURL: packURL)
        return patch
    }
}

extension FileStatus {
    func isUnchanged(_ other: FileStatus) -> Bool {
        isSameFile(as: other) && size == other.size && modificationTime == other.modificationTime
    }
}
