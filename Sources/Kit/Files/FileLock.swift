// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
package import System

/// A lock on an open file (`flock`) that the kernel frees when its holder dies.
///
/// It belongs to the open file description: duplicates share it, a second `open` contends for it.
package struct FileLock: ~Copyable, Sendable {
    package enum Mode: Hashable, Sendable { case shared, exclusive }

    private let file: OwnedDescriptor

    /// The locked file.
    package var descriptor: FileDescriptor { file.borrowed }

    private init(locked file: consuming OwnedDescriptor) { self.file = file }

    /// Said in so many words: closing alone would leave the lock with a child that is being started just now and has not
    /// yet got to closing what it inherited.
    deinit { file.borrowed.unlock() }

    /// Opens the file at `path` (made if `create`) and blocks until the lock is had.
    /// - Throws: `Errno`
    package static func acquire(_ path: FilePath, _ mode: Mode, create: Bool = true) throws -> FileLock {
        try acquire(try open(path, create: create), mode)
    }

    /// Takes over an open file and blocks until the lock is had.
    /// - Throws: `Errno`
    package static func acquire(_ file: consuming OwnedDescriptor, _ mode: Mode) throws -> FileLock {
        let number = file.borrowed.rawValue
        try systemCall { flock(number, mode == .shared ? LOCK_SH : LOCK_EX) }
        return FileLock(locked: file)
    }

    /// As `acquire`, but nil at once when another holds the lock.
    /// - Throws: `Errno`
    package static func tryAcquire(_ path: FilePath, _ mode: Mode, create: Bool = true) throws -> FileLock? {
        let file = try open(path, create: create)
        guard try file.borrowed.tryLock(mode) else { return nil }
        return FileLock(locked: file)
    }

    private static func open(_ path: FilePath, create: Bool) throws -> OwnedDescriptor {
        // A shared lock needs no right to write, and a reader may have none.
        let descriptor =
            create
            ? try FileDescriptor.open(path, .readWrite, options: [.create, .noFollow], permissions: .fileDefault)
            : try FileDescriptor.open(path, .readOnly)
        return OwnedDescriptor(descriptor)
    }
}

extension FileDescriptor {
    /// Takes or changes the lock on this open file; false when another holds it.
    /// - Throws: `Errno`
    package func tryLock(_ mode: FileLock.Mode) throws -> Bool {
        do {
            try systemCall { flock(rawValue, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
            return true
        } catch Errno.wouldBlock {
            return false
        }
    }

    /// Gives the lock back while the file stays open.
    package func unlock() { _ = flock(rawValue, LOCK_UN) }
}
