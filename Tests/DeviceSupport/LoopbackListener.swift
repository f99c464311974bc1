// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
package import System

/// A socket that listens on loopback, for servers that are given one: nobody needs to wait for them or to guess a port.
package final class LoopbackListener: Sendable {
    package let port: Int
    private let socket: OwnedDescriptor

    package var descriptor: FileDescriptor { socket.borrowed }

    /// - Parameter isBlocking: to accept a connection waits for one.
    package init(isBlocking: Bool = false) throws {
        let waits = isBlocking ? 0 : CInt(SOCK_NONBLOCK.rawValue)
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | waits
        let socket = OwnedDescriptor(FileDescriptor(rawValue: try systemCall { Glibc.socket(AF_INET, kind, 0) }))
        let number = socket.borrowed.rawValue
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                try systemCall { bind(number, generic, length) }
                try systemCall { getsockname(number, generic, &length) }
            }
            return Int(UInt16(bigEndian: pointer.pointee.sin_port))
        }
        try systemCall { Glibc.listen(number, 512) }
        self.socket = socket
    }
}
