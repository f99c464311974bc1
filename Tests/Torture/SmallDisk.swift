// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// A file system in memory whose size can be changed. It takes the right to mount one.
struct SmallDisk: Sendable {
    private static let usual: Int64 = 256 << 20

    let path: FilePath

    /// nil when this process may not mount.
    init?(at path: FilePath) {
        self.path = path
        guard geteuid() == 0 else { return nil }
        guard (try? Self.run("mount", "-t", "tmpfs", "-o", "size=\(Self.usual)", "tmpfs", path.string)) == true else {
            return nil
        }
    }

    /// Leaves so many bytes.
    func fill(leaving room: Int64) {
        guard let space = try? FileSystemSpace(at: path) else { return }
        _ = try? Self.run("mount", "-o", "remount,size=\(max(4096, space.total - space.available + room))", path.string)
    }

    func relieve() { _ = try? Self.run("mount", "-o", "remount,size=\(Self.usual)", path.string) }

    func unmount() { _ = try? Self.run("umount", "-l", path.string) }

    private static func run(_ program: String, _ arguments: String...) throws -> Bool {
        try ChildProcess.run(executable: FilePath(program), arguments: arguments).exitCode == 0
    }
}
