// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import HTTP
import HTTPSupport
import Kit
import System
import Testing

/// Long stretches of files over plain http, to clients that take their time.
@Suite(.timeLimit(.minutes(5))) struct FileSendTests {
    /// More than what waits in the buffers of both ends.
    private static let size = 24 << 20

    private static func server(_ file: ServedFile, offset: Int64, count: Int64) throws -> HTTPServer {
        var configuration = HTTPServerConfiguration(host: "127.0.0.1")
        configuration.immediate = { _ in
            HTTPServerResponse(status: 200, body: [.file(file, offset: offset, count: count)])
        }
        return try HTTPServer(configuration) { _ in .text(500, "the handler was asked") }
    }

    private static let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    /// Reads an answer's head; what of its body came along.
    private static func head(_ client: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let start = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) {
                #expect(String(decoding: bytes[..<start], as: UTF8.self).hasPrefix("HTTP/1.1 200"))
                return Array(bytes[(start + end.count)...])
            }
            let more = try read(client, atMost: 4096)
            guard !more.isEmpty else { return [] }
            bytes += more
        }
    }

    private static func read(_ client: FileDescriptor, atMost count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = try client.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// The socket is full again and again, in the middle of an answer, and the next answer on it is another's.
    @Test func whoTakesLittleAtATimeGetsTheFile() async throws {
        let folder = try TemporaryDirectory(prefix: "larder-http")
        let path = folder.path.appending("file")
        let content = pattern(Self.size)
        try AtomicFile.write(content, to: path, durable: false)
        let server = try Self.server(try ServedFile(path), offset: 3, count: Int64(Self.size - 5))
        defer { server.stop() }
        try await onOwnThread {
            let client = OwnedDescriptor(try loopbackConnection(to: server.port, receiveBuffer: 32 << 10))
            for _ in 0..<2 {
                try client.borrowed.writeAll(Self.request.utf8)
                var body = try Self.head(client.borrowed)
                while body.count < Self.size - 5 {
                    let more = try Self.read(client.borrowed, atMost: 9999)
                    try #require(!more.isEmpty)
                    body += more
                }
                #expect(body.elementsEqual(content[3..<Self.size - 2]))
            }
        }
    }

    /// The connection ends, and the server goes on.
    @Test func aFileMayBecomeShorterWhileItIsSent() async throws {
        let folder = try TemporaryDirectory(prefix: "larder-http")
        let path = folder.path.appending("file")
        try AtomicFile.write(pattern(Self.size), to: path, durable: false)
        let server = try Self.server(try ServedFile(path), offset: 0, count: Int64(Self.size))
        defer { server.stop() }
        try await onOwnThread {
            for _ in 0..<2 {
                let client = OwnedDescriptor(try loopbackConnection(to: server.port, receiveBuffer: 32 << 10))
                try client.borrowed.writeAll(Self.request.utf8)
                var count = try Self.head(client.borrowed).count
                try systemCall { truncate(path.string, 1000) }
                while let more = try? Self.read(client.borrowed, atMost: 1 << 20), !more.isEmpty { count += more.count }
                #expect(count < Self.size)
            }
        }
    }

    /// The kernel takes the pages from the file: none of them is looked up in this process.
    @Test func noPageOfTheFileBecomesTheProcesses() async throws {
        let folder = try TemporaryDirectory(prefix: "larder-http")
        let path = folder.path.appending("file")
        try AtomicFile.write(pattern(4 << 20), to: path, durable: false)
        let file = try ServedFile(path)
        let server = try Self.server(file, offset: 0, count: 4 << 20)
        defer { server.stop() }
        let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/")
        #expect(try await HTTPClient.forTests().data(for: request, limit: 4 << 20).1.count == 4 << 20)
        let maps = String(decoding: try File.read("/proc/self/smaps", limit: 64 << 20), as: UTF8.self)
        let lines = maps.split(separator: "\n").drop { !$0.hasSuffix(path.string) }
        let resident = try #require(lines.first { $0.hasPrefix("Rss:") }, "the file is not mapped")
        #expect(resident.split(separator: " ").dropFirst().first == "0")
        withExtendedLifetime(file) {}
    }
}
