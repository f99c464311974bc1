// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Glibc
import Kit
import PackNamespace
import System

/// Writes a pack's files into its staging folder as they are decoded.
///
/// `manifest.json` is read and checked against the pack; of the rest only what lies below `Contents/` is written. No
/// symbolic link is ever made here: one to a file or folder of the pack becomes second names of files, any other is refused.
/// So no path can lead out of the folder. Files have mode 0444.
final class StagingSink: ArchiveSink {
    /// All that must be known to go on with the files; part of a checkpoint.
    struct State: Codable, Hashable, Sendable {
        /// Bytes of the journal that count.
        var journalLength: UInt64 = 0
        var fileCount: UInt64 = 0
        var installedSize: UInt64 = 0
        var allocatedSize: UInt64 = 0
        /// Bytes of files that were linked from the version before instead of written.
        var linkedSize: UInt64 = 0
        var manifestWasRead = false
        var links: [Link] = []
        /// What they and the clusters take in memory, and in each checkpoint, more or less.
        var linkSize: UInt64 = 0
        var folderCount: UInt64 = 0
        /// Of each cluster of hard links the path that carried the content.
        var clusters: [UInt64: String] = [:]
        var current: Current?
    }

    /// A second name of a file, made when all files are there.
    struct Link: Codable, Hashable, Sendable {
        var path: String
        /// Relative to `Contents/`.
        var target: String
    }

    /// The file that is being written.
    struct Current: Codable, Hashable, Sendable {
        var path: String
        var size: UInt64
        var written: UInt64 = 0
        /// So far it equals the file of the same path in the version before, and nothing was written.
        var matchesOld = false

        /// Whether another thread takes its digest.
        var isLong: Bool { size >= 1 << 20 }
    }

    /// What an archive may make the device keep, beside its files' bytes.
    struct Bounds: Hashable, Sendable {
        /// Of links and hard links, whose names are kept until the end.
        var linkSize: UInt64 = 64 << 20
        /// Also such as stand in paths only: few long paths can name many.
        var folders: UInt64 = 4_000_000
    }

    static let contentsPrefix = "Contents/"
    private static let manifestName = "manifest.json"
    private static let largestManifest = 16 << 20
    /// Bytes of the journal that are gathered in memory.
    private static let largestPending = 4 << 20

    /// So many bytes stay in the processor's cache from the digest to the write; and for larger writes the kernel looks for
    /// larger pages, whose memory it may have to get from afar.
    private static let portion = 256 << 10
    /// The disk writes while more comes, in pieces of so many bytes.
    private static let flushed: UInt64 = 8 << 20

    let packID: String
    var state: State
    private(set) var journal = StagingJournal()
    /// Bytes written since the sink was made.
    private(set) var bytesWritten: Int64 = 0

    let contents: OwnedDescriptor
    private let previous: PreviousVersion?
    let blockSize: UInt64
    let bounds: Bounds
    /// Whether files of this file system can share blocks; nil until it was tried.
    var sharesBlocks: Bool?
    /// Up to where the disk was told to write the file that is being written.
    var flushing: UInt64 = 0
    private var folder: (path: String, descriptor: FileDescriptor)?
    var output: FileDescriptor?
    private var manifest: [UInt8]?
    /// Of the file that is being written.
    var digest = StagingDigest()
    let digester = StagingDigester()
    /// A file whose bytes all came, and of which `end` has to be told yet.
    var closed: Closed?
    let staged: StagedPack
    private var mayBeLeftover: LeftoverCheck
    let writeback = StagingWriteback()

    /// - Parameters:
    ///   - resuming: the state at the checkpoint; files of the folder that it does not list may be overwritten.
    ///   - previous: the folder of the pack's local version, to link unchanged files from.
    /// - Throws: `Errno`, `StoreError` when the folder does not fit the state.
    init(
        _ staged: StagedPack, resuming: State?, previous: FilePath?, blockSize: Int64, bounds: Bounds = Bounds()
    ) throws {
        packID = staged.id
        self.staged = staged
        state = resuming ?? State()
        contents = try OwnedDescriptor(staged.contents, .readOnly, options: .directory)
        self.previous = try previous.map { try PreviousVersion($0) }
        self.blockSize = UInt64(max(blockSize, 1))
        self.bounds = bounds
        mayBeLeftover = LeftoverCheck(staged, journalLength: resuming?.journalLength)
        try reopenCurrent()
    }

    deinit {
        if let closed {
            waitForReaders(of: closed.digest)
            _ = try? closed.output.close()
        }
        _ = try? takeOutput()?.close()
        _ = try? folder?.descriptor.close()
    }

    /// Whether a checkpoint can be taken here: the pack's manifest is gathered in memory.
    var isAtSafePoint: Bool { manifest == nil }

