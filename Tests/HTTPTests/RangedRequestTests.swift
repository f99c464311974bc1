// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import HTTPSupport
import Kit
import System
import TestSupport
import Testing

@testable import HTTP

/// Requests for several ranges, against servers that give them, give one, and give none.
@Suite(.timeLimit(.minutes(5))) struct RangedRequestTests {
    private static let ranges: [Range<Int64>] = [10..<500, 70_000..<70_001, 100_000..<262_144]

    private func fetch(_ url: String, _ ranges: [Range<Int64>], of size: Int, ifRange: String? = nil) async throws -> (
        isWhole: Bool, found: [(Int64, [UInt8])]
    ) {
        var request = HTTPRequest(url: url, ifRange: ifRange, expectedLength: Int64(size))
        request.ranges = ranges
        let download = HTTPClient.forTests().start(request)
        let head = try await download.head()
        let body = try await download.readAll(piece: 1000)
        var reader = try RangedBody(head, request: request)
        var found: [(Int64, [UInt8])] = []
        try body.withUnsafeBytes { bytes in
            try reader.take(bytes) { found.append(($0, Array($1))) }
        }
        try reader.finish()
        return (reader.isWhole, found)
    }

    private func fits(_ found: [(Int64, [UInt8])], _ file: [UInt8], _ ranges: [Range<Int64>]) -> Bool {
        found.map { $0.0..<$0.0 + Int64($0.1.count) } == ranges
            && found.allSatisfy { $0.1.elementsEqual(file[Int($0.0)..<Int($0.0) + $0.1.count]) }
    }

    @Test func aServerThatGivesSeveral() async throws {
        try await Scratch.with { scratch in
            let bytes = pattern(262_144)
            try scratch.write(bytes, to: "pack")
            let file = try ServedFile(scratch.path.appending("pack"))
            let server = try HTTPServer(HTTPServerConfiguration(host: "127.0.0.1", port: 0)) { request in
                FileAnswer(file: file, size: 262_144, etag: "\"e\"", contentType: "x/y").response(to: request)
            }
            defer { server.stop() }
            let url = "http://127.0.0.1:\(server.port)/pack"
            let several = try await fetch(url, Self.ranges, of: bytes.count, ifRange: "\"e\"")
            #expect(!several.isWhole && fits(several.found, bytes, Self.ranges))
            let one = try await fetch(url, [5..<9], of: bytes.count)
            #expect(!one.isWhole && fits(one.found, bytes, [5..<9]))
            // The file is another one now: all of it comes, and says so.
            #expect(try await fetch(url, Self.ranges, of: bytes.count, ifRange: "\"old\"").isWhole)
            let error = await #expect(throws: HTTPClientError.self) {
                _ = try await fetch(url, [300_000..<300_001], of: bytes.count)
            }
            #expect(error?.status == 416)
        }
    }

    @Test func aServerThatKnowsNoRanges() async throws {
        let bytes = pattern(262_144)
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            connection.send(bytes)
        }
        let answer = try await fetch(server.url, Self.ranges, of: bytes.count)
        #expect(answer.isWhole && fits(answer.found, bytes, Self.ranges))
    }

    @Test func aServerThatGivesTheFirstOnly() async throws {
        let bytes = pattern(262_144)
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send(
                "HTTP/1.1 206 Partial\r\nContent-Range: bytes 10-499/262144\r\nContent-Length: 490\r\n\r\n")
            connection.send(Array(bytes[10..<500]))
        }
        let error = await #expect(throws: HTTPClientError.self) {
            _ = try await fetch(server.url, Self.ranges, of: bytes.count)
        }
        #expect(error?.code == .badResponse && error?.message.contains("2 ranges too few") == true)
    }

    @Test func aPartOfAnotherFile() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send(
                "HTTP/1.1 206 Partial\r\nETag: \"new\"\r\nContent-Type: multipart/byteranges; boundary=b\r\n\r\n--b--\r\n"
            )
        }
        let error = await #expect(throws: HTTPClientError.self) {
            _ = try await fetch(server.url, Self.ranges, of: 262_144, ifRange: "\"old\"")
        }
        #expect(error?.message.contains("another file") == true)
    }
}
