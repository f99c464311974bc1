// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// What an extension sees and gets, as arguments of bubblewrap: a value, made without touching anything.
///
/// Everything that is shown has the path it has outside, so that a file's URL means the same to the app and its extension.
struct SandboxPlan: Hashable, Sendable {
    /// Bytes that the folders in memory (`/tmp`, `/dev/shm`) hold at most, each.
    static let memoryFolderSize = 64 << 20
    /// Bytes of private memory; mapped files do not count.
    static let memory: UInt64 = 256 << 20

    static let limits = [
        ResourceLimit(.privateMemory, memory), ResourceLimit(.coreFile, 0), ResourceLimit(.openFiles, 1024),
    ]

    /// A name in the root folder: a link as on the machine, or a folder that is shown.
    enum RootEntry: Hashable, Sendable {
        case link(FilePath, target: String)
        case folder(FilePath)
    }

    /// `/usr` and what stands for parts of it in the root folder.
    var root: [RootEntry]
    /// Single files to be read.
    var files: [FilePath] = []
    /// Folders to be read.
    var readable: [FilePath] = []
    /// Folders to be written.
    var writable: [FilePath] = []
    var workingDirectory: FilePath?

    /// bubblewrap's arguments up to the program.
    /// - Parameter filter: the descriptor of the system call filter.
    func arguments(filter: Int32?) -> [String] {
        // User, process, network, IPC, host name and cgroup namespaces of its own. It ends with the service, whatever ends it.
        var words = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        if let filter { words += ["--seccomp", "\(filter)"] }
        for entry in root {
            switch entry {
            case .link(let path, let target): words += ["--symlink", target, path.string]
            case .folder(let path): words += ["--ro-bind", path.string, path.string]
            }
        }
        words += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
        for folder in ["/dev/shm", "/tmp"] {
            words += ["--perms", "1777", "--size", "\(Self.memoryFolderSize)", "--tmpfs", folder]
        }
        for path in files + readable { words += ["--ro-bind", path.string, path.string] }
        for path in writable { words += ["--bind", path.string, path.string] }
        // The root itself is memory; nobody may fill it.
        words += ["--remount-ro", "/"]
        if let workingDirectory { words += ["--chdir", workingDirectory.string] }
        return words + ["--"]
    }
}