    func journalWasWritten() {
        state.journalLength += UInt64(journal.pending.count)
        journal.removeAll()
    }

    /// The journal was written anew.
    func forgetRecords(journalLength: UInt64) {
        state.journalLength = journalLength
        journal.removeAll()
        mayBeLeftover = LeftoverCheck(staged, journalLength: journalLength)
    }

    // MARK: - ArchiveSink

    func begin(_ entry: EntryHeader) throws {
        if entry.path == Self.manifestName, entry.type == .regularFile {
            guard !state.manifestWasRead, manifest == nil else { throw bad("holds two manifest.json") }
            guard entry.dataSize <= Self.largestManifest else { throw bad("has a manifest.json of over 16 MiB") }
            manifest = []
            return
        }
        guard let path = entry.path.removing(pathPrefix: Self.contentsPrefix) else {
            let isFolder = entry.type == .directory && (entry.path.isEmpty || entry.path == "Contents")
            guard isFolder || (entry.type != .symbolicLink && entry.path != "Contents") else {
                throw bad("holds the \(entry.type.name) \(entry.path) outside its Contents folder")
            }
            return
        }
        switch entry.type {
        case .directory: _ = try openFolder(path)
        case .regularFile: try beginFile(path, entry)
        case .symbolicLink: try addLink(path, target: entry.linkTarget ?? "")
        default: throw bad("holds the \(entry.type.name) \(path), and only files, folders and links belong into a pack")
        }
    }

    func data(_ bytes: UnsafeRawBufferPointer) throws {
        if manifest != nil {
            manifest?.append(contentsOf: bytes)
            return
        }
        try Self.inPortions(bytes, take)
    }

