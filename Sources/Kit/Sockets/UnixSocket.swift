// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import Glibc
package import System

/// Who is at the other end of a Unix socket, as the kernel recorded it when the two were connected.
package struct PeerCredentials: Hashable, Sendable {
    package let userID: UInt32
    package let groupID: UInt32
    package let processID: Int32

    /// - Throws: `Errno`
    package init(of socket: FileDescriptor) throws {
        var user: UInt32 = 0
        var group: UInt32 = 0
        var process: Int32 = 0
        try systemCall { clinux_peer(socket.rawValue, &user, &group, &process) }
        userID = user
        groupID = group
        processID = process
    }
}

/// Stream sockets in the file system.
package enum UnixSocket {
    /// The kernel's limit on a socket's path, in bytes.
    package static let maximumPathLength = 107

    /// Connects to the socket at `path`.
    /// - Throws: `KitError` whose cause is the `Errno`: `noSuchFileOrDirectory` or `connectionRefused` when nobody listens.
    package static func connect(_ path: FilePath) throws -> OwnedDescriptor {
        let socket = try makeSocket()
        let number = socket.borrowed.rawValue
        do {
            try withAddress(path) { address, length in
                _ = try systemCall { Glibc.connect(number, address, length) }
            }
        } catch let error as Errno {
            throw KitError(.socket, "Nothing answers at the socket \(path).", cause: error)
        }
        return socket
    }

    /// Has reading from a socket fail with `resourceTemporarilyUnavailable` when nothing comes for so long.
    /// - Throws: `Errno`
    package static func setReceiveTimeout(_ socket: FileDescriptor, milliseconds: Int) throws {
        try systemCall { clinux_receive_timeout(socket.rawValue, Int32(clamping: milliseconds)) }
    }

    /// Two sockets connected to each other.
    /// - Throws: `Errno`
    package static func pair() throws -> (FileDescriptor, FileDescriptor) {
        var ends: [CInt] = [-1, -1]
        try systemCall { socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) }
        return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
    }

    static func makeSocket() throws -> OwnedDescriptor {
        let number = try systemCall { socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0) }
        return OwnedDescriptor(FileDescriptor(rawValue: number))
    }

    static func withAddress<Result>(
        _ path: FilePath, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) throws -> Result {
        guard path.length <= maximumPathLength else {
            throw KitError(
                .socket,
                "The socket path \(path) has \(path.length) bytes; the system allows \(maximumPathLength). "
                    + "Set XDG_RUNTIME_DIR or LARDER_HOME to a shorter folder.")
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.string.utf8) }
        return try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
