// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
package import System

extension FileDescriptor {
    /// Keeps everybody else from the file until this descriptor is closed, unless somebody has it open or mapped already.
    /// - Returns: whether that came about. It never does on file systems without leases, nor for other users' files.
    package func takeLease() -> Bool { clinux_take_lease(rawValue) == 0 }
}
