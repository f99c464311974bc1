// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
package import System

/// Locks on single bytes of an open file, whether or not the file has them. They belong to the open file description, and the
/// kernel frees them when the process ends. One descriptor is enough for any number of them.
package enum ByteLock: Int32, Hashable, Sendable {
    case none = 0
    case shared = 1
    case exclusive = 2
}

extension FileDescriptor {
    /// Sets the lock on a byte; a shared one needs the right to read the file, an exclusive one to write to it.
    /// - Parameter waiting: whether to block until it can be had.
    /// - Returns: false when another open file has one that excludes it.
    /// - Throws: `Errno`
    package func setLock(_ lock: ByteLock, onByte offset: Int64, waiting: Bool = false) throws -> Bool {
        do {
            _ = try systemCall { clinux_lock_byte(rawValue, offset, lock.rawValue, waiting) }
            return true
        } catch let error as Errno where error == .wouldBlock || error == .permissionDenied {
            return false
        }
    }

    /// Whether another open file has any lock on a byte.
    /// - Throws: `Errno`
    package func isByteLocked(_ offset: Int64) throws -> Bool {
        try systemCall { clinux_byte_is_locked(rawValue, offset) } == 1
    }
}
