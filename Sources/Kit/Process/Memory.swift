// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux

/// This process's memory.
package enum Memory {
    /// Gives freed memory back to the system; the allocator keeps it for later otherwise.
    package static func trim() { clinux_trim_memory() }
}
