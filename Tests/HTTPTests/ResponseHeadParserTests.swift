// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport
import Testing

@testable import HTTP

/// Heads as libcurl hands them over, line by line.
@Suite struct ResponseHeadParserTests {
    private func parse(_ text: String) -> (status: Int, headers: HTTPHeaders)? {
        var parser = ResponseHeadParser()
        var found: (Int, HTTPHeaders)?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let outcome = Array("\(line)\r\n".utf8).withUnsafeBytes { parser.take($0) }
            if case .head(let status, let headers) = outcome { found = (status, headers) }
        }
        return found
    }

    @Test func readsTheFinalHead() throws {
        let head = try #require(parse("HTTP/2 200 \nA:  b \nNo colon\nc: d: e\n"))
        #expect(head.status == 200)
        #expect(head.headers["a"] == "b")
        #expect(head.headers["C"] == "d: e")
        #expect(head.headers.fields.count == 2)
    }

    @Test func passesOverInterimAnswersAndRedirects() throws {
        let text = """
            HTTP/1.1 100 Continue

            HTTP/1.1 302 Found
            Location: /x
            X: old

            HTTP/1.1 404 Not Found
            Y: new

            """
        let head = try #require(parse(text))
        #expect(head.status == 404)
        #expect(head.headers["X"] == nil)
        #expect(head.headers["Y"] == "new")
    }

    @Test func aRedirectToNowhereIsFinal() throws {
        #expect(parse("HTTP/1.1 302 Found\nX: y\n")?.status == 302)
    }

    @Test func damagedHeadsAreInvalidAndNeverTrap() {
        var random = SeededGenerator.forTest()
        let seed = random.seed
        let good = Array(
            "HTTP/1.1 206 Partial\r\nContent-Range: bytes 3-4/5\r\nContent-Length: 2\r\nETag: \"a\"\r\n\r\n".utf8)
        for _ in 0..<3000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[index] = UInt8.random(in: 0...255, using: &random)
                } else {
                    bytes.remove(at: index)
                }
            }
            var parser = ResponseHeadParser()
            for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                guard case .head(let status, let headers) = Array(line).withUnsafeBytes({ parser.take($0) }) else {
                    continue
                }
                let check = ResponseCheck(request: HTTPRequest(url: "https://example.com/", rangeStart: 3))
                if let response = try? check.evaluate(
                    status: status, headers: headers, finalURL: "https://example.com/")
                {
                    #expect(response.startOffset == 0 || response.startOffset == 3, "seed \(seed)")
                    #expect((response.contentLength ?? 0) >= 0, "seed \(seed)")
                }
            }
        }
    }

    @Test func addressesAreShownWithoutSecrets() {
        #expect(DisplayURL.text("https://user:word@example.com/a?token=1#x") == "https://example.com/a")
        #expect(DisplayURL.text("https://example.com/a@b") == "https://example.com/a@b")
        #expect(DisplayURL.text("nonsense") == "nonsense")
    }

    @Test func delays() {
        #expect(ResponseCheck.delay("7") == .seconds(7))
        #expect(ResponseCheck.delay("999999999999") == .seconds(86_400))
        #expect(ResponseCheck.delay("Sun, 06 Nov 1994 08:49:37 GMT") == .seconds(0))
        #expect(ResponseCheck.delay("soon") == nil)
    }

    @Test func loopbackIsKnownByItsSpelling() {
        for url in ["http://127.0.0.1/", "http://127.9.8.7:80/", "http://[::1]:1/", "http://LOCALHOST/"] {
            #expect(ParsedURL(url)?.isLoopback == true, "\(url)")
        }
        for url in ["http://127.0.0.1.example.com/", "http://128.0.0.1/", "http://localhost.example.com/"] {
            #expect(ParsedURL(url)?.isLoopback == false, "\(url)")
        }
    }
}
