// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import Glibc
package import System

/// A descriptor that becomes readable when another thread says so: it ends a wait for other descriptors.
package final class WakeDescriptor: Sendable {
    private let event: OwnedDescriptor

    /// - Throws: `Errno`
    package init() throws {
        event = OwnedDescriptor(FileDescriptor(rawValue: try systemCall { clinux_eventfd() }))
    }

    /// To be polled, for as long as this object lives.
    package var descriptor: FileDescriptor { event.borrowed }

    /// Makes the descriptor readable for good.
    package func signal() {
        var one: UInt64 = 1
        _ = write(event.borrowed.rawValue, &one, 8)
    }
}
