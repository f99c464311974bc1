// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux

/// This process's memory.
package enum Memory {
    /// Bytes from which on a block goes back to the system when it is freed.
    package static let returnedBlockSize = 256 << 10

    /// Has large blocks given back as soon as they are freed, whichever thread frees them and whenever, so that what is
    /// kept does not depend on who comes last. To be called before there are threads.
    package static func keepSmall() { clinux_keep_memory_small(returnedBlockSize) }

    /// Gives freed memory back to the system, which the allocator keeps otherwise, and lets go of the pages of program code:
    /// those that are needed again come back from the system's cache.
    package static func trim() { clinux_trim_memory() }
}
