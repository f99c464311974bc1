// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
package import System

/// Replaces whole files so that a reader, and a crash, see the old contents or the new, never a mixture.
package enum AtomicFile {
    /// Writes `bytes` to a temporary file beside `path` and renames it into place.
    /// - Parameter durable: the contents and the name survive a power cut once this returns.
    /// - Throws: `Errno`; the temporary file is gone then.
    package static func write(
        _ bytes: some Sequence<UInt8>, to path: FilePath, durable: Bool, permissions: FilePermissions = .fileDefault
    ) throws {
        let parent = path.removingLastComponent()
        let directory = try OwnedDescriptor(parent.isEmpty ? "." : parent, .readOnly, options: .directory)
        guard let name = path.lastComponent?.string else { throw Errno.isDirectory }
        try write(bytes, to: name, in: directory.borrowed, durable: durable, permissions: permissions)
    }

    /// As above, for the file `name` in an open directory.
    package static func write(
        _ bytes: some Sequence<UInt8>, to name: String, in directory: FileDescriptor, durable: Bool,
        permissions: FilePermissions = .fileDefault
    ) throws {
        try write(bytes, for: name, in: directory, durable: durable, permissions: permissions) { temporary in
            try directory.rename(from: temporary, to: FilePath(name))
        }
        if durable { try directory.synchronize(dataOnly: false) }
    }

    /// As `write`, for a file that nobody believes once the machine was started again, such as a checkpoint that names the boot. ext4
    /// has the disk write at once what replaces another file by a rename, which takes up to ten milliseconds of a busy one: here
    /// the two trade places.
    /// - Throws: `Errno`; the temporary file is gone then.
    package static func writeUntilRestart(_ bytes: some Sequence<UInt8>, to path: FilePath) throws {
        let parent = path.removingLastComponent()
        let directory = try OwnedDescriptor(parent.isEmpty ? "." : parent, .readOnly, options: .directory)
        guard let name = path.lastComponent?.string else { throw Errno.isDirectory }
        let folder = directory.borrowed
        try write(bytes, for: name, in: folder, durable: false, permissions: .fileDefault) { temporary in
            do {
                try folder.rename(from: temporary, to: FilePath(name), mode: .exchanging)
                do {
                    try folder.remove(at: temporary)
                } catch {
                    // It was no file.
                    try folder.rename(from: temporary, to: FilePath(name), mode: .exchanging)
                    throw error
                }
            } catch Errno.noSuchFileOrDirectory, Errno.invalidArgument, Errno.notSupported, Errno.noFunction {
                // There is none yet, or the file system cannot.
                try folder.rename(from: temporary, to: FilePath(name))
            }
        }
    }

    /// Writes a temporary file, and has it put in place.
    private static func write(
        _ bytes: some Sequence<UInt8>, for name: String, in directory: FileDescriptor, durable: Bool,
        permissions: FilePermissions, _ place: (FilePath) throws -> Void
    ) throws {
        let temporary = FilePath(".\(name).\(getpid()).\(UInt32.random(in: 0...UInt32.max)).tmp")
        do {
            let file = OwnedDescriptor(
                try directory.open(
                    at: temporary, .writeOnly, options: [.create, .exclusiveCreate, .noFollow], permissions: permissions
                ))
            try file.borrowed.writeAll(bytes)
            if durable { try file.borrowed.synchronize() }
            try file.close()
            try place(temporary)
        } catch {
            _ = try? directory.remove(at: temporary)
            throw error
        }
    }
}
