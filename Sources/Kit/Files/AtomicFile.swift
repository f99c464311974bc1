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
        let temporary = FilePath(".\(name).\(getpid()).\(UInt32.random(in: 0...UInt32.max)).tmp")
        do {
            let file = OwnedDescriptor(
                try directory.open(
                    at: temporary, .writeOnly, options: [.create, .exclusiveCreate, .noFollow], permissions: permissions
                ))
            try file.borrowed.writeAll(bytes)
            if durable { try file.borrowed.synchronize() }
            try file.close()
            try directory.rename(from: temporary, to: FilePath(name))
        } catch {
            _ = try? directory.remove(at: temporary)
            throw error
        }
        if durable { try directory.synchronize(dataOnly: false) }
    }
}