    private static func inPortions(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        for start in stride(from: 0, to: bytes.count, by: portion) {
            try body(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + portion, bytes.count)]))
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws {
        guard var current = state.current else { return }
        if current.matchesOld || !current.isLong { digest.update(bytes) }
        if current.matchesOld {
            if try previous?.matches(bytes, at: current.written) == true {
                current.written += UInt64(bytes.count)
                state.current = current
                return
            }
            try stopMatching(&current)
            state.current = current
        }
        try write(bytes)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let output, var current = state.current else { return }
        try output.writeFully(bytes)
        bytesWritten += Int64(bytes.count)
        current.written += UInt64(bytes.count)
        state.current = current
        if current.isLong { digester.follow(digest, output, to: current.written) }
        if current.written >= flushing + Self.flushed {
            if writeback.begin(output, flushing..<current.written) { flushing = current.written }
        }
    }

    func end() throws {
        if let bytes = manifest {
            manifest = nil
            try check(manifest: bytes)
            state.manifestWasRead = true
            return
        }
        guard let current = state.current else { return }
        state.current = nil
        if current.matchesOld { try linkFromPrevious(current) }
        let found = try digester.finish(digest, output, at: current.written)
        var stamp: FileStamp?
        if let output = takeOutput() {
            stamp = FileStamp(try output.status())
            try output.close()
        }
        try count(current.path, size: current.size, stamp: stamp, digest: found)
    }

    // MARK: - Files

    private func beginFile(_ path: String, _ entry: EntryHeader) throws {
        if let cluster = entry.hardLinkCluster {
            try keep(path, state.clusters[cluster] ?? "")
            if !entry.hasData, let first = state.clusters[cluster] {
                state.links.append(Link(path: path, target: first))
                return
            }
            state.clusters[cluster] = path
        }
        var current = Current(path: path, size: entry.dataSize)
        if try previous?.open(path, size: current.size) == true {
            current.matchesOld = true
        } else {
            output = try createFile(path)
        }
        state.current = current
    }

    func createFile(_ path: String) throws -> FileDescriptor {
        flushing = 0
        return try create(path) { folder, name in
            try folder.open(
                at: name, .readWrite, options: [.create, .exclusiveCreate, .noFollow],
                permissions: FilePermissions(rawValue: 0o444))
        }
    }

    /// Makes something new at `path`. What a run before left there, behind its last checkpoint, is removed first.
    func create<Result>(
        _ path: String, _ make: (_ folder: FileDescriptor, _ name: FilePath) throws -> Result
    ) throws -> Result {
        // Whoever read the path has checked it; this is where it is used.
        guard path.isPlainPath else { throw leadsOut(path) }
        let (parent, name) = Self.split(path)
        let folder = try openFolder(parent)
        let file = FilePath(name)
        do {
            return try make(folder, file)
        } catch Errno.fileExists {
            guard try mayBeLeftover.isLeftover(path), try folder.status(at: file).kind == .regular else {
                throw bad("holds \(path) twice")
            }
            try folder.remove(at: file)
            return try make(folder, file)
        }
    }

    private func linkFromPrevious(_ current: Current) throws {
        guard let previous else { return }
        do {
            try create(current.path) { folder, name in
                try previous.directory.borrowed.link(from: FilePath(current.path), to: name, in: folder)
            }
            state.linkedSize += current.size
        } catch let error as Errno where !StoreError.isNoSpace(error) {
            // No hard links here, too many of this file, or the version before was removed meanwhile: it is still open.
            var current = current
            try stopMatching(&current)
        }
        previous.closeFile()
    }

    /// The file differs from the old one after all, or cannot be linked: what was the same is copied, and writing goes on.
    private func stopMatching(_ current: inout Current) throws {
        let file = try createFile(current.path)
        output = file
        if try !share(current.written, of: previous?.file, with: file) {
            try previous?.copy(current.written, to: file)
            bytesWritten += Int64(clamping: current.written)
        }
        current.matchesOld = false
        previous?.closeFile()
    }

    /// - Parameter stamp: nil for a file that was linked: it is looked up.
    func count(_ path: String, size: UInt64, stamp: FileStamp?, digest: Digest) throws {
        let stamp = try stamp ?? FileStamp(contents.borrowed.status(at: FilePath(path)))
        journal.append(FileRecord(path: path, size: size, stamp: stamp, digest: digest))
        // What is written before its checkpoint does not count yet, and is out of memory.
        if journal.pending.count >= Self.largestPending { try staged.writeJournal(of: self) }
        mayBeLeftover.complete(path)
        state.fileCount += 1
        state.installedSize += size
        state.allocatedSize += allocated(size)
    }

    /// What a file takes on the disk, in bytes.
    func allocated(_ size: UInt64) -> UInt64 {
        (size / blockSize + (size % blockSize == 0 ? 0 : 1)).multipliedReportingOverflow(by: blockSize).partialValue
    }

    /// The open folder at a path, made if it is missing; valid until the next call.
    func openFolder(_ path: String) throws -> FileDescriptor {
        if path.isEmpty { return contents.borrowed }
        if let folder, folder.path.isSamePath(as: path) { return folder.descriptor }
        guard path.isPlainPath else { throw leadsOut(path) }
        if let folder {
            self.folder = nil
            try folder.descriptor.close()
        }
        let name = FilePath(path)
        let opened: FileDescriptor
        do {
            do {
                opened = try contents.borrowed.openDirectory(at: name)
            } catch Errno.noSuchFileOrDirectory {
                try makeFolders(name)
                opened = try contents.borrowed.openDirectory(at: name)
            }
        } catch Errno.notDirectory {
            throw bad("holds \(path) both as a folder and as a file")
        }
        folder = (path, opened)
        return opened
    }

    private func makeFolders(_ path: FilePath) throws {
        var folder = FilePath()
        for component in path.components {
            folder.append(component)
            do {
                try contents.borrowed.makeDirectory(at: folder)
            } catch Errno.fileExists {
                continue
            }
            state.folderCount += 1
            guard state.folderCount <= bounds.folders else {
                throw bad("holds more than the \(bounds.folders) folders that a device makes")
            }
        }
    }

    /// Opens the file that was being written at the checkpoint, cut to what the checkpoint counts.
    private func reopenCurrent() throws {
        guard let current = state.current else { return }
        if current.matchesOld {
            guard try previous?.open(current.path, size: current.size) == true else {
                throw StoreError(.system, "The version before is gone; the download begins again.")
            }
            try previous?.forEachPiece(current.written) { digest.update($0) }
            return
        }
        let path = FilePath(current.path)
        // Files are made read-only; only here one is opened again.
        try contents.borrowed.setPermissions(FilePermissions(rawValue: 0o644), at: path)
        let file = try contents.borrowed.open(at: path, .readWrite, options: .noFollow)
        output = file
        try file.setPermissions(FilePermissions(rawValue: 0o444))
        guard try file.status().size >= Int64(clamping: current.written) else {
            throw StoreError(.system, "\(current.path) is shorter than its checkpoint; the download begins again.")
        }
        try systemCall { ftruncate(file.rawValue, off_t(clamping: current.written)) }
        try FilePieces(file).forEach(current.written) { digest.update($0) }
        try file.seek(offset: Int64(clamping: current.written), from: .start)
    }

    static func split(_ path: String) -> (parent: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
        return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
    }

    private func leadsOut(_ path: String) -> StoreError { bad("holds \(path), which leads out of it") }

    func bad(_ what: String) -> StoreError {
        StoreError(.badArchive, "The archive of the pack \(packID) \(what).")
    }
}
