// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// Where an app's unmanaged downloads lie: `<app root>/downloads/partial/<n>` while they come, `<group folder>/.downloads/<n>`
/// once they are whole, from where app and extension can move them without copying. `n` is the download's number, which no
/// other app's has. Everything here blocks.
struct DownloadPlaces: Sendable {
    let root: FilePath
    private let paths: LarderPaths
    static let filesName = ".downloads"

    private static let here = FileDescriptor.currentDirectory

    init(paths: LarderPaths, app: String) {
        self.paths = paths
        root = paths.appRoot(app).appending("downloads")
    }

    func partial(_ number: Int64) -> FilePath { root.appending("partial").appending("\(number)") }
    /// What is known of the bytes in `partial`.
    func checkpoint(_ number: Int64) -> FilePath { root.appending("partial").appending("\(number).json") }
    func file(_ number: Int64, group: String) -> FilePath {
        let folder = paths.groupFolder(group) ?? root
        return folder.appending(Self.filesName).appending("\(number)")
    }
    /// Where app or extension says that it has heard of an end, when it cannot be sure to be able to tell.
    func receipt(_ download: Download) -> FilePath {
        let file = file(download)
        return file.removingLastComponent().appending((file.lastComponent?.string ?? "") + ".heard")
    }
    /// The manifest that is handed to an extension.
    var manifest: FilePath { root.appending("manifest") }

    func file(_ download: Download) -> FilePath { file(download.number ?? 0, group: download.description.appGroup) }

    func prepare(group: String) throws {
        try Self.here.makeDirectories(at: root.appending("partial"), permissions: .directoryPrivate)
        _ = try files(of: group)
    }

    func writeManifest(_ body: [UInt8]) throws {
        try Self.here.makeDirectories(at: root, permissions: .directoryPrivate)
        try AtomicFile.write(body, to: manifest, durable: false)
    }

    /// The file in its place, or what has come of it.
    /// - Throws: `Errno`
    func status(_ download: Download) throws -> FileStatus {
        try Self.here.status(at: download.state == .finished ? file(download) : partial(download.number ?? 0))
    }

    /// Deletes a file from its place unless somebody has it open.
    /// - Returns: whether it is gone.
    /// - Throws: `Errno`
    func purge(_ download: Download) throws -> Bool {
        let path = file(download)
        let file = try OwnedDescriptor(path, .readOnly, options: [.noFollow, .nonBlocking])
        // Whoever opens it from here on waits until it is deleted, and finds it missing or has the whole of it.
        guard file.borrowed.takeLease() else { return false }
        try remove(path)
        return true
    }

    /// Whether somebody has the file open or mapped.
    /// - Throws: `Errno`
    func isOpen(_ download: Download) throws -> Bool {
        let file = try OwnedDescriptor(file(download), .readOnly, options: [.noFollow, .nonBlocking])
        return !file.borrowed.takeLease()
    }

    /// Says that a file is used now: the kernel says so itself when it is read, as far as it keeps that.
    /// - Throws: `Errno`
    func noteUse(_ download: Download) throws { try Self.here.setAccessTime(at: file(download)) }

    /// Moves a whole file to its place, for good.
    func publish(_ number: Int64, group: String) throws {
        let folder = try files(of: group)
        try Self.here.rename(from: partial(number), to: FilePath("\(number)"), in: folder.borrowed)
        try folder.borrowed.synchronize(dataOnly: false)
        try remove(checkpoint(number))
    }

    /// The folder of whole files. App and extension may write beside it, so no link in its place is followed.
    private func files(of group: String) throws -> OwnedDescriptor {
        guard let path = paths.groupFolder(group) else { throw Errno.invalidArgument }
        try Self.here.makeDirectories(at: path, permissions: .directoryPrivate)
        let folder = try OwnedDescriptor(path, .readOnly, options: [.directory, .noFollow])
        do {
            try folder.borrowed.makeDirectory(at: FilePath(Self.filesName), permissions: .directoryPrivate)
        } catch Errno.fileExists {}
        return OwnedDescriptor(
            try folder.borrowed.open(at: FilePath(Self.filesName), .readOnly, options: [.directory, .noFollow]))
    }

    /// What whoever hears of an end keeps locked meanwhile.
    func begun(_ download: Download) -> FilePath { FilePath(receipt(download).string + ".begun") }

