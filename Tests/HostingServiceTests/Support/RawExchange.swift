// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import HTTP
import Kit
import System

/// HTTP/1.1 by hand over a socket: sends exactly what a test wants to be sent.
enum RawExchange {
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    static func send(
        _ method: String, _ target: String, to url: String, headers: [String: String] = [:], body: [UInt8]? = nil
    ) async throws -> Publisher.Answer {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return try await send(Array((head + "\r\n").utf8) + (body ?? []), to: url)
    }

    /// Sends the bytes and reads one answer to the connection's end.
    /// - Parameter thenClose: says that nothing more will come.
    static func send(_ bytes: [UInt8], to url: String, thenClose: Bool = false) async throws -> Publisher.Answer {
        let port = UInt16(url.split(separator: ":").last ?? "") ?? 0
        let received = try await onOwnThread {
            let socket = OwnedDescriptor(try connect(port))
            // A server that has decided may close before it has read everything; what it says counts.
            _ = try? bytes.withUnsafeBytes { try socket.borrowed.writeFully($0) }
            if thenClose { _ = shutdown(socket.borrowed.rawValue, Int32(SHUT_WR)) }
            return (try? socket.borrowed.readAll()) ?? []
        }
        return try answer(received)
    }

    private static func connect(_ port: UInt16) throws -> FileDescriptor {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw Broken(description: "no socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(number)
            throw Broken(description: "no connection")
        }
        return FileDescriptor(rawValue: number)
    }

    private static func answer(_ bytes: [UInt8]) throws -> Publisher.Answer {
        var rest = bytes[...]
        while true {
            guard
                let end = (0..<max(0, rest.count - 3)).first(where: {
                    rest[(rest.startIndex + $0)...].starts(with: [13, 10, 13, 10])
                })
            else { throw Broken(description: "no whole head in \(bytes.count) bytes") }
            let head = rest.prefix(end)
            let body = rest.dropFirst(end + 4)
            let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
            let words = (lines.first ?? "").split(separator: " ")
            guard words.count >= 2, let status = Int(words[1]) else { throw Broken(description: "no status line") }
            if status == 100 {
                rest = body
                continue
            }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let pair = line.split(separator: ":", maxSplits: 1)
                guard pair.count == 2 else { continue }
                headers[pair[0].lowercased()] = String(pair[1].drop { $0 == " " })
            }
            return Publisher.Answer(status: status, headers: headers, body: Array(body))
        }
    }
}
