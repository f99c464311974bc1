// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import System

/// A connection to a server on this machine. Blocks.
/// - Parameter receiveBuffer: how many bytes may wait here, about; nil for what the system thinks fit.
func loopbackConnection(to port: Int, receiveBuffer: CInt? = nil) throws -> FileDescriptor {
    let number = try systemCall { socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0) }
    // The server may close while something is sent.
    signal(SIGPIPE, SIG_IGN)
    if var size = receiveBuffer {
        try systemCall { setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size)) }
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    try withUnsafePointer(to: &address) { pointer in
        try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
            _ = try systemCall { Glibc.connect(number, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
    return FileDescriptor(rawValue: number)
}
