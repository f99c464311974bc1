// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Kit

/// AWS Signature Version 4: proves who asks a service for what, and when, in a header field or in the address itself. Pure.
struct SignatureV4: Sendable {
    static let algorithm = "AWS4-HMAC-SHA256"
    /// In place of a body's digest, where the body is not known when the request is signed.
    static let unsignedPayload = "UNSIGNED-PAYLOAD"
    /// The longest that a signed address may be good for, in seconds.
    static let longestLife: Int64 = 7 * 24 * 3600

    let credentials: S3Credentials
    let region: String
    var service = "s3"

    /// What is signed of a request.
    struct Subject: Sendable {
        let method: String
        /// Percent-encoded, with its slash at the start.
        let path: String
        /// Not encoded yet, in any order.
        var query: [(name: String, value: String)] = []
        /// The fields that are signed; `host` is one of them.
        var headers: [(name: String, value: String)]
        /// SHA-256 of the body in hexadecimal digits, or `unsignedPayload`.
        var payload: String
    }

    /// The value of the field `Authorization`.
    func authorization(for subject: Subject, at time: Timestamp) -> String {
        let headers = Self.canonical(subject.headers)
        let signature = signature(of: subject, headers, at: time)
        return "\(Self.algorithm) Credential=\(credentials.accessKey)/\(scope(at: time)),"
            + "SignedHeaders=\(Self.names(headers)),Signature=\(signature)"
    }

    /// The query of an address that needs no other proof.
    /// - Parameter seconds: how long it is good for; at most `longestLife` count.
    func presignedQuery(for subject: Subject, at time: Timestamp, seconds: Int64) -> String {
        var subject = subject
        subject.payload = Self.unsignedPayload
        let headers = Self.canonical(subject.headers)
        subject.query += [
            ("X-Amz-Algorithm", Self.algorithm),
            ("X-Amz-Credential", "\(credentials.accessKey)/\(scope(at: time))"),
            ("X-Amz-Date", Self.moment(time)),
            ("X-Amz-Expires", "\(min(max(1, seconds), Self.longestLife))"),
            ("X-Amz-SignedHeaders", Self.names(headers)),
        ]
        if let token = credentials.sessionToken { subject.query.append(("X-Amz-Security-Token", token)) }
        let signature = signature(of: subject, headers, at: time)
        return Self.canonicalQuery(subject.query) + "&X-Amz-Signature=\(signature)"
    }

    private func signature(of subject: Subject, _ headers: [(String, String)], at time: Timestamp) -> String {
        let request = [
            subject.method, subject.path, Self.canonicalQuery(subject.query),
            headers.map { "\($0.0):\($0.1)\n" }.joined(), Self.names(headers), subject.payload,
        ].joined(separator: "\n")
        let text = [
            Self.algorithm, Self.moment(time), scope(at: time), SHA256.hash(Array(request.utf8)).hex,
        ].joined(separator: "\n")
        var key = Array("AWS4\(credentials.secretKey)".utf8)
        for word in [Self.day(time), region, service, "aws4_request"] {
            key = MessageAuthentication.hmacSHA256(word.utf8, key: key).bytes
        }
        return MessageAuthentication.hmacSHA256(text.utf8, key: key).hex
    }

    private func scope(at time: Timestamp) -> String { "\(Self.day(time))/\(region)/\(service)/aws4_request" }

    // MARK: Canonical forms

    /// Arguments encoded and sorted, as they are signed and sent.
    static func canonicalQuery(_ query: [(name: String, value: String)]) -> String {
        query.map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// Fields by their names in lower case, in order, their values without superfluous blanks.
    private static func canonical(_ headers: [(name: String, value: String)]) -> [(String, String)] {
        headers.map { ($0.name.lowercased(), $0.value.split(separator: " ").joined(separator: " ")) }
            .sorted { $0.0 < $1.0 }
    }

    private static func names(_ headers: [(String, String)]) -> String {
        headers.map(\.0).joined(separator: ";")
    }

    /// `20130524T000000Z`
    static func moment(_ time: Timestamp) -> String {
        time.formatted.prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" } + "Z"
    }

    private static func day(_ time: Timestamp) -> String { String(moment(time).prefix(8)) }
}
