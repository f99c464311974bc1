// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import System

/// Filters of system calls, as programs that start others in a sandbox take them.
package enum SystemCallFilter {
    /// What keeps a sandboxed program to one process, to memory that is counted, and out of the kernel's side doors.
    /// - Returns: a file with the filter, at its start; good for one use.
    /// - Throws: `Errno`
    package static func sandbox() throws -> OwnedDescriptor {
        OwnedDescriptor(FileDescriptor(rawValue: try systemCall { clinux_sandbox_filter() }))
    }
}
