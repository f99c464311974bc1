// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HTTP
package import Kit

/// Objects of one bucket, over https. Every call is repeated as long as the policy's patience lasts and the trouble may pass.
package struct S3Client: Sendable {
    package let location: S3Location
    let http: HTTPClient
    private let credentials: S3CredentialSource
    package let sizes: S3TransferSizes
    let policy: RetryPolicy
    private let clock: @Sendable () -> Timestamp

    /// Stores take minutes to put large objects together, or to copy them, and not all of them send anything meanwhile. One that
    /// is not waited for may give up what it is at, and then the parts are gone.
    static let work = Duration.seconds(900)
    /// Bytes of an answer that is no object.
    static let answerLimit = 4 << 20

    package init(
        _ location: S3Location, credentials: S3CredentialSource, policy: RetryPolicy = .essential,
        sizes: S3TransferSizes = S3TransferSizes(), clock: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.location = location
        self.policy = policy
        self.clock = clock
        self.credentials = credentials
        self.sizes = sizes
        var configuration = HTTPClientConfiguration()
        configuration.allowsPlainLoopback = true
        configuration.trustedCertificates = location.authority.map { [$0] } ?? []
        // Bodies go both ways here, and a connection for each request is quicker for them than a shared one.
        configuration.sharedConnectionLimit = 0
        configuration.linger = .seconds(30)
        configuration.userAgent = "larder-host"
        http = HTTPClient(configuration)
    }

    /// The same, which gives up sooner or later than this.
    package func waiting(_ policy: RetryPolicy) -> S3Client { S3Client(self, policy) }

    private init(_ other: S3Client, _ policy: RetryPolicy) {
        location = other.location
        http = other.http
        credentials = other.credentials
        sizes = other.sizes
        clock = other.clock
        self.policy = policy
    }

    private var signature: SignatureV4 { SignatureV4(credentials: credentials.current, region: location.region) }

    /// Sees to it that what is signed from now on is signed with credentials that are good now.
    package func refreshCredentials() async { await credentials.refresh() }

    /// A request, as it is before it is signed.
    struct Call: Sendable {
        let method: HTTPRequest.Method
        /// Without the location's prefix; nil for the bucket.
        let key: String?
        var query: [(name: String, value: String)] = []
        /// Fields that are sent; those of S3 are signed.
        var headers: [(name: String, value: String)] = []
        var body: HTTPRequestBody?
        /// SHA-256 of the body in hexadecimal digits.
        var payload = SHA256.hash([]).hex
        /// How long the store may think without a word; nil for as long as usual.
        var silence: Duration?
        /// What cannot be done when it fails: "be read".
        let purpose: String
    }

    func signed(_ call: Call) -> HTTPRequest {
        let (time, signature) = (clock(), signature)
        let (scheme, host, path) = location.place(call.key.map { location.prefix + $0 })
        var fields = call.headers
        fields.append(("x-amz-content-sha256", call.payload))
        fields.append(("x-amz-date", SignatureV4.moment(time)))
        if let token = signature.credentials.sessionToken { fields.append(("x-amz-security-token", token)) }
        let toSign = fields.filter { $0.name.lowercased().hasPrefix("x-amz-") } + [("host", host)]
        let subject = SignatureV4.Subject(
            method: call.method.rawValue, path: path, query: call.query, headers: toSign, payload: call.payload)
        fields.append(("Authorization", signature.authorization(for: subject, at: time)))
        let query = SignatureV4.canonicalQuery(call.query)
        var request = HTTPRequest(
            url: "\(scheme)://\(host)\(path)\(query.isEmpty ? "" : "?" + query)", method: call.method,
            headers: fields.map { ($0.name, $0.value) })
        request.takesEveryStatus = true
        request.body = call.body
        request.stallTimeout = call.silence
        return request
    }

    /// Sends a request until it is answered for good.
    /// - Returns: an answer with a status from 200 to 299.
    /// - Throws: `ObjectStorageError`, `CancellationError`
    func send(_ call: Call) async throws -> (head: HTTPResponse, body: [UInt8]) {
        var retries = Retries()
        while true {
            await refreshCredentials()
            let wait: Duration?
            let failure: ObjectStorageError
            do throws(HTTPClientError) {
                let (head, body) = try await exchange(signed(call))
                // Some stores find out only after they have begun to answer.
                let isHiddenError = head.status == 200 && call.method != .get && XMLElement.parse(body)?.name == "Error"
                if (200..<300).contains(head.status), !isHiddenError { return (head, body) }
                let refusal = S3Failure(status: isHiddenError ? 500 : head.status, body: body)
                failure = refusal.error(failed(call), at: location)
                wait = refusal.isTransient ? retries.next(policy) : nil
            } catch {
                if error.code == .cancelled { throw CancellationError() }
                failure = unreachable(call, error)
                wait =
                    error.isTransient
                    ? retries.next(policy, wish: error.retryAfter, isUnreachable: error.isUnreachable) : nil
            }
            guard let wait else { throw failure }
            try await Task.sleep(for: wait)
        }
    }

    private func exchange(_ request: HTTPRequest) async throws(HTTPClientError) -> (HTTPResponse, [UInt8]) {
        do {
            return try await http.data(for: request, limit: Self.answerLimit)
        } catch let error as HTTPClientError {
            throw error
        } catch {
            throw HTTPClientError(.failed, "The request could not be sent.", cause: error)
        }
    }

    /// "The object a in the bucket b cannot be read"
    func failed(_ call: Call) -> String {
        let subject = call.key.map { "The object \(location.prefix)\($0) in the bucket \(location.bucket)" }
        return "\(subject ?? "The bucket \(location.bucket)") cannot \(call.purpose)"
    }

    func unreachable(_ call: Call, _ error: HTTPClientError) -> ObjectStorageError {
        ObjectStorageError(
            error.code == .unreadableBody ? .file : .unavailable,
            "\(failed(call)): \(error.message)", cause: error.cause)
    }

    // MARK: Signed addresses

    /// An address at which anybody may do one thing with one object for a while.
    /// - Parameters:
    ///   - headers: fields that the request must have, with these values.
    ///   - seconds: how long it is good for, at most seven days.
    package func address(
        _ method: String, _ key: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = [], seconds: Int64
    ) -> String {
        let (scheme, host, path) = location.place(location.prefix + key, isPublic: true)
        let subject = SignatureV4.Subject(
            method: method, path: path, query: query, headers: headers + [("host", host)],
            payload: SignatureV4.unsignedPayload)
        return "\(scheme)://\(host)\(path)?\(signature.presignedQuery(for: subject, at: clock(), seconds: seconds))"
    }
}
