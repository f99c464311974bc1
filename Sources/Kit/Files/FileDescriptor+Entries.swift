// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
package import System

/// A name in a directory.
package struct DirectoryEntry: Hashable, Sendable {
    package let name: String
    package let kind: FileStatus.Kind
}

extension FileDescriptor {
    /// The names in this open directory without `.` and `..`, in bytewise order.
    /// - Throws: `Errno`
    package func entries() throws -> [DirectoryEntry] {
        var result: [DirectoryEntry] = []
        try forEachEntry { name, kind in result.append(DirectoryEntry(name: String(cString: name), kind: kind)) }
        return result.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The names in the directory at `path` below this one.
    /// - Throws: `Errno`
    package func entries(at path: FilePath) throws -> [DirectoryEntry] {
        let directory = OwnedDescriptor(try open(at: path, .readOnly, options: .directory))
        return try directory.borrowed.entries()
    }

    /// Removes what is at `path`: a file, a link, or a directory with all that is in it. Links are never followed.
    /// Nothing being there is fine. Directories without write permission are given it.
    /// - Throws: `Errno`
    package func removeTree(at path: FilePath) throws {
        do {
            try path.withPlatformString { try removeTree($0) }
        } catch Errno.noSuchFileOrDirectory {}
    }

    private func removeTree(_ name: UnsafePointer<CChar>) throws {
        do {
            try systemCall { unlinkat(rawValue, name, 0) }
            return
        } catch Errno.isDirectory {
        } catch Errno.notPermitted {}
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var opened = try? systemCall { openat(rawValue, name, flags) }
        if opened == nil {
            try systemCall { fchmodat(rawValue, name, 0o700, 0) }
            opened = try systemCall { openat(rawValue, name, flags) }
        }
        if let opened {
            // Named, because an unnamed owner closes as soon as its number was read.
            let directory = OwnedDescriptor(FileDescriptor(rawValue: opened))
            try directory.borrowed.removeContents()
        }
        try systemCall { unlinkat(rawValue, name, AT_REMOVEDIR) }
    }

    /// Empties this open directory.
    /// - Throws: `Errno`
    package func removeContents() throws {
        // Names are gathered first: removing while reading a directory may skip some.
        var names: [ContiguousArray<CChar>] = []
        try forEachEntry { name, _ in
            names.append(ContiguousArray(UnsafeBufferPointer(start: name, count: strlen(name) + 1)))
        }
        for name in names {
            try name.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                do {
                    try removeTree(base)
                } catch Errno.permissionDenied {
                    try systemCall { fchmod(rawValue, 0o700) }
                    try removeTree(base)
                }
            }
        }
    }

    private func forEachEntry(_ body: (UnsafePointer<CChar>, FileStatus.Kind) throws -> Void) throws {
        // A descriptor of its own: the stream closes it, and the offset of this one stays.
        let own = try systemCall { openat(rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(own) else {
            let error = Errno.current
            Glibc.close(own)
            throw error
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                let error = Errno.current
                if error.rawValue != 0 { throw error }
                return
            }
            try withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                try pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    name in
                    if strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { return }
                    try body(name, kind(of: entry.pointee.d_type, name))
                }
            }
        }
    }

    /// Some file systems leave the type to `stat`.
    private func kind(of type: UInt8, _ name: UnsafePointer<CChar>) -> FileStatus.Kind {
        switch Int(type) {
        case Int(DT_REG): return .regular
        case Int(DT_DIR): return .directory
        case Int(DT_LNK): return .symbolicLink
        case Int(DT_UNKNOWN):
            var status = stat()
            guard fstatat(rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return .other }
            return FileStatus(status).kind
        default: return .other
        }
    }
}
