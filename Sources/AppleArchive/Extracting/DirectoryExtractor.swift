// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
package import System

/// Writes an archive's entries below an open folder. No step ever goes through a symbolic link, whoever made it; what is
/// there already is never replaced.
///
/// Devices, pipes, sockets and metadata are left out and counted. Extended attributes are not set.
package final class DirectoryExtractor: ArchiveSink {
    enum Current {
        case nothing
        /// Content that goes nowhere.
        case ignored
        case file(FileDescriptor)
    }

    let root: FileDescriptor
    let options: ExtractionOptions
    var folders: OpenFolders
    private var entry: EntryHeader?
    var current = Current.nothing
    private var folderEntries: Set<String> = []
    /// Folders whose attributes are set, in case an unsorted archive comes back to one.
    var settledFolders: [String: ExtractionState.FolderAttributes] = [:]
    /// Set after a restart: what was written behind the checkpoint may be there and is written again.
    private var mayReplace = false
    private var resumedPath = ""

    /// What must be kept with a decoder's checkpoint.
    package internal(set) var state: ExtractionState

    /// - Parameter directory: the open folder to extract to; must stay open.
    package init(directory: FileDescriptor, options: ExtractionOptions = ExtractionOptions()) {
        root = directory
        self.options = options
        folders = OpenFolders(root: directory, maximumMade: options.maximumImpliedFolders)
        state = ExtractionState()
    }

    /// Goes on where a decoder's checkpoint was taken.
    /// - Parameters:
    ///   - state: the extractor's state at that moment.
    /// - Throws: `ArchiveError.badCheckpoint` when the file in progress is not there.
    package init(
        directory: FileDescriptor, options: ExtractionOptions = ExtractionOptions(), resuming state: ExtractionState,
        at checkpoint: ArchiveCheckpoint
    ) throws {
        root = directory
        self.options = options
        folders = OpenFolders(root: directory, maximumMade: options.maximumImpliedFolders)
        self.state = state
        mayReplace = true
        resumedPath = state.lastPath
        guard let entry = checkpoint.currentEntry else { return }
        self.entry = entry
        current = .ignored
        guard entry.type == .regularFile, entry.hasData else { return }
        current = .file(try reopen(entry, size: checkpoint.currentDataOffset))
    }

    deinit {
        if case .file(let file) = current { _ = try? file.close() }
    }

    package func begin(_ entry: EntryHeader) throws {
        self.entry = entry
        current = .ignored
        state.summary.entries += 1
        switch entry.type {
        case .regularFile, .directory, .symbolicLink: note(entry.path)
        default: return skip(entry)
        }
        if entry.type == .directory, entry.path.isEmpty { return try keepAttributes(of: entry) }
        let (parent, name) = Self.split(entry.path)
        try folders.go(to: parent) { try leave($0, $1) }
        if !settledFolders.isEmpty { try reenter(String(parent)) }
        switch entry.type {
        case .directory: try makeFolder(entry, name)
        case .symbolicLink: try makeLink(entry, name)
        default: try makeFile(entry, name)
        }
    }

    package func data(_ bytes: UnsafeRawBufferPointer) throws {
        guard case .file(let file) = current else { return }
        do {
            try file.writeFully(bytes)
        } catch {
            throw failure("cannot be written", entry?.path, error)
        }
        state.summary.bytes += UInt64(bytes.count)
    }

    package func end() throws {
        defer {
            entry = nil
            current = .nothing
        }
        guard case .file(let file) = current, let entry else { return }
        current = .nothing
        do {
            try file.closeAfter { try setAttributes(of: entry, on: file) }
        } catch {
            throw failure("cannot be completed", entry.path, error)
        }
        try joinCluster(entry)
    }

    /// Sets what is left to set on folders. The archive must have been read to its end.
    package func finish() throws {
        try folders.go(to: "") { try leave($0, $1) }
        // Inner folders come before outer ones in reverse order.
        for path in state.folders.keys.sorted(by: >) where !path.isEmpty {
            try folders.go(to: path[...], creating: false) { try leave($0, $1) }
        }
        try folders.go(to: "") { try leave($0, $1) }
        try leave("", root)
    }

    // MARK: - Entries

    private func makeFolder(_ entry: EntryHeader, _ name: String) throws {
        guard folderEntries.insert(entry.path).inserted else { throw repeated(entry.path) }
        let folder = folders.current
        do {
            try systemCall { mkdirat(folder.rawValue, name, mode_t(entry.mode ?? 0o755) & 0o777 | 0o700) }
        } catch let error as Errno where error == .fileExists {
            // Made for something inside it, or by whoever extracts here; anything but a folder is a conflict.
            var status = stat()
            try systemCall { fstatat(folder.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) }
            guard status.st_mode & S_IFMT == S_IFDIR else { throw repeated(entry.path) }
        } catch {
            throw failure("cannot be made", entry.path, error)
        }
        state.summary.folders += 1
        try keepAttributes(of: entry)
    }

    private func makeLink(_ entry: EntryHeader, _ name: String) throws {
        let target = entry.linkTarget ?? ""
        guard options.links == .any || ArchivePath.staysInside(target: target, of: entry.path) else {
            throw ArchiveError(
                .unsafeLink,
                "The symbolic link \(entry.path) points to \(ArchivePath.display(target.utf8)), out of the folder being extracted to; the archive is not safe to extract."
            )
        }
        let folder = folders.current
        try make(entry, name) { try systemCall { symlinkat(target, folder.rawValue, name) } }
        state.summary.links += 1
        try? setOwner(of: entry, at: name)
        guard options.setsModificationTimes, let time = entry.modificationTime else { return }
        let times = [Self.unchanged, Self.specification(time)]
        _ = utimensat(folder.rawValue, name, times, AT_SYMLINK_NOFOLLOW)
    }

    private func makeFile(_ entry: EntryHeader, _ name: String) throws {
        let folder = folders.current
        state.summary.files += 1
        if !entry.hasData, try makeClusterMember(entry, name) { return }
        guard entry.hasData || (entry.unsigned(.size) ?? 0) == 0 else {
            throw ArchiveError(
                .missingData,
                "The content of \(entry.path) is not in the archive, which lists files without holding them.")
        }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = try make(entry, name) { try systemCall { openat(folder.rawValue, name, flags, mode_t(0o600)) } }
        current = .file(FileDescriptor(rawValue: number))
    }

    /// Makes something new at a name; after a restart, in place of what the interrupted run left.
    @discardableResult
    func make(_ entry: EntryHeader, _ name: String, _ body: () throws -> CInt) throws -> CInt {
        do {
            do {
                return try body()
            } catch let error as Errno where error == .fileExists && isReplaceable(entry.path) {
                try systemCall { unlinkat(folders.current.rawValue, name, 0) }
                return try body()
            }
        } catch let error as Errno {
            switch error {
            case .fileExists, .isDirectory: throw repeated(entry.path)
            default: throw failure("cannot be made", entry.path, error)
            }
        }
    }

    private func isReplaceable(_ path: String) -> Bool {
        mayReplace && !(state.isSorted && !resumedPath.utf8.lexicographicallyPrecedes(path.utf8))
    }

    private func note(_ path: String) {
        if state.isSorted, !state.lastPath.isEmpty {
            state.isSorted = state.lastPath.utf8.lexicographicallyPrecedes(path.utf8)
        }
        state.lastPath = path
    }

    private func skip(_ entry: EntryHeader) {
        state.summary.skipped += 1
        if state.summary.skippedNames.count < 16 {
            state.summary.skippedNames.append("\(entry.path) (\(entry.type.name))")
        }
    }

    private func reopen(_ entry: EntryHeader, size: UInt64) throws -> FileDescriptor {
        do {
            let (parent, name) = Self.split(entry.path)
            try folders.go(to: parent, creating: false) { try leave($0, $1) }
            let folder = folders.current
            let number = try systemCall { openat(folder.rawValue, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC) }
            let file = FileDescriptor(rawValue: number)
            do {
                guard try file.status().size >= Int64(clamping: size) else { throw Errno.ioError }
                try systemCall { ftruncate(number, off_t(clamping: size)) }
                try file.seek(offset: Int64(clamping: size), from: .start)
            } catch {
                _ = try? file.close()
                throw error
            }
            return file
        } catch {
            throw ArchiveError(
                .badCheckpoint, "\(entry.path) is not as the checkpoint says; read the archive from its start.",
                cause: error)
        }
    }

    func repeated(_ path: String) -> ArchiveError {
        ArchiveError(.duplicatePath, "\(path) is in the archive twice, or was there before; nothing is overwritten.")
    }

    func failure(_ what: String, _ path: String?, _ error: any Error) -> any Error {
        error is Errno ? ArchiveError(.inputOutput, "\(path ?? "A file") \(what).", cause: error) : error
    }

    static func split(_ path: String) -> (parent: Substring, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
        return (path[..<slash], String(path[path.utf8.index(after: slash)...]))
    }
}
