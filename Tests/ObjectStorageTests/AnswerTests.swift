// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import ObjectStorage

struct AnswerTests {
    private func parse(_ text: String) -> XMLElement? { XMLElement.parse(Array(text.utf8)) }

    @Test func anAnswerIsRead() {
        let root = parse(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- by hand --><List xmlns="http://s3.amazonaws.com/doc/2006-03-01/" note="a>b">
              <Item><Key>a&amp;b &#x41;&#66;</Key><Empty/></Item><Item><Key><![CDATA[<c>]]></Key></Item>
            </List>
            """)
        #expect(root?.name == "List")
        #expect(root?.all("Item").map { $0.text("Key") } == ["a&b AB", "<c>"])
        #expect(root?["Item"]?["Empty"] == XMLElement(name: "Empty"))
    }

    @Test(arguments: [
        "", "text", "<a>", "<a></b>", "<a/><b/>", "<a>&x;</a>", "<a>&#x110000;</a>", "<a>&", "<a><![CDATA[x</a>",
        "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<a b='>", "<>", "</a>", "<a></a>x", "<a><!--</a>",
        String(repeating: "<a>", count: 40) + String(repeating: "</a>", count: 40),
    ])
    func whatIsNoShortDocumentIsNone(_ text: String) { #expect(parse(text) == nil) }

    private static let location = try? S3Location(setting: "s3://packs?endpoint=https://s3.example.com")

    private func failure(_ status: Int, _ code: String) -> S3Failure {
        S3Failure(status: status, body: Array("<Error><Code>\(code)</Code><Message>Words\u{7}.</Message></Error>".utf8))
    }

    @Test func refusalsSayWhatToDo() throws {
        let location = try #require(Self.location)
        func error(_ status: Int, _ code: String) -> ObjectStorageError {
            failure(status, code).error("The object a in the bucket packs cannot be read", at: location)
        }
        #expect(error(404, "NoSuchKey").code == .notFound)
        #expect(error(404, "NoSuchUpload").code == .noUpload)
        #expect(error(404, "NoSuchBucket").message.hasSuffix("Make it, or correct --storage."))
        #expect(error(403, "SignatureDoesNotMatch").message.contains("Check the credentials"))
        #expect(error(403, "RequestTimeTooSkewed").message.contains("clock"))
        #expect(error(403, "AccessDenied").message.contains("abort multipart uploads"))
        #expect(error(301, "PermanentRedirect").message.contains("region"))
        #expect(error(400, "InvalidPart").code == .changed)
        #expect(error(501, "NotImplemented").code == .unsupported)
        #expect(error(400, "Odd").message.contains("the store answers Odd, Words ."))
    }

    @Test func whatMayPassIsTriedAgain() {
        for code in ["SlowDown", "InternalError", "RequestTimeout"] { #expect(failure(400, code).isTransient) }
        #expect(S3Failure(status: 503, body: []).isTransient)
        #expect(!failure(501, "NotImplemented").isTransient)
        #expect(!failure(403, "AccessDenied").isTransient)
        #expect(!S3Failure(status: 404, body: Array("<html>".utf8)).isTransient)
    }
}
