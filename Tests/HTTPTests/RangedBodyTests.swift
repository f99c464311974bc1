// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport
import Testing

@testable import HTTP

/// Answers to requests for several ranges, as values.
@Suite struct RangedBodyTests {
    private static func request(_ ranges: [Range<Int64>], of size: Int) -> HTTPRequest {
        var request = HTTPRequest(url: "https://example.com/pack", expectedLength: Int64(size))
        request.ranges = ranges
        return request
    }

    private static func head(_ request: HTTPRequest, _ headers: HTTPHeaders, status: Int = 206) throws -> HTTPResponse {
        try ResponseCheck(request: request).evaluate(status: status, headers: headers, finalURL: request.url)
    }

    /// What a body says, fed in pieces.
    private static func read(
        _ request: HTTPRequest, _ head: HTTPResponse, _ body: [UInt8], pieces: (inout Int) -> Int
    ) throws -> [Int64: UInt8] {
        var reader = try RangedBody(head, request: request)
        var found: [Int64: UInt8] = [:]
        var position = 0
        while position < body.count {
            let next = min(body.count, position + max(1, pieces(&position)))
            try body.withUnsafeBytes { bytes in
                try reader.take(UnsafeRawBufferPointer(rebasing: bytes[position..<next])) { offset, bytes in
                    for (index, byte) in bytes.enumerated() {
                        guard found.updateValue(byte, forKey: offset + Int64(index)) == nil else {
                            throw RangedBodyProblem("a byte twice")
                        }
                    }
                }
            }
            position = next
        }
        try reader.finish()
        return found
    }

    private static func expected(_ file: [UInt8], _ ranges: [Range<Int64>]) -> [Int64: UInt8] {
        var all: [Int64: UInt8] = [:]
        for range in ranges { for offset in range { all[offset] = file[Int(offset)] } }
        return all
    }

    private static func parts(_ file: [UInt8], _ ranges: [Range<Int64>], boundary: String) -> [UInt8] {
        var body = Array("a preamble nobody needs".utf8)
        for range in ranges {
            body += Array(
                ("\r\n--\(boundary)\r\nContent-Type: application/octet-stream\r\n"
                    + "content-range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)\r\n\r\n").utf8)
            body += file[Int(range.lowerBound)..<Int(range.upperBound)]
        }
        return body + Array("\r\n--\(boundary)--\r\n".utf8)
    }

    private static func randomRanges(_ size: Int, _ random: inout SeededGenerator) -> [Range<Int64>] {
        var ranges: [Range<Int64>] = []
        var position = Int.random(in: 0..<20, using: &random)
        while position < size, ranges.count < 12 {
            let end = min(size, position + Int.random(in: 1...200, using: &random))
            ranges.append(Int64(position)..<Int64(end))
            position = end + Int.random(in: 1...300, using: &random)
        }
        return ranges
    }

    /// Parts as asked, or neighbours joined, in pieces of any size: the bytes that were asked for, and no others.
    @Test func partsInAnyPieces() throws {
        var random = SeededGenerator.forTest()
        for _ in 0..<300 {
            // Contents that look like boundaries change nothing.
            let file = random.bytes(2000) + Array("\r\n--b\r\nContent-Range: bytes 0-1/4\r\n\r\n--b--\r\n".utf8)
            let ranges = Self.randomRanges(file.count, &random)
            var sent = ranges
            if sent.count > 2, Bool.random(using: &random) {
                let index = Int.random(in: 0..<sent.count - 1, using: &random)
                sent[index] = sent[index].lowerBound..<sent[index + 1].upperBound
                sent.remove(at: index + 1)
            }
            let request = Self.request(ranges, of: file.count)
            let head = try Self.head(request, ["Content-Type": "multipart/byteranges; boundary=b"])
            guard ranges.count > 1 else { continue }
            let body = Self.parts(file, sent, boundary: "b")
            let found = try Self.read(request, head, body) { _ in Int.random(in: 1...400, using: &random) }
            #expect(found == Self.expected(file, ranges), "seed \(random.seed)")
        }
    }

