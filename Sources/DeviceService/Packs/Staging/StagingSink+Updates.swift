// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import System

/// Files that come in any order, from what is local and from pieces of the archive: each is checked before it counts.
extension StagingSink {
    /// A file whose bytes all came.
    struct Closed {
        let file: Current
        let output: FileDescriptor
        let digest: StagingDigest
    }

    /// Begins a file whose bytes follow by `data`. One that was begun is dropped.
    /// - Throws: `Errno`, `StoreError` when the path is taken.
    func begin(file path: String, size: UInt64) throws {
        try abandon()
        output = try createFile(path)
        state.current = Current(path: path, size: size)
    }

    /// How many bytes the file that was begun has.
    var written: UInt64 { state.current?.written ?? 0 }

    /// All bytes of the file that was begun came: `end` tells whether they are right, and until then another one may be begun. A
    /// checkpoint that is taken before does not hold it.
    func close() {
        guard closed == nil, let current = state.current, let output else { return }
        digester.read(digest, output, to: current.written)
        closed = Closed(file: current, output: output, digest: digest)
        state.current = nil
        self.output = nil
        digest = StagingDigest()
    }

    /// Whether `end` would wait for the digest of the file that was closed.
    var isEndAwaited: Bool {
        closed.map { !digester.isDone($0.digest) } ?? false
    }

    /// The file that was closed, or else the one that was begun, is complete.
    /// - Returns: false when its bytes are not those of the digest; then it is gone.
    /// - Throws: `Errno`
    func end(expecting digest: Digest) throws -> Bool { try end { $0 == digest } != nil }

    /// As the other, for a file of which only the size is known.
    /// - Returns: its digest; nil when it has not as many bytes as it should.
    func end() throws -> Digest? { try end { _ in true } }

    private func end(_ isExpected: (Digest) -> Bool) throws -> Digest? {
        close()
        guard let closed else { return nil }
        self.closed = nil
        let file = closed.file
        let found = Result { try digester.finish(closed.digest, closed.output, at: file.written) }
        let stamp = Result { FileStamp(try closed.output.status()) }
        waitForReaders(of: closed.digest)
        try closed.output.close()
        let digest = try found.get()
        guard isExpected(digest), file.written == file.size else {
            try contents.borrowed.remove(at: FilePath(file.path))
            return nil
        }
        try count(file.path, size: file.size, stamp: try stamp.get(), digest: digest)
        return digest
    }

    /// The file that was being written, for who closes it: nothing else has to do with it any more.
    func takeOutput() -> FileDescriptor? {
        waitForReaders(of: digest)
        defer { output = nil }
        return output
    }

    /// Until no other thread has to do with the file that a digest is of: before it is closed.
    func waitForReaders(of digest: StagingDigest) {
        writeback.finish()
        digester.wait(for: digest)
    }

    /// Takes files away that were complete.
    /// The checkpoints hold no more then, and one has to follow.
    /// - Throws: `Errno`, `StoreError`
    func remove(_ paths: Set<String>) throws {
        // Whatever comes in between begins anew.
        for checkpoint in [staged.checkpoint, staged.durableCheckpoint] {
            try? FileDescriptor.currentDirectory.remove(at: checkpoint)
        }
        var kept: [UInt8] = []
        try forEachRecord { view in
            guard let record = view.record else { return }
            guard paths.contains(record.path) else { return record.append(to: &kept) }
            state.fileCount -= 1
            state.installedSize -= record.size
            state.allocatedSize -= allocated(record.size)
        }
        for path in paths { try contents.borrowed.remove(at: FilePath(path)) }
        try AtomicFile.write(kept, to: staged.journal, durable: false)
        forgetRecords(journalLength: UInt64(kept.count))
    }

    /// Drops the file that was begun.
    /// - Throws: `Errno`
    func abandon() throws {
        guard let current = state.current else { return }
        state.current = nil
        let output = takeOutput()
        digest = StagingDigest()
        try output?.close()
        try contents.borrowed.remove(at: FilePath(current.path))
    }

    /// Gives a local file another name here.
    /// - Parameter source: the folder that its path is below.
    /// - Throws: `Errno`, when it cannot be linked, or is another file by now; `StoreError` when the path is taken.
    func link(_ path: String, to file: LocalFile, in source: FileDescriptor) throws {
        try create(path) { folder, name in
            try source.link(from: FilePath(file.path), to: name, in: folder)
        }
        // What was linked is what was looked at: nobody put another file in its place between.
        let status = try contents.borrowed.status(at: FilePath(path))
        guard status.kind == .regular, FileStamp(status) == file.stamp, status.size == Int64(clamping: file.size) else {
            try contents.borrowed.remove(at: FilePath(path))
            throw Errno.staleNFSFileHandle
        }
        state.linkedSize += file.size
        try count(path, size: file.size, stamp: file.stamp, digest: file.digest)
    }

    /// Gives a file that is complete here a second name.
    /// - Returns: what the next name is to be made from: the file, or the copy that was made where it has no room for more names.
    /// - Throws: `Errno`, `StoreError` when the path is taken.
    func link(_ path: String, within first: String, digest: Digest) throws -> String {
        let status = try contents.borrowed.status(at: FilePath(first))
        do {
            try create(path) { folder, name in
                try contents.borrowed.link(from: FilePath(first), to: name, in: folder)
            }
            try count(path, size: UInt64(clamping: status.size), stamp: FileStamp(status), digest: digest)
            return first
        } catch let error as Errno where error == .tooManyLinks || error == .notPermitted || error == .notSupported {
            // As many names as a file may have, or none but one on this file system.
            let source = OwnedDescriptor(try contents.borrowed.open(at: FilePath(first), .readOnly, options: .noFollow))
            try beside {
                try begin(file: path, size: UInt64(clamping: status.size))
                try copy(UInt64(clamping: status.size), of: source.borrowed, from: 0)
                guard try end(expecting: digest) else { throw Errno.ioError }
            }
            return path
        }
    }

    /// Makes a file while another is being written, which goes on afterwards.
    private func beside(_ body: () throws -> Void) throws {
        let begun = (state.current, output, digest, flushing)
        (state.current, output, digest) = (nil, nil, StagingDigest())
        defer { (state.current, output, digest, flushing) = begun }
        do {
            try body()
        } catch {
            try? abandon()
            throw error
        }
    }
}
