// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// The merged folders of programs that `larder run` became.
///
/// Nobody is left to remove a folder when its program ends. So each program inherits a lock on its own, and whoever makes
/// the next folder removes those whose lock is free.
struct RunFolders {
    private let base: FilePath

    init(_ base: FilePath) { self.base = base }

    /// Makes a folder by calling `fill` with a path where nothing is yet, and locks it for this process and what it
    /// becomes.
    /// - Throws: `Errno`, and what `fill` throws; nothing is left then.
    func make(_ fill: (FilePath) throws -> Void) throws -> FilePath {
        let here = FileDescriptor.currentDirectory
        try here.makeDirectories(at: base, permissions: .directoryPrivate)
        // One at a time: a folder that is not locked yet must not look like one that is done with.
        let turn = try FileLock.acquire(base.appending("lock"), .exclusive)
        defer { turn.descriptor.unlock() }
        sweep()
        let folder = base.appending("\(getpid())-\(UInt32.random(in: 0...UInt32.max))")
        try here.makeDirectory(at: folder, permissions: .directoryPrivate)
        do {
            let lock = try OwnedDescriptor(
                folder.appending("lock"), .readWrite, options: .create, permissions: .filePrivate)
            guard try lock.borrowed.tryLock(.exclusive) else { throw Errno.resourceBusy }
            let files = folder.appending("files")
            try fill(files)
            // Left open on purpose, and not close-on-exec.
            let number = lock.borrowed.rawValue
            try systemCall { dup(number) }
            return files
        } catch {
            _ = try? here.removeTree(at: folder)
            throw error
        }
    }

    /// Removes what ended programs left; what cannot be removed is left to the next.
    private func sweep() {
        let here = FileDescriptor.currentDirectory
        guard let entries = try? here.entries(at: base) else { return }
        for entry in entries where entry.kind == .directory {
            let folder = base.appending(entry.name)
            if let lock = try? FileLock.tryAcquire(folder.appending("lock"), .exclusive) {
                _ = try? here.removeTree(at: folder)
                lock.descriptor.unlock()
            }
        }
    }
}
