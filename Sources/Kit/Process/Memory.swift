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

    /// While there is one, freed blocks of some megabytes are used again and do not go back to the system, which has to clear each page
    /// of every new one. What is free in the end stays until `trim`.
    package final class Reuse: Sendable {
        private static let users = Locked(0)
        /// The most that glibc has in its heaps, and what their ends keep then.
        private static let (largestBlock, mostFree) = (32 << 20, 64 << 20)
        /// What glibc keeps at the ends of its heaps by itself.
        private static let usuallyFree = 128 << 10

        package init() {
            Self.users.withLock { users in
                users += 1
                if users == 1 { clinux_reuse_blocks(Self.largestBlock, Self.mostFree) }
            }
        }

        deinit {
            Self.users.withLock { users in
                users -= 1
                if users == 0 { clinux_reuse_blocks(returnedBlockSize, Self.usuallyFree) }
            }
        }
    }

    /// Gives freed memory back to the system, which the allocator keeps otherwise, and lets go of the pages of program code:
    /// those that are needed again come back from the system's cache.
    package static func trim() { clinux_trim_memory() }
}
