// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import Glibc
internal import System

/// Processes that this program, or one before it, set going by way of another and is not the parent of.
package enum StrayProcesses {
    /// Kills (SIGKILL) every process for whose environment, entries such as `HOME=/root`, `matches` holds. Those of other users
    /// are not looked at. Blocks.
    /// - Returns: how many there were.
    @discardableResult
    package static func kill(where matches: (_ environment: Set<Substring>) -> Bool) -> Int {
        let here = FileDescriptor.currentDirectory
        var count = 0
        for process in ((try? here.entries(at: "/proc")) ?? []).compactMap({ Int32($0.name) }) where process != getpid()
        {
            guard let known = environment(of: process), matches(known) else { continue }
            let number = clinux_pidfd_open(process)
            guard number >= 0 else { continue }
            let pidfd = OwnedDescriptor(FileDescriptor(rawValue: number))
            // Looked at again now that the number cannot become another's.
            guard let known = environment(of: process), matches(known) else { continue }
            _ = clinux_pidfd_send_signal(pidfd.borrowed.rawValue, SIGKILL)
            count += 1
        }
        return count
    }

    private static func environment(of process: Int32) -> Set<Substring>? {
        guard let bytes = try? File.read(FilePath("/proc/\(process)/environ"), limit: 1 << 20), !bytes.isEmpty else {
            return nil
        }
        return Set(String(decoding: bytes, as: UTF8.self).split(separator: "\0"))
    }
}
