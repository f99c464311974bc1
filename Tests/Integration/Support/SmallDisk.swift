// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System
import TestSupport

enum SmallDisk {
    /// A file system of `size` bytes at `place`, gone after the test; false where this user may not mount one.
    static func mount(_ size: Int64, at place: FilePath, _ scratch: Scratch) throws -> Bool {
        guard getuid() == 0 else { return false }
        try FileDescriptor.currentDirectory.makeDirectories(at: place)
        let mounted = try ChildProcess.run(
            executable: "mount", arguments: ["-t", "tmpfs", "-o", "size=\(size)", "tmpfs", place.string])
        guard mounted.exitCode == 0 else { return false }
        scratch.addCleanup {
            _ = try? ChildProcess.run(executable: "umount", arguments: ["--lazy", place.string])
        }
        return true
    }
}
