// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import Glibc
package import System

/// What the file system says about a file.
package struct FileStatus: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case regular, directory, symbolicLink, other }

    package let kind: Kind
    package let permissions: FilePermissions
    /// In bytes; the length of the target for a symbolic link.
    package let size: Int64
    /// Space taken on the file system, in bytes.
    package let allocatedSize: Int64
    package let linkCount: Int
    package let userID: UInt32
    package let groupID: UInt32
    package let device: UInt64
    package let inode: UInt64
    package let modificationTime: Timestamp
    /// When it was read last, as exactly as the file system keeps that: by default once a day, and once after each change.
    package let accessTime: Timestamp
    /// When contents, name, permissions or links changed last. Unlike the modification time nobody can set it back.
    package let changeTime: Timestamp

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .symbolicLink
        default: kind = .other
        }
        permissions = FilePermissions(rawValue: status.st_mode & 0o7777)
        size = Int64(status.st_size)
        allocatedSize = Int64(status.st_blocks) * 512
        linkCount = Int(status.st_nlink)
        userID = status.st_uid
        groupID = status.st_gid
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        modificationTime = Timestamp(
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int32(clamping: status.st_mtim.tv_nsec))
        accessTime = Timestamp(
            seconds: Int64(status.st_atim.tv_sec), nanoseconds: Int32(clamping: status.st_atim.tv_nsec))
        changeTime = Timestamp(
            seconds: Int64(status.st_ctim.tv_sec), nanoseconds: Int32(clamping: status.st_ctim.tv_nsec))
    }

    /// Whether both statuses are of one file (the same inode of the same file system).
    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}

extension FileDescriptor {
    /// The process's working directory, for calls relative to an open directory.
    package static let currentDirectory = FileDescriptor(rawValue: AT_FDCWD)

    /// - Throws: `Errno`
    package func status() throws -> FileStatus {
        var status = stat()
        try systemCall { fstat(rawValue, &status) }
        return FileStatus(status)
    }

    /// The status of `path` below this open directory; of a link itself unless `followingLinks`.
    /// - Throws: `Errno`
    package func status(at path: FilePath, followingLinks: Bool = false) throws -> FileStatus {
        var status = stat()
        try path.withPlatformString { name in
            _ = try systemCall { fstatat(rawValue, name, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) }
        }
        return FileStatus(status)
    }

    /// Sets the access time of a file, which is no link, to now.
    /// - Throws: `Errno`
    package func setAccessTime(at path: FilePath) throws {
        try path.withPlatformString { name in _ = try systemCall { clinux_set_access_time(rawValue, name) } }
    }

    /// Whether something, even a dangling link, is at `path` below this open directory.
    package func exists(at path: FilePath) -> Bool { (try? status(at: path)) != nil }
}
