// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import Synchronization
package import System

/// One generation, held open: while a handle lives, no file that the generation names is deleted.
package final class NamespaceHandle: Sendable {
    package let table: NamespaceTable
    /// The absolute path of the app root.
    package let root: FilePath
    private let mapping: MappedFile
    private let rootDirectory: OwnedDescriptor
    /// Keeps the shared lock; the kernel drops it when the process dies.
    private let lease: FileLock
    /// By pack number.
    private let directories: [PackDirectory]
    private let openDirectories = Atomic<Int>(0)

    /// So many pack directories stay open at most; a process has 1,024 descriptors by default.
    private static let maximumOpenDirectories = 128

    /// Opens what `current` points to.
    ///
    /// The service may switch and delete the generation between any two steps. It deletes only under the exclusive
    /// lock and takes the lease file away first, so a lease that is still linked once we hold it is a valid one.
    /// - Throws: `Errno.noSuchFileOrDirectory` when the app has no generation, `NamespaceError` when it is damaged.
    package static func openCurrent(of layout: AppRootLayout) throws -> NamespaceHandle {
        var attempts = 0
        while true {
            do {
                return try NamespaceHandle(layout)
            } catch let error as Errno where error == .noSuchFileOrDirectory {
                // Either it was deleted under our hands, and `current` names a newer one, or there is none at all.
                attempts += 1
                var status = stat()
                let exists = layout.current.withPlatformString { lstat($0, &status) == 0 }
                guard exists, attempts < 1000 else { throw Errno.noSuchFileOrDirectory }
            }
        }
    }

    private init(_ layout: AppRootLayout) throws {
        rootDirectory = try OwnedDescriptor(layout.root, .readOnly, options: .directory)
        let generation = OwnedDescriptor(
            try rootDirectory.borrowed.open(at: FilePath(AppRootLayout.currentName), .readOnly, options: .directory))
        lease = try FileLock.acquire(
            OwnedDescriptor(try generation.borrowed.open(at: FilePath(AppRootLayout.leaseName), .readOnly)), .shared)
        let leaseNumber = lease.descriptor.rawValue
        var status = stat()
        try systemCall { fstat(leaseNumber, &status) }
        guard status.st_nlink > 0 else { throw Errno.noSuchFileOrDirectory }
        let name = FilePath(AppRootLayout.namespaceName)
        let file = OwnedDescriptor(try generation.borrowed.open(at: name, .readOnly))
        mapping = try MappedFile(file.borrowed)
        root = layout.root
        table = try NamespaceTable(mapping.bytes, source: layout.current.appending(name.string).string)
        directories = (0..<table.packCount).map { _ in PackDirectory() }
    }

    /// Opens a file that the table named, for reading. The caller closes it.
    /// - Throws: `Errno`
    @inline(__always)
    package func open(_ entry: NamespaceEntry) throws -> FileDescriptor {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW
        let cached = directories[entry.pack].number
        if cached >= 0, let path = entry.path.baseAddress {
            let number = openat(cached, path.assumingMemoryBound(to: CChar.self), flags)
            if number >= 0 { return FileDescriptor(rawValue: number) }
        }
        return try openSlowly(entry, flags)
    }

    @inline(never)
    private func openSlowly(_ entry: NamespaceEntry, _ flags: CInt) throws -> FileDescriptor {
        let relative = table.pack(at: entry.pack).directory
        let directory = try rootDirectory.borrowed.open(at: FilePath(relative), .readOnly, options: .directory)
        let owner = OwnedDescriptor(directory)
        guard let path = entry.path.baseAddress?.assumingMemoryBound(to: CChar.self) else {
            throw Errno.noSuchFileOrDirectory
        }
        let number = try systemCall { openat(directory.rawValue, path, flags) }
        if openDirectories.load(ordering: .relaxed) < Self.maximumOpenDirectories,
            directories[entry.pack].keep(directory.rawValue)
        {
            openDirectories.add(1, ordering: .relaxed)
            _ = owner.release()
        }
        return FileDescriptor(rawValue: number)
    }

    /// The absolute path of a file that the table named. It stays valid while the handle lives.
    package func path(of entry: NamespaceEntry) -> FilePath {
        root.appending(table.pack(at: entry.pack).directory).appending(String(decoding: entry.path, as: UTF8.self))
    }

    /// A descriptor that carries a lease of its own into a program this process becomes; it lasts until that one ends.
    /// The caller closes it.
    /// - Throws: `Errno`
    package func inheritableLease() throws -> FileDescriptor {
        // Opened anew: a duplicate would lose its lock with this handle's.
        let opened = try OwnedDescriptor(AppRootLayout(root: root).lease(table.generation), .readOnly)
        let number = opened.borrowed.rawValue
        try systemCall { flock(number, LOCK_SH) }
        return FileDescriptor(rawValue: try systemCall { dup(number) })
    }

    /// The absolute path of a pack's directory.
    package func directory(ofPackAt index: Int) -> FilePath { root.appending(table.pack(at: index).directory) }
}

/// The directory of a pack, once a file of it was opened; kept open from then on.
private final class PackDirectory: Sendable {
    private let descriptor = Atomic<CInt>(-1)

    /// The descriptor; -1 while there is none.
    @inline(__always)
    var number: CInt { descriptor.load(ordering: .acquiring) }

    /// Takes a descriptor over; false when there is one already.
    func keep(_ number: CInt) -> Bool {
        descriptor.compareExchange(expected: -1, desired: number, ordering: .acquiringAndReleasing).exchanged
    }

    deinit { if number >= 0 { _ = Glibc.close(number) } }
}
