// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
internal import Kit
internal import System

/// A folder of this process, removed when it exits. What a killed process left behind, the next one removes.
///
/// All of them lie in one folder of the user. A process holds a lock on its own; making and sweeping exclude each other by a
/// lock on the common folder.
struct ProcessScratch {
    private let folder: FilePath
    private var count = 0

    /// - Parameter environment: `XDG_RUNTIME_DIR`, `TMPDIR` or neither says where.
    /// - Throws: `Errno`, or `BackgroundAssetsError` when the folder is another user's.
    init(environment: [String: String] = Environment.current) throws {
        let here = FileDescriptor.currentDirectory
        let base = ["XDG_RUNTIME_DIR", "TMPDIR"].lazy.compactMap { environment[$0] }
            .first { here.exists(at: FilePath($0)) }
        let common = FilePath(base ?? "/tmp").appending("larder-merged-\(getuid())")
        do {
            try here.makeDirectory(at: common, permissions: .directoryPrivate)
        } catch Errno.fileExists {}
        let status = try here.status(at: common)
        guard status.kind == .directory, status.userID == getuid(), status.permissions.rawValue & 0o022 == 0 else {
            throw BackgroundAssetsError(
                .unreadable, "\(common) belongs to another user or may be written by others. Remove it and try again.")
        }
        let turn = try FileLock.acquire(common.appending("lock"), .exclusive)
        try Self.sweep(common)
        folder = try Self.makeFolder(in: common)
        ExitCleanup.shared.own(folder, lock: try FileLock.acquire(folder.appending("lock"), .exclusive))
        _ = consume turn
    }

    /// Named after the process, with a number behind it should the process have several.
    private static func makeFolder(in common: FilePath) throws -> FilePath {
        var number = 0
        while true {
            let folder = common.appending("\(getpid()).\(number)")
            do {
                try FileDescriptor.currentDirectory.makeDirectory(at: folder, permissions: .directoryPrivate)
                return folder
            } catch Errno.fileExists {
                number += 1
            }
        }
    }

    /// Makes an empty folder of its own.
    mutating func newFolder() throws -> FilePath {
        count += 1
        let path = folder.appending("\(count)")
        try FileDescriptor.currentDirectory.makeDirectory(at: path, permissions: .directoryPrivate)
        return path
    }

    /// Removes the folders whose processes are gone: their locks can be had.
    private static func sweep(_ common: FilePath) throws {
        let directory = OwnedDescriptor(try FileDescriptor.currentDirectory.openDirectory(at: common))
        for entry in try directory.borrowed.entries() where entry.kind == .directory {
            let lock = common.appending(entry.name).appending("lock")
            guard let held = try? FileLock.tryAcquire(lock, .exclusive) else { continue }
            try? directory.borrowed.removeTree(at: FilePath(entry.name))
            _ = consume held
        }
    }
}

/// Removes this process's folders at exit.
final class ExitCleanup: Sendable {
    static let shared = ExitCleanup()

    private struct State {
        var folders: [FilePath] = []
        var locks: [CInt] = []
    }

    private let state = Locked(State())

    private init() { atexit(removeProcessFolders) }

    /// Keeps `lock` until the process ends, and removes `folder` then.
    func own(_ folder: FilePath, lock: consuming FileLock) {
        // The descriptor outlives its owner: a duplicate shares the lock.
        let number = dup(lock.descriptor.rawValue)
        if number >= 0 { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        state.withLock { state in
            state.folders.append(folder)
            state.locks.append(number)
        }
    }

    fileprivate func run() {
        let folders = state.withLock { $0.folders }
        for folder in folders { try? FileDescriptor.currentDirectory.removeTree(at: folder) }
    }
}

private func removeProcessFolders() { ExitCleanup.shared.run() }
