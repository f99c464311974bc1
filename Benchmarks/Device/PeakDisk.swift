// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Watches the free space of a file system that nothing else uses while a command runs.
enum PeakDisk {
    /// Prints the command's lowest point and what is taken at its end, in bytes over the beginning; its exit code.
    static func measure(_ folder: FilePath, command: [String]) throws -> Int32 {
        let before = try FileSystemSpace(at: folder).available
        var lowest = before
        let child = try ChildProcess.spawn(
            executable: FilePath(command[0]), arguments: Array(command.dropFirst()), descriptors: [1: .standardError])
        var code: Int32?
        // A sampler by nature: 2 ms apart, far below what a second's download moves.
        while code == nil {
            code = try child.wait(atMost: .milliseconds(2))
            let now = try FileSystemSpace(at: folder).available
            lowest = min(lowest, now)
        }
        let after = try FileSystemSpace(at: folder).available
        print("peak=\(before - lowest) final=\(before - after)")
        return code ?? 1
    }
}
