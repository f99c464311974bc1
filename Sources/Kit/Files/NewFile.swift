// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import Glibc
package import System

/// A new file that has no name until it is complete: a process that dies before leaves nothing behind.
///
/// Where the file system has no unnamed files, a hidden temporary name stands in, which is removed on every way out but a
/// kill.
package struct NewFile: ~Copyable {
    private let file: OwnedDescriptor
    private let directory: OwnedDescriptor
    private let name: String
    /// The stand-in, when there is one.
    private var temporaryName: String?

    /// To be written while the new file lives.
    package var descriptor: FileDescriptor { file.borrowed }

    /// - Parameters:
    ///   - path: the name it will get.
    ///   - unnamed: false has a temporary name stand in even where unnamed files are to be had.
    /// - Throws: `Errno`; `fileExists` when something is there already.
    package init(at path: FilePath, permissions: FilePermissions = .fileDefault, unnamed: Bool = true) throws {
        guard let name = path.lastComponent?.string else { throw Errno.isDirectory }
        let parent = path.removingLastComponent()
        let directory = try OwnedDescriptor(parent.isEmpty ? "." : parent, .readOnly, options: .directory)
        guard !directory.borrowed.exists(at: FilePath(name)) else { throw Errno.fileExists }
        do {
            // Without /proc there is no way to give such a file its name later.
            guard unnamed, FileDescriptor.currentDirectory.exists(at: "/proc/self/fd") else { throw Errno.notSupported }
            let options = FileDescriptor.OpenOptions(rawValue: clinux_o_tmpfile)
            file = OwnedDescriptor(
                try directory.borrowed.open(at: ".", .readWrite, options: options, permissions: permissions))
            temporaryName = nil
        } catch let error as Errno where [.notSupported, .isDirectory, .noSuchFileOrDirectory].contains(error) {
            let standIn = ".\(name.prefix(40)).\(getpid()).\(UInt32.random(in: 0...UInt32.max)).tmp"
            file = OwnedDescriptor(
                try directory.borrowed.open(
                    at: FilePath(standIn), .readWrite, options: [.create, .exclusiveCreate, .noFollow],
                    permissions: permissions))
            temporaryName = standIn
        }
        self.directory = directory
        self.name = name
    }

    deinit {
        if let temporaryName { _ = try? directory.borrowed.remove(at: FilePath(temporaryName)) }
    }

    /// Gives the file its name. What is written afterwards may be seen half-done.
    /// - Throws: `Errno`; `fileExists` when something has taken the name meanwhile.
    package mutating func publish() throws {
        if let standIn = temporaryName {
            try directory.borrowed.rename(from: FilePath(standIn), to: FilePath(name), mode: .exclusive)
            temporaryName = nil
        } else {
            try "/proc/self/fd/\(file.borrowed.rawValue)".withCString { source in
                try name.withCString { target in
                    _ = try systemCall {
                        linkat(AT_FDCWD, source, directory.borrowed.rawValue, target, AT_SYMLINK_FOLLOW)
                    }
                }
            }
        }
    }
}
