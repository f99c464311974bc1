// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux

/// This process's memory.
package enum Memory {
    /// Gives freed memory back to the system, which the allocator keeps otherwise, and lets go of the pages of program code:
    /// those that are needed again come back from the system's cache.
    package static func trim() { clinux_trim_memory() }
}
