// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import PackNamespace
import PackUpdates
import System

/// What the files of all local packs of all apps of this person hold, as the lists beside them say. Blocks.
struct LocalVersions {
    /// The folder with all app roots.
    let apps: FilePath

    init(appRoot: FilePath) { apps = appRoot.removingLastComponent() }

    /// Where contents are, for those of `wanted` that are anywhere: in the pack's own version if it has them.
    /// - Parameters:
    ///   - folders: looked into first, those of the pack's own versions.
    ///   - key: what contents are known by there.
    ///   - isCancelled: asked now and then.
    func find<Key>(
        _ wanted: Set<Key>, first folders: [FilePath], by key: (Digest) -> Key, isCancelled: () throws -> Void
    ) throws -> [Key: LocalFile] {
        var found: [Key: LocalFile] = [:]
        var seen: Set<FilePath> = []
        for folder in folders + versions() where seen.insert(folder).inserted && found.count < wanted.count {
            try isCancelled()
            guard let list = ContentList(ContentList.path(of: folder)) else { continue }
            list.forEach { record in
                guard let known = Digest(bytes: Array(record.digest)).map(key), wanted.contains(known),
                    found[known] == nil, let file = record.record.map({ LocalFile($0, in: folder) }), file.isUnchanged
                else { return }
                found[known] = file
            }
        }
        return found
    }

    /// The files of one version.
    static func files(in folder: FilePath) -> [LocalFile] {
        var files: [LocalFile] = []
        ContentList(ContentList.path(of: folder))?.forEach { record in
            if let record = record.record { files.append(LocalFile(record, in: folder)) }
        }
        return files
    }

    /// The files of a version that an index has not.
    static func files(of own: UpdateFetch.Own, without index: PackIndex) -> [LocalFile] {
        let kept = Set(index.contents.map(\.digest))
        return files(in: own.folder).filter { !kept.contains($0.digest) && $0.size > 0 }
    }

    /// As many patches are looked at for an update: each costs a request.
    private static let mostPatches = 4

    /// The listed patches that start from the archive of any local version, the smallest first. A version of which nobody
    /// knows the archive is told by its number.
    func patches(of download: PackDownload, to own: UpdateFetch.Own?) -> [ListedPatchState] {
        guard !download.patches.isEmpty else { return [] }
        let archives = Set(versions().compactMap { ContentList.archive(ContentList.path(of: $0)) })
        let number = own.flatMap { ContentList.archive(ContentList.path(of: $0.folder)) == nil ? $0.version : nil }
        let usable = download.patches.filter { patch in
            patch.from == number || Digest(hex: patch.base).map(archives.contains) == true
        }
        return usable.sorted { $0.file.size < $1.file.size }.prefix(Self.mostPatches).map(ListedPatchState.init)
    }

    /// The files of the local version that a patch and its list start from; nil when they are not known, or too many.
    func listBase(of patch: PackDownload.ListedPatch, to own: UpdateFetch.Own?) -> PackListBase? {
        let archive = Digest(hex: patch.base)
        let known = versions().first { ContentList.archive(ContentList.path(of: $0)) == archive }
        return (known ?? own?.folder).flatMap(Self.listed).flatMap(PackListBase.init)
    }

    /// What is known of an index by who has a version of the pack; nil without a list of its contents.
    static func foreknowledge(of folder: FilePath) -> IndexForeknowledge? {
        listed(folder).map(IndexForeknowledge.init)
    }

    /// Below the pack's contents.
    static func paths(of folder: FilePath) -> Set<String> { Set(listed(folder)?.map(\.path) ?? []) }

    private static func listed(_ folder: FilePath) -> [PackListBase.File]? {
        guard let list = ContentList(ContentList.path(of: folder)) else { return nil }
        var files: [PackListBase.File] = []
        list.forEach { record in
            guard let digest = Digest(bytes: Array(record.digest)) else { return }
            let path = String(decoding: record.path, as: UTF8.self)
            files.append(.init(path: path, size: Int64(clamping: record.size), digest: digest))
        }
        return files
    }

    /// Whether any pack of any app is local.
    var isEmpty: Bool { versions().isEmpty }

    /// The folders of all versions of all packs that have a list.
    private func versions() -> [FilePath] {
        let here = FileDescriptor.currentDirectory
        func names(_ folder: FilePath) -> [FilePath] {
            ((try? here.entries(at: folder)) ?? []).map(\.name).sorted().map { folder.appending($0) }
        }
        return names(apps).flatMap { names(AppRootLayout(root: $0).packs) }.flatMap(names).compactMap { path in
            path.string.hasSuffix(ContentList.suffix)
                ? FilePath(String(path.string.dropLast(ContentList.suffix.utf8.count))) : nil
        }
    }

    /// Makes the list of a version that has none, or a damaged one, by reading all of its files.
    /// - Throws: `Errno`, what `isCancelled` throws.
    static func makeList(of folder: FilePath, paths: [String], isCancelled: () throws -> Void) throws {
        guard ContentList(ContentList.path(of: folder)) == nil else { return }
        let directory = try OwnedDescriptor(folder, .readOnly, options: .directory)
        var records: [UInt8] = []
        for path in paths {
            try isCancelled()
            guard let file = try? directory.borrowed.open(at: FilePath(path), .readOnly, options: .noFollow) else {
                continue
            }
            let owned = OwnedDescriptor(file)
            let status = try owned.borrowed.status()
            guard status.kind == .regular else { continue }
            var hash = SHA256()
            try FilePieces(owned.borrowed).forEach(UInt64(clamping: status.size)) {
                try isCancelled()
                hash.update($0)
            }
            FileRecord(
                path: path, size: UInt64(clamping: status.size), stamp: FileStamp(status), digest: hash.finish()
            ).append(to: &records)
        }
        try records.withUnsafeBytes { try ContentList.write($0, of: nil, to: ContentList.path(of: folder)) }
    }
}

extension LocalFile {
    init(_ record: FileRecord, in folder: FilePath) {
        self.init(
            folder: folder, path: record.path, size: record.size, stamp: record.stamp, digest: record.digest)
    }
}
