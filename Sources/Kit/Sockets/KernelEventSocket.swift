// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
package import System

/// A socket on which the kernel says what happens to its devices, as udev hears it.
package final class KernelEventSocket: Sendable {
    private let socket: OwnedDescriptor

    /// - Throws: `Errno`
    package init() throws {
        socket = OwnedDescriptor(FileDescriptor(rawValue: try systemCall { clinux_kernel_events() }))
    }

    /// To be polled, for as long as this object lives.
    package var descriptor: FileDescriptor { socket.borrowed }

    /// The next event without waiting; nil when there is none. Texts `NAME=value`, each ended by a zero byte, stand behind a
    /// first one that says what happened where.
    /// - Throws: `Errno`, such as when events were lost.
    package func next() throws -> [UInt8]? {
        try withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            do {
                let count = try socket.borrowed.read(into: buffer)
                return Array(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            } catch Errno.resourceTemporarilyUnavailable {
                return nil
            }
        }
    }
}