    /// What became of an end that was told and not acknowledged.
    enum Hearing: Hashable {
        /// A process is at it.
        case going
        /// A receipt, or a file that was moved, says that it was heard of.
        case heard(Download.Fact)
        /// Nothing does.
        case unheard
    }

    func hearing(of download: Download) -> Hearing {
        let lock = try? OwnedDescriptor(begun(download), .readOnly, options: [.noFollow, .nonBlocking])
        // The lock before the receipt: what is let go of in between has left one.
        if let lock, (try? lock.borrowed.tryLock(.shared)) == false { return .going }
        if Self.here.exists(at: receipt(download)) { return .heard(.acknowledged) }
        return download.state == .finished && !Self.here.exists(at: file(download)) ? .heard(.vanished) : .unheard
    }

    /// Blocks until no process is at hearing of the end.
    func waitUntilHeard(_ download: Download) {
        guard let file = try? OwnedDescriptor(begun(download), .readOnly, options: [.noFollow, .nonBlocking]) else {
            return
        }
        _ = try? FileLock.acquire(file, .shared)
    }

    /// Deletes what says that an end was heard of.
    func removeReceipts(_ download: Download) throws {
        try remove(begun(download))
        try remove(receipt(download))
    }

    func discardPartial(_ number: Int64) throws {
        for path in [partial(number), checkpoint(number)] { try remove(path) }
    }

    /// Deletes a file; it being gone already is fine.
    func remove(_ path: FilePath) throws {
        do {
            try Self.here.remove(at: path)
        } catch Errno.noSuchFileOrDirectory {}
    }

    /// Bytes of the file in its place; nil when it is not there.
    func size(_ number: Int64, group: String) throws -> Int64? {
        do {
            let status = try Self.here.status(at: file(number, group: group))
            return status.kind == .regular ? status.size : nil
        } catch Errno.noSuchFileOrDirectory {
            return nil
        }
    }

    /// Deletes partial files that belong to none of `downloads`, and a manifest that nobody is being asked about: a killed service
    /// leaves them behind.
    func clean(_ downloads: [Download]) throws {
        try remove(manifest)
        let numbers = Set(downloads.filter { !$0.state.hasEnded }.compactMap(\.number))
        let kept = Set(numbers.flatMap { ["\($0)", "\($0).json"] })
        for entry in try entries(root.appending("partial")) where !kept.contains(entry) {
            try remove(root.appending("partial").appending(entry))
        }
    }

    /// Deletes whole files of all groups that belong to none of `downloads`.
    static func cleanFiles(_ paths: LarderPaths, _ downloads: [Download]) throws {
        let kept = Set(downloads.compactMap(\.number).flatMap { ["\($0)", "\($0).heard", "\($0).heard.begun"] })
        let groups = paths.state.appending("groups")
        guard here.exists(at: groups) else { return }
        for group in try here.entries(at: groups) where group.kind == .directory {
            let folder = groups.appending(group.name).appending(filesName)
            guard let opened = try? OwnedDescriptor(folder, .readOnly, options: [.directory, .noFollow]) else {
                continue
            }
            for entry in try opened.borrowed.entries() where !kept.contains(entry.name) {
                try opened.borrowed.removeTree(at: FilePath(entry.name))
            }
        }
    }

    private func entries(_ folder: FilePath) throws -> [String] {
        guard Self.here.exists(at: folder) else { return [] }
        return try Self.here.entries(at: folder).map(\.name)
    }
}

/// What is known of a partial file: enough to tell whether its bytes may be gone on from.
struct DownloadCheckpoint: Codable, Hashable, Sendable {
    var url: String
    /// What the server calls this very content; without it nothing is gone on from.
    var validator: String
    /// Bytes that are on the disk whatever happens.
    var durable: Int64
    /// Since the machine was started, all bytes in the file count; a process that is killed loses none.
    var boot: String

    static func read(_ path: FilePath) -> DownloadCheckpoint? {
        guard let bytes = try? File.read(path, limit: 1 << 16) else { return nil }
        return try? JSONCoder.decode(DownloadCheckpoint.self, from: bytes)
    }

    func write(_ path: FilePath, durable: Bool) throws {
        try AtomicFile.write(try JSONCoder.encode(self), to: path, durable: durable)
    }

    /// A name of the time since the machine was started.
    static let currentBoot: String = {
        let bytes = (try? File.read("/proc/sys/kernel/random/boot_id", limit: 64)) ?? []
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }()
}
