// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import System

extension StagedPack {
    /// Empties the folder for a download that begins.
    /// - Throws: `Errno`
    func begin(_ identity: StagingIdentity) throws {
        try remove()
        try FileDescriptor.currentDirectory.makeDirectories(at: contents)
        for list in [journal, leaves] { try AtomicFile.write([], to: list, durable: false) }
        try Self.write(identity, to: self.identity, durable: false)
    }

    /// Appends what the sink has noted to the journal.
    /// - Throws: `Errno`
    func writeJournal(of sink: StagingSink) throws {
        let bytes = sink.journal.pending
        if !bytes.isEmpty { try append(bytes, to: journal, at: sink.state.journalLength) }
        sink.journalWasWritten()
    }

    /// Writes at an offset, over what an interrupted run may have left behind its last checkpoint.
    /// - Throws: `Errno`
    func append(_ bytes: [UInt8], to path: FilePath, at offset: UInt64) throws {
        let file = try OwnedDescriptor(path, .writeOnly, options: .create, permissions: .fileDefault)
        try file.borrowed.seek(offset: Int64(clamping: offset), from: .start)
        try file.borrowed.writeAll(bytes)
        try file.close()
    }

    /// All files are there and checked: puts everything on the disk. After this the pack only needs its commit.
    /// - Parameter archive: the tree digest of the archive that holds them.
    /// - Returns: the record, which is in staging too.
    /// - Throws: `Errno`, `StoreError`
    func seal(
        _ download: PackDownload, _ sink: StagingSink, of archive: Digest, directory: String, hook: CommitHook?
    ) throws -> PackSeal {
        try sink.finish()
        try writeJournal(of: sink)
        try withJournal(sink.state.journalLength) { try ContentList.write($0, of: archive, to: list) }
        let folder = try OwnedDescriptor(self.directory, .readOnly, options: .directory)
        try folder.borrowed.synchronizeFileSystem()
        try hook?(.contentsSynced)
        let state = sink.state
        let seal = PackSeal(
            id: download.id, version: download.version, directory: directory, language: download.language,
            userInfo: download.userInfo, policy: download.policy, downloadSize: UInt64(clamping: download.downloadSize),
            installedSize: state.installedSize, allocatedSize: state.allocatedSize, fileCount: state.fileCount,
            journalLength: state.journalLength)
        try write(seal)
        try hook?(.sealed)
        return seal
    }
}
