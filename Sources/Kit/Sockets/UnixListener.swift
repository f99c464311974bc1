// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import Glibc
package import System

/// A listening Unix socket that removes its file when it is closed.
package final class UnixListener: Sendable {
    package let path: FilePath
    private let socket: OwnedDescriptor
    private let closed = Locked(false)
    private let ownsFile: Bool

    /// Listens at `path`. A socket that a dead process left there is replaced; a live one is left alone.
    /// The folder must exist and should be private to the user; the socket itself is made with mode 0600.
    /// - Throws: `KitError`, with code `peerAlive` when another process answers there.
    package init(path: FilePath) throws {
        if FileDescriptor.currentDirectory.exists(at: path) { try Self.removeStale(path) }
        let socket = try UnixSocket.makeSocket()
        let number = socket.borrowed.rawValue
        do {
            try UnixSocket.withAddress(path) { address, length in
                // No umask games, which would race with other threads: the folder is what keeps others out.
                _ = try systemCall { bind(number, address, length) }
            }
            try FileDescriptor.currentDirectory.setPermissions(.filePrivate, at: path)
            try systemCall { listen(number, 64) }
        } catch let error as Errno {
            throw KitError(.socket, "The socket \(path) could not be made.", cause: error)
        }
        self.path = path
        self.socket = socket
        ownsFile = true
    }

    /// Takes over a socket that already listens, as systemd's socket activation hands it on. Its file is not ours.
    package init(adopting descriptor: consuming OwnedDescriptor, path: FilePath) {
        self.path = path
        socket = descriptor
        ownsFile = false
    }

    private static func removeStale(_ path: FilePath) throws {
        do {
            _ = try UnixSocket.connect(path)
        } catch let error as KitError where error.cause is Errno {
            guard Errno.connectionRefused ~= (error.cause ?? error) else { throw error }
            try FileDescriptor.currentDirectory.remove(at: path)
            return
        }
        throw KitError(.peerAlive, "Another process listens at \(path). Stop it first, or use another LARDER_HOME.")
    }

    /// Blocks until a client connects; nil once the listener is closed. For an owned thread.
    /// - Throws: `Errno`, such as too many open files.
    package func accept() throws -> OwnedDescriptor? {
        while true {
            do {
                let number = socket.borrowed.rawValue
                return OwnedDescriptor(FileDescriptor(rawValue: try systemCall { clinux_accept(number) }))
            } catch {
                if closed.withLock({ $0 }) { return nil }
                // The client hung up before it was its turn; the next one may come.
                if (error as? Errno)?.rawValue == ECONNABORTED { continue }
                throw error
            }
        }
    }

    /// Ends `accept` and removes the socket's file.
    package func close() {
        let first = closed.withLock { closed in
            defer { closed = true }
            return !closed
        }
        guard first else { return }
        if ownsFile { _ = try? FileDescriptor.currentDirectory.remove(at: path) }
        shutdown(socket.borrowed.rawValue, CInt(SHUT_RDWR))
    }

    deinit { close() }
}