    @Test func onePartAndTheWhole() throws {
        var random = SeededGenerator.forTest()
        let file = random.bytes(1000)
        let one = Self.request([100..<200], of: file.count)
        let part = try Self.head(one, ["Content-Range": "bytes 100-199/1000", "Content-Length": "100"])
        #expect(
            try Self.read(one, part, Array(file[100..<200])) { _ in 7 } == Self.expected(file, [100..<200]))
        let several: [Range<Int64>] = [0..<10, 50..<60, 990..<1000]
        let request = Self.request(several, of: file.count)
        let whole = try Self.head(request, ["Content-Length": "1000"], status: 200)
        #expect(try RangedBody(whole, request: request).isWhole)
        #expect(try Self.read(request, whole, file) { _ in 13 } == Self.expected(file, several))
        // All ranges in one part, with what lies between.
        let joined = try Self.head(
            Self.request([0..<10, 50..<60], of: 1000), ["Content-Range": "bytes 0-59/1000", "Content-Length": "60"])
        #expect(
            try Self.read(Self.request([0..<10, 50..<60], of: 1000), joined, Array(file[0..<60])) { _ in 9 }
                == Self.expected(file, [0..<10, 50..<60]))
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: String
        var type = "multipart/byteranges; boundary=b"
        let says: String
    }

    @Test(arguments: [
        Wrong(testDescription: "nothing", body: "", says: "too few"),
        Wrong(
            testDescription: "one missing", body: "--b\r\nContent-Range: bytes 2-3/9\r\n\r\nxx\r\n--b--",
            says: "too few"),
        Wrong(
            testDescription: "other order",
            body: "--b\r\nContent-Range: bytes 6-7/9\r\n\r\nxx\r\n--b\r\nContent-Range: bytes 2-3/9\r\n\r\nxx\r\n--b--",
            says: "were not asked for"),
        Wrong(testDescription: "other bytes", body: "--b\r\nContent-Range: bytes 2-4/9\r\n\r\nxxx", says: "not asked"),
        Wrong(
            testDescription: "other size", body: "--b\r\nContent-Range: bytes 2-3/10\r\n\r\nxx", says: "instead of 9"),
        Wrong(testDescription: "no range", body: "--b\r\nContent-Type: a\r\n\r\nxx", says: "does not say which"),
        Wrong(
            testDescription: "no bounds", body: "--b\r\nContent-Range: bytes */9\r\n\r\nxx", says: "does not say which"),
        Wrong(testDescription: "no number", body: "--b\r\nContent-Range: bytes x\r\n\r\nxx", says: "cannot be placed"),
        Wrong(
            testDescription: "two ranges",
            body: "--b\r\nContent-Range: bytes 2-3/9\r\nContent-Range: bytes 2-3/9\r\n\r\n",
            says: "cannot be placed"),
        Wrong(testDescription: "cut", body: "--b\r\nContent-Range: bytes 2-3/9\r\n\r\nx", says: "too few"),
        Wrong(
            testDescription: "endless fields", body: "--b\r\n" + String(repeating: "X: y\r\n", count: 5000),
            says: "belongs to no part"),
        Wrong(
            testDescription: "endless line", body: "--b\r\n" + String(repeating: "X", count: 50_000),
            says: "belongs to no part"),
        Wrong(
            testDescription: "twice",
            body: "--b\r\nContent-Range: bytes 2-3/9\r\n\r\nxx\r\n--b\r\nContent-Range: bytes 2-3/9\r\n\r\nxx",
            says: "not asked for"),
    ])
    func hostileBodiesAreRefused(_ wrong: Wrong) throws {
        let request = Self.request([2..<4, 6..<8], of: 9)
        for piece in [1, 3, 100_000] {
            let error = #expect(throws: HTTPClientError.self) {
                let head = try Self.head(request, ["Content-Type": wrong.type])
                _ = try Self.read(request, head, Array(wrong.body.utf8)) { _ in piece }
            }
            #expect(error?.code == .badResponse)
            #expect(error?.message.contains(wrong.says) == true, "\(error?.message ?? "")")
        }
    }

    /// Whatever comes, nothing traps, and what is handed out was asked for.
    @Test func noBodyTraps() throws {
        var random = SeededGenerator.forTest()
        let file = random.bytes(300)
        let words = [
            "\r\n", "--b", "--b--", "Content-Range: bytes ", "0-1", "/300", "100-149", "xyz", " ",
            "9223372036854775807", "-",
        ]
        for _ in 0..<5000 {
            let ranges: [Range<Int64>] = [0..<2, 100..<150]
            let request = Self.request(ranges, of: file.count)
            let head = try Self.head(request, ["Content-Type": "multipart/byteranges; boundary=b"])
            var body = Self.parts(file, ranges, boundary: "b")
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<body.count, using: &random)
                body.replaceSubrange(
                    place..<min(body.count, place + Int.random(in: 0...8, using: &random)),
                    with: (words.randomElement(using: &random) ?? "").utf8)
            }
            let found = try? Self.read(request, head, body) { _ in Int.random(in: 1...90, using: &random) }
            if let found {
                #expect(Set(found.keys) == Set(Self.expected(file, ranges).keys), "seed \(random.seed)")
            }
        }
    }

    @Test func boundaries() {
        #expect(MultipartBoundary("multipart/byteranges; boundary=THIS_STRING")?.text == "THIS_STRING")
        #expect(MultipartBoundary("Multipart/ByteRanges ; charset=x; Boundary=\"a b\"")?.text == "a b")
        for wrong in [
            "", "text/plain; boundary=x", "multipart/byteranges", "multipart/byteranges; boundary=",
            "multipart/byteranges; boundary=" + String(repeating: "x", count: 71),
        ] { #expect(MultipartBoundary(wrong) == nil, "\(wrong)") }
    }
}
