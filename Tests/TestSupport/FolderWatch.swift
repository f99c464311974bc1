// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
internal import Kit
package import System

/// Waits for what happens in folders, told by the kernel (inotify).
package enum FolderWatch {
    package struct TooLate: Error, CustomStringConvertible {
        let folder: FilePath
        let limit: Duration
        package var description: String { "What was waited for did not come to \(folder) within \(limit)." }
    }

    /// Returns when `condition` holds; it is looked at once, and whenever a file of the folder was written, moved or deleted
    /// there. The folder must exist.
    /// - Throws: `TooLate`, `Errno`, and what `condition` throws.
    package static func wait(
        in folder: FilePath, atMost limit: Duration = .seconds(60),
        until condition: @escaping @Sendable () throws -> Bool
    ) async throws {
        try await onOwnThread {
            let watch = try FolderChanges()
            try watch.add(folder)
            try wait(watch, folder, limit, condition)
        }
    }

    /// As above, for all folders below `root` as well, those made meanwhile too.
    package static func wait(
        below root: FilePath, atMost limit: Duration = .seconds(60),
        until condition: @escaping @Sendable () throws -> Bool
    ) async throws {
        try await onOwnThread {
            let watch = try FolderChanges()
            try wait(watch, root, limit) {
                // Before the look: what comes to a folder after it is told.
                addAll(root, to: watch)
                return try condition()
            }
        }
    }

    /// As above, looking whenever one of the files is closed by whoever has it open.
    package static func wait(
        forClosing files: [FilePath], atMost limit: Duration, until condition: @escaping @Sendable () throws -> Bool
    ) async throws {
        try await onOwnThread {
            let watch = try FolderChanges()
            // What is closed already cannot be watched and need not be.
            for file in files { _ = try? watch.addClosing(of: file) }
            try wait(watch, files.first ?? "/", limit, condition)
        }
    }

    private static func addAll(_ folder: FilePath, to watch: borrowing FolderChanges) {
        guard (try? watch.add(folder)) != nil else { return }
        for entry in (try? FileDescriptor.currentDirectory.entries(at: folder)) ?? [] where entry.kind == .directory {
            addAll(folder.appending(entry.name), to: watch)
        }
    }

    private static func wait(
        _ watch: borrowing FolderChanges, _ folder: FilePath, _ limit: Duration, _ condition: () throws -> Bool
    ) throws {
        let end = ContinuousClock.now + limit
        while try !condition() {
            let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard left > 0 else { throw TooLate(folder: folder, limit: limit) }
            watch.wait(milliseconds: Int(left) + 1)
        }
    }
}

/// What the kernel tells of some folders or files.
package struct FolderChanges: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// - Throws: `Errno`
    package init() throws {
        let number = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard number >= 0 else { throw Errno(rawValue: errno) }
        descriptor = OwnedDescriptor(FileDescriptor(rawValue: number))
    }

    /// Tells of this folder's entries from now on; doing it again changes nothing.
    /// - Throws: `Errno`
    package func add(_ folder: FilePath) throws {
        try add(
            folder,
            UInt32(IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE))
    }

    /// Tells when somebody closes this file.
    /// - Throws: `Errno`
    package func addClosing(of file: FilePath) throws {
        try add(file, UInt32(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) | UInt32(IN_DELETE_SELF))
    }

    private func add(_ path: FilePath, _ events: UInt32) throws {
        guard inotify_add_watch(descriptor.borrowed.rawValue, path.string, events) >= 0 else {
            throw Errno(rawValue: errno)
        }
    }

    /// Returns when something has happened since the last call, or the time is over.
    package func wait(milliseconds: Int) {
        let number = descriptor.borrowed.rawValue
        var waited = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        _ = poll(&waited, 1, Int32(clamping: milliseconds))
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(number, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
