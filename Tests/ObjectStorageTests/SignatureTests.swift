// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import ObjectStorage

/// The signatures that Amazon's documentation works out, and two of its test suite's.
struct SignatureTests {
    private static let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private let documented = SignatureV4(
        credentials: S3Credentials(accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: secret), region: "us-east-1")
    private let day = Timestamp(rfc3339: "2013-05-24T00:00:00Z") ?? Timestamp(seconds: 0)

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let method: String
        let path: String
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var payload = empty
        let signature: String
        var testDescription: String { name }
    }

    private static let cases = [
        Case(
            name: "GET of a range", method: "GET", path: "/test.txt", headers: [("Range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Case(
            name: "PUT", method: "PUT", path: "/test%24file.text",
            headers: [("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            payload: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Case(
            name: "an argument without a value", method: "GET", path: "/", query: [("lifecycle", "")],
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Case(
            name: "arguments out of order", method: "GET", path: "/", query: [("prefix", "J"), ("max-keys", "2")],
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: cases) func documentedSignaturesComeOut(_ known: Case) {
        let subject = SignatureV4.Subject(
            method: known.method, path: known.path, query: known.query,
            headers: known.headers + [
                ("host", "examplebucket.s3.amazonaws.com"), ("x-amz-date", "20130524T000000Z"),
                ("x-amz-content-sha256", known.payload),
            ], payload: known.payload)
        let field = documented.authorization(for: subject, at: day)
        #expect(field.hasSuffix("Signature=\(known.signature)"), "\(field)")
        #expect(
            field.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"))
    }

    @Test func theSuitesPlainRequestComesOut() {
        let signature = SignatureV4(
            credentials: S3Credentials(
                accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1", service: "service")
        let moment = Timestamp(rfc3339: "2015-08-30T12:36:00Z") ?? Timestamp(seconds: 0)
        func field(_ query: [(name: String, value: String)]) -> String {
            signature.authorization(
                for: .init(
                    method: "GET", path: "/", query: query,
                    headers: [("Host", "example.amazonaws.com"), ("X-Amz-Date", "20150830T123600Z")],
                    payload: Self.empty), at: moment)
        }
        #expect(field([]).hasSuffix("5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"))
        #expect(
            field([("Param2", "value2"), ("Param1", "value1")]).hasSuffix(
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"))
    }

    @Test func theDocumentedAddressComesOut() {
        let query = documented.presignedQuery(
            for: .init(
                method: "GET", path: "/test.txt", headers: [("host", "examplebucket.s3.amazonaws.com")], payload: ""),
            at: day, seconds: 86_400)
        #expect(
            query == "X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test func anAddressIsGoodForSevenDaysAtMost() {
        let query = documented.presignedQuery(
            for: .init(method: "GET", path: "/a", headers: [("host", "h")], payload: ""), at: day, seconds: 1 << 40)
        #expect(query.contains("X-Amz-Expires=604800&"))
    }

    @Test func theTokenOfTemporaryCredentialsIsPartOfAnAddress() {
        let temporary = SignatureV4(
            credentials: S3Credentials(accessKey: "A", secretKey: "B", sessionToken: "C/D"), region: "r")
        let query = temporary.presignedQuery(
            for: .init(method: "GET", path: "/a", headers: [("host", "h")], payload: ""), at: day, seconds: 60)
        #expect(query.contains("X-Amz-Security-Token=C%2FD&"))
    }
}
