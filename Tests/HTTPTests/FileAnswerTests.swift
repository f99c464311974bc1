// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import Testing

@testable import HTTP

/// Which answer a file's request gets, without a socket.
@Suite struct FileAnswerTests {
    private let etag = "\"abc123\""

    private func answer(_ method: String, _ headers: HTTPHeaders, size: Int64 = 1000) throws -> HTTPServerResponse {
        let file = try ServedFile("/dev/null")
        return FileAnswer(file: file, size: size, etag: etag, contentType: "application/octet-stream")
            .response(to: HTTPServerRequest(method: method, path: "/", headers: headers))
    }

    @Test func theWholeFile() throws {
        for headers: HTTPHeaders in [[:], ["Range": "nonsense"], ["Range": "bytes=0-1", "If-Range": "\"other\""]] {
            let response = try answer("GET", headers)
            #expect(response.status == 200)
            #expect(response.bodyLength == 1000)
            #expect(response.headers["Accept-Ranges"] == "bytes")
            #expect(response.headers["ETag"] == etag)
        }
        #expect(try answer("HEAD", ["Range": "bytes=0-1"]).status == 200)
    }

    @Test func aPart() throws {
        for headers: HTTPHeaders in [["Range": "bytes=10-19"], ["Range": "bytes=10-19", "If-Range": etag]] {
            let response = try answer("GET", headers)
            #expect(response.status == 206)
            #expect(response.headers["Content-Range"] == "bytes 10-19/1000")
            #expect(response.bodyLength == 10)
        }
    }

    @Test func severalParts() throws {
        let response = try answer("GET", ["Range": "bytes=0-9,-5"])
        #expect(response.status == 206)
        #expect(response.headers["Content-Range"] == nil)
        #expect(response.headers["Content-Type"] == "multipart/byteranges; boundary=larder-abc123")
        #expect(response.body.count == 5)
    }

    @Test func tooManyPartsAreTheWhole() throws {
        let many = (0...FileAnswer.maximumRanges).map { "\($0)-\($0)" }.joined(separator: ",")
        #expect(try answer("GET", ["Range": "bytes=\(many)"]).status == 200)
        #expect(try answer("GET", ["Range": "bytes=0-,0-"]).status == 200)
    }

    @Test func aRangeBehindTheEnd() throws {
        let response = try answer("GET", ["Range": "bytes=1000-"])
        #expect(response.status == 416)
        #expect(response.headers["Content-Range"] == "bytes */1000")
    }

    @Test func validators() throws {
        #expect(try answer("GET", ["If-None-Match": "\"x\", W/\"abc123\""]).status == 304)
        #expect(try answer("HEAD", ["If-None-Match": "*"]).status == 304)
        #expect(try answer("GET", ["If-None-Match": "\"x\""]).status == 200)
        #expect(try answer("GET", ["If-Match": "\"x\""]).status == 412)
        #expect(try answer("GET", ["If-Match": "\"x\", \"abc123\""]).status == 200)
        #expect(try answer("GET", ["If-Match": "W/\"abc123\""]).status == 412)
    }
}
