// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
internal import Kit
internal import System

/// A TCP socket that listens.
enum ListeningSocket {
    /// - Parameters:
    ///   - host: a name or a numeric address of this machine; nil for all its addresses.
    ///   - port: 0 lets the system choose.
    /// - Returns: the socket, and the port it listens on.
    static func open(host: String?, port: Int) throws -> (socket: FileDescriptor, port: Int) {
        guard (0...65_535).contains(port) else {
            throw HTTPServerError(.listen, "\(port) is no port. Ports go from 1 to 65535; 0 lets the system choose.")
        }
        var failure: any Error = Errno.invalidArgument
        for address in try addresses(host: host, port: port) {
            do {
                return try open(address, allAddresses: host == nil)
            } catch {
                failure = error
            }
        }
        let place = host.map { "\($0), port \(port)" } ?? "port \(port)"
        if let errno = failure as? Errno, errno == .addressInUse {
            throw HTTPServerError(.listen, "Another program listens on \(place). Choose another port, or 0 for any.")
        }
        throw HTTPServerError(.listen, "Cannot listen on \(place).", cause: failure)
    }

    private struct Address {
        let family: CInt
        var storage: sockaddr_storage
        let length: socklen_t
    }

    private static func addresses(host: String?, port: Int) throws -> [Address] {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &list)
        guard result == 0 else {
            throw HTTPServerError(
                .listen,
                "\(host ?? "this machine") has no address to listen on (\(String(cString: gai_strerror(result)))).")
        }
        defer { freeaddrinfo(list) }
        var found: [Address] = []
        var next = list
        while let entry = next {
            if let address = entry.pointee.ai_addr {
                var storage = sockaddr_storage()
                withUnsafeMutableBytes(of: &storage) {
                    $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen)))
                }
                found.append(
                    Address(family: entry.pointee.ai_family, storage: storage, length: entry.pointee.ai_addrlen))
            }
            next = entry.pointee.ai_next
        }
        // For all addresses, IPv6 first: its socket takes IPv4 connections, too.
        return host == nil ? found.sorted { $0.family == AF_INET6 && $1.family != AF_INET6 } : found
    }

    private static func open(_ address: Address, allAddresses: Bool) throws -> (FileDescriptor, Int) {
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let socket = OwnedDescriptor(
            FileDescriptor(rawValue: try systemCall { Glibc.socket(address.family, type, 0) }))
        let number = socket.borrowed.rawValue
        try set(number, SOL_SOCKET, SO_REUSEADDR, 1)
        if address.family == AF_INET6 { try set(number, CInt(IPPROTO_IPV6), IPV6_V6ONLY, allAddresses ? 0 : 1) }
        var storage = address.storage
        var length = address.length
        let port = try withUnsafeMutablePointer(to: &storage) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                try systemCall { bind(number, generic, length) }
                try systemCall { listen(number, 512) }
                length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                try systemCall { getsockname(number, generic, &length) }
            }
            // The port is at the same place for both families.
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
        return (socket.release(), port)
    }

    private static func set(_ socket: CInt, _ level: CInt, _ option: CInt, _ value: CInt) throws {
        var value = value
        try systemCall { setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<CInt>.size)) }
    }
}
