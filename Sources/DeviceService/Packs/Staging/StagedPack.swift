// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackNamespace
import System

/// The staging folder of one pack: `staging/<pack id>/` with the files below `contents/` and, beside them, what it takes
/// to go on or to finish. `docs/formats/staging.md` has the format.
struct StagedPack: Hashable, Sendable {
    let layout: AppRootLayout
    let id: String

    var directory: FilePath { layout.staging(ofPack: id) }
    var contents: FilePath { directory.appending("contents") }
    /// Which download this is; another one voids what is staged.
    var identity: FilePath { directory.appending("identity") }
    /// The files that were begun, one record each, appended.
    var journal: FilePath { directory.appending("journal") }
    /// The digests of the archive's whole spans so far, 32 bytes each, appended.
    var leaves: FilePath { directory.appending("leaves") }
    /// Where to go on while the machine has not been restarted.
    var checkpoint: FilePath { directory.appending("checkpoint") }
    /// Where to go on after a power cut.
    var durableCheckpoint: FilePath { directory.appending("checkpoint.durable") }
    /// What goes beside the version's folder when it is committed.
    var list: FilePath { directory.appending("list") }
    var seal: FilePath { directory.appending("sealed") }

    var exists: Bool { FileDescriptor.currentDirectory.exists(at: directory) }
    var isSealed: Bool { FileDescriptor.currentDirectory.exists(at: seal) }

    /// Deletes everything that is staged. The seal goes first: half a folder must not look finished.
    /// - Throws: `Errno`
    func remove() throws {
        let here = FileDescriptor.currentDirectory
        do {
            try here.remove(at: seal)
        } catch Errno.noSuchFileOrDirectory {
        } catch Errno.notDirectory {}
        try here.removeTree(at: directory)
    }

    /// - Throws: `Errno`, `StoreError` when the record is damaged, or another version's.
    func readSeal() throws -> PackSeal {
        let record = try Self.read(PackSeal.self, seal)
        guard record.format == StagingIdentity.currentFormat else {
            throw StoreError(.system, "\(seal) is of another version of Larder; the download begins again.")
        }
        return record
    }

    /// Writes the record that makes a commit finishable.
    /// - Throws: `Errno`
    func write(_ record: PackSeal) throws { try Self.write(record, to: seal, durable: true) }

    static func read<Value: Decodable>(_ type: Value.Type, _ path: FilePath) throws -> Value {
        let bytes = try File.read(path, limit: 16 << 20)
        do {
            return try JSONCoder.decode(type, from: bytes)
        } catch {
            throw StoreError(.system, "\(path) is damaged; the download begins again.", cause: error)
        }
    }

    static func write(_ value: some Encodable, to path: FilePath, durable: Bool) throws {
        try AtomicFile.write(try JSONCoder.encode(value), to: path, durable: durable)
    }

    /// Writes a checkpoint that holds while the machine runs.
    /// - Throws: `Errno`
    func write(checkpoint: some Encodable) throws {
        try AtomicFile.writeUntilRestart(try JSONCoder.encode(checkpoint), to: self.checkpoint)
    }

    /// Calls `body` with every file of a sealed pack, in the order of the archive.
    /// - Throws: `Errno`, `StoreError` when the journal is damaged, and what `body` throws.
    func forEachFile(_ body: (FileRecordView) throws -> Void) throws {
        let record = try readSeal()
        try withJournal(record.journalLength) { try StagingJournal.forEachFile($0, body) }
    }

    /// Calls `body` with the records that count.
    /// - Throws: `Errno`, `StoreError` when some are missing, and what `body` throws.
    func withJournal(_ length: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let file = try OwnedDescriptor(journal, .readOnly)
        let mapping = try MappedFile(file.borrowed)
        try withExtendedLifetime(mapping) {
            guard length <= mapping.bytes.count else {
                throw StoreError(.system, "\(journal) is shorter than its seal says; the download begins again.")
            }
            try body(UnsafeRawBufferPointer(rebasing: mapping.bytes[..<Int(length)]))
        }
    }
}
