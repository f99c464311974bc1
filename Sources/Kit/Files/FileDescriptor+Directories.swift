// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import Glibc
package import System

// Calls relative to an open directory. With an absolute path, or on `FileDescriptor.currentDirectory`, they act on plain
// paths. All throw `Errno`.
extension FileDescriptor {
    package func makeDirectory(at path: FilePath, permissions: FilePermissions = .directoryDefault) throws {
        try path.withPlatformString { name in _ = try systemCall { mkdirat(rawValue, name, permissions.rawValue) } }
    }

    /// Makes the directory and those above it that are missing; one that exists already is fine.
    package func makeDirectories(at path: FilePath, permissions: FilePermissions = .directoryDefault) throws {
        do {
            try makeDirectory(at: path, permissions: permissions)
        } catch Errno.fileExists {
            guard try status(at: path, followingLinks: true).kind == .directory else { throw Errno.notDirectory }
        } catch Errno.noSuchFileOrDirectory {
            let parent = path.removingLastComponent()
            guard !parent.isEmpty, parent != path else { throw Errno.noSuchFileOrDirectory }
            try makeDirectories(at: parent, permissions: permissions)
            // Once more only: in some places, as below /proc, nothing can be made although all above is there.
            do {
                try makeDirectory(at: path, permissions: permissions)
            } catch Errno.fileExists {
                guard try status(at: path, followingLinks: true).kind == .directory else { throw Errno.notDirectory }
            }
        }
    }

    /// Opens the directory at `path`, without following a link in its last component.
    package func openDirectory(at path: FilePath) throws -> FileDescriptor {
        try open(at: path, .readOnly, options: [.directory, .noFollow])
    }

    /// Removes a file or a link (never a directory).
    package func remove(at path: FilePath) throws {
        try path.withPlatformString { name in _ = try systemCall { unlinkat(rawValue, name, 0) } }
    }

    /// Removes an empty directory.
    package func removeDirectory(at path: FilePath) throws {
        try path.withPlatformString { name in _ = try systemCall { unlinkat(rawValue, name, AT_REMOVEDIR) } }
    }

    /// How a rename treats what is at its destination.
    package enum RenameMode: Hashable, Sendable {
        /// The destination is replaced, as `rename` does.
        case replacing
        /// A destination that exists is the error `fileExists`.
        case exclusive
        /// Both must exist and trade places, atomically.
        case exchanging
    }

    /// Renames `from` below this directory to `to` below `directory` (this one by default).
    package func rename(
        from: FilePath, to: FilePath, in directory: FileDescriptor? = nil, mode: RenameMode = .replacing
    ) throws {
        let flags: CInt =
            switch mode {
            case .replacing: 0
            case .exclusive: clinux_rename_noreplace
            case .exchanging: clinux_rename_exchange
            }
        let target = (directory ?? self).rawValue
        try from.withPlatformString { from in
            try to.withPlatformString { to in
                _ = try systemCall { clinux_renameat2(rawValue, from, target, to, UInt32(bitPattern: flags)) }
            }
        }
    }

    /// Gives the file `from` a second name `to` below `directory` (this one by default).
    package func link(from: FilePath, to: FilePath, in directory: FileDescriptor? = nil) throws {
        let target = (directory ?? self).rawValue
        try from.withPlatformString { from in
            try to.withPlatformString { to in _ = try systemCall { linkat(rawValue, from, target, to, 0) } }
        }
    }

    /// Makes a symbolic link at `path`. The target is kept byte for byte.
    package func makeSymbolicLink(to target: String, at path: FilePath) throws {
        try target.withCString { target in
            try path.withPlatformString { name in _ = try systemCall { symlinkat(target, rawValue, name) } }
        }
    }

    /// The target of the symbolic link at `path`.
    package func readLink(at path: FilePath) throws -> String {
        try path.withPlatformString { name in
            var capacity = 256
            while true {
                let target = try withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
                    guard let base = buffer.baseAddress else { return String?.none }
                    let count = try systemCall { readlinkat(rawValue, name, base, buffer.count) }
                    guard count < buffer.count else { return String?.none }
                    return String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
                }
                if let target { return target }
                capacity *= 4
            }
        }
    }

    /// Sets the permission bits of `path`, following a link.
    package func setPermissions(_ permissions: FilePermissions, at path: FilePath) throws {
        try path.withPlatformString { name in _ = try systemCall { fchmodat(rawValue, name, permissions.rawValue, 0) } }
    }

    package func setPermissions(_ permissions: FilePermissions) throws {
        try systemCall { fchmod(rawValue, permissions.rawValue) }
    }

    /// Sets the modification time of `path`, of a link itself.
    package func setModificationTime(_ time: Timestamp, at path: FilePath) throws {
        // UTIME_OMIT, a cast macro that Swift does not import: the access time stays.
        let untouched = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
        let times = [untouched, timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds))]
        try path.withPlatformString { name in
            _ = try systemCall { utimensat(rawValue, name, times, AT_SYMLINK_NOFOLLOW) }
        }
    }
}

extension FilePermissions {
    /// rwxr-xr-x
    package static let directoryDefault = FilePermissions(rawValue: 0o755)
    /// rw-r--r--
    package static let fileDefault = FilePermissions(rawValue: 0o644)
    /// rwx------
    package static let directoryPrivate = FilePermissions(rawValue: 0o700)
    /// rw-------
    package static let filePrivate = FilePermissions(rawValue: 0o600)
}
